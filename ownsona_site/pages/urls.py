"""URLs of pages that combine several apps. Include them before the admin's own URLs."""

from django.contrib import admin
from django.urls import path

from ownsona_site.pages.ask.page import ask_page
from ownsona_site.pages.backups.archive_pages import archive_page, delete_page
from ownsona_site.pages.backups.page import back_up_now, backup_progress, backups_page
from ownsona_site.pages.download import download_data
from ownsona_site.pages.memory_map.page import map_page, map_points, map_progress
from ownsona_site.pages.review.page import review_page

urlpatterns = [
    path("backups/", admin.site.admin_view(backups_page), name="backups"),
    path("backups/now/", admin.site.admin_view(back_up_now), name="back_up_now"),
    path("backups/progress/", admin.site.admin_view(backup_progress), name="backup_progress"),
    path("backups/archive/<str:name>/", admin.site.admin_view(archive_page), name="backup"),
    path("backups/archive/<str:name>/delete/", admin.site.admin_view(delete_page), name="backup_delete"),
    path("backups/download/", admin.site.admin_view(download_data), name="download"),
    path("ask/", admin.site.admin_view(ask_page), name="ask"),
    path("map/", admin.site.admin_view(map_page), name="map"),
    path("map/points/", admin.site.admin_view(map_points), name="map_points"),
    path("map/progress/", admin.site.admin_view(map_progress), name="map_progress"),
    path("review/", admin.site.admin_view(review_page), name="review"),
]
