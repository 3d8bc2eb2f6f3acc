"""The ASGI application that gunicorn serves."""

import os

import django

from ownsona_site.checks import refuse_wrong_settings
from ownsona_site.handler import Handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ownsona_site.settings")

refuse_wrong_settings()
django.setup(set_prefix=False)
application = Handler()
