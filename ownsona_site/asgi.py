"""The ASGI application that gunicorn serves."""

import gc
import os

import django

from ownsona_site.configuration.checks import refuse_wrong_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ownsona_site.settings")

refuse_wrong_settings()
django.setup(set_prefix=False)

from ownsona_site.web.asgi_handler import Handler  # noqa: E402 - it needs the models

application = Handler()

# The workers are forked from here: a collection in one of them would touch, and so copy, every object that they share.
gc.collect()
gc.freeze()
