"""The ASGI application that gunicorn serves."""

import gc
import os

import django

from ownsona_site.configuration.checks import require_valid_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ownsona_site.settings")

# Loading creates many objects that stay: looking for garbage among them again and again takes an eighth of the time.
gc.disable()
require_valid_settings()
django.setup(set_prefix=False)

from ownsona_site.web.asgi_handler import AsgiHandler  # noqa: E402 - it needs the models

application = AsgiHandler()

# The workers are forked from this process. A garbage collection in a worker would write to, and so copy, the pages of
# all shared objects.
gc.collect()
gc.freeze()
gc.enable()
