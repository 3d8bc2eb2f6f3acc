"""URLs of pages that combine several apps. Include them before the admin's own URLs."""

from django.contrib import admin
from django.urls import path

from ownsona_site.pages.ask.page import ask_page
from ownsona_site.pages.backups import backups_page
from ownsona_site.pages.download import download_data
from ownsona_site.pages.memory_map.page import map_page, map_points, map_progress
from ownsona_site.pages.review.page import review_page

urlpatterns = [
    path("backups/", admin.site.admin_view(backups_page), name="backups"),
    path("backups/download/", admin.site.admin_view(download_data), name="download"),
    path("ask/", admin.site.admin_view(ask_page), name="ask"),
    path("map/", admin.site.admin_view(map_page), name="map"),
    path("map/points/", admin.site.admin_view(map_points), name="map_points"),
    path("map/progress/", admin.site.admin_view(map_progress), name="map_progress"),
    path("review/", admin.site.admin_view(review_page), name="review"),
]
