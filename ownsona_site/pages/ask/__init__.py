"""The page of the answers that an app would receive, with the reasons."""
