"""The page that previews the briefing."""
