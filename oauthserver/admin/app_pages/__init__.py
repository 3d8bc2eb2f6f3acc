"""The pages of apps, tokens and identities: their list, and one page for each."""
