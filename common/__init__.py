"""What the apps share and none of them owns: no models, no settings, no imports from them."""
