"""The ASGI application, for those who serve OwnSona with a server of their own."""

import os

from django.core.asgi import get_asgi_application

from ownsona_site.checks import refuse_wrong_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ownsona_site.settings")

refuse_wrong_settings()
application = get_asgi_application()
