"""Files to import: from paths, folders and archives to streams within limits."""
