"""The languages of the pages: their catalogues, and which one a page is in."""
