"""The ASGI application that gunicorn serves."""

import gc
import os

import django
from django.utils.module_loading import import_string

from common.lazy_pattern import compile_patterns
from common.provided import supply_now
from ownsona_site.configuration.checks import require_valid_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ownsona_site.settings")

# Loading creates many objects that stay: looking for garbage among them again and again takes an eighth of the time.
gc.disable()
require_valid_settings()
django.setup(set_prefix=False)

# The workers are forked from this process. What it has loaded needs neither time nor memory in each of them.
application = import_string("ownsona_site.web.asgi_handler.AsgiHandler")()
import_string("ownsona_site.urls.urlpatterns")
import_string("procrastinate.contrib.django.app").perform_import_paths()
import_string("ownsona_site.startup.jobs.run_jobs")
supply_now()
compile_patterns()
import_string("memories.recall.loading.load_networks")()

# A garbage collection in a worker would write to, and so copy, the pages of all shared objects.
gc.collect()
gc.freeze()
gc.enable()
