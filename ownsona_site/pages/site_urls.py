"""URLs of the admin site besides its lists of rows.

The site includes them by name when all admin packages are loaded, because the views import these packages, and the
packages register their pages with the site.
"""

from django.contrib import admin
from django.urls import path

from oauthserver.login.two_step_page import two_step_page
from ownsona_site.doctor.page import connection_check
from ownsona_site.pages.account import account_page, choose_language
from ownsona_site.pages.go import go_page
from ownsona_site.pages.keys import keys_page
from ownsona_site.pages.overview.first_steps import hide_first_steps
from ownsona_site.pages.overview.page import overview
from ownsona_site.pages.theme import choose_theme

urlpatterns = [
    path("", admin.site.admin_view(overview), name="index"),
    path("first-steps/hide/", admin.site.admin_view(hide_first_steps), name="hide_first_steps"),
    path("go/", admin.site.admin_view(go_page), name="go"),
    path("keys/", admin.site.admin_view(keys_page), name="keys"),
    path("account/", admin.site.admin_view(account_page), name="account"),
    path("account/language/", admin.site.admin_view(choose_language), name="language"),
    path("theme/", admin.site.admin_view(choose_theme), name="theme"),
    path("two-step-login/", admin.site.admin_view(two_step_page), name="two_step_login"),
    path("connection-check/", admin.site.admin_view(connection_check), name="connection_check"),
]
