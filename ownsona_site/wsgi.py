"""The WSGI application that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

from ownsona_site.checks import refuse_wrong_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ownsona_site.settings")

refuse_wrong_settings()
application = get_wsgi_application()
