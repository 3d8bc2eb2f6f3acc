"""URLs of pages that belong to no single model. Include them before the admin's own URLs."""

from functools import partial

from django.contrib import admin
from django.urls import path

from memories.admin.briefing.page import briefing_page
from memories.admin.cleanup.page import cleanup_page
from memories.admin.cleanup.reopening import reopen_now
from memories.admin.importing.import_page import import_page, progress, report
from memories.admin.importing.upload_page import upload_page
from memories.admin.kept_secrets.settings_page import secrets_page
from memories.admin.kept_secrets.values import delete_value, show_value
from memories.admin.models_page import models_page
from memories.admin.quick_add import quick_add
from memories.admin.review.decisions import ACCEPT, REJECT
from memories.admin.review.inbox import decide_all_page, inbox_page
from memories.admin.sharing import share_target
from memories.admin.tags.page import tags_page
from memories.admin.undo.background_page import undo_job_page, undo_progress
from memories.admin.undo.comparison import comparison_page
from memories.admin.undo.now import undo_now
from memories.admin.undo.page import undo_page

urlpatterns = [
    path("add/", admin.site.admin_view(quick_add), name="quick_add"),
    path("share/", share_target, name="share_target"),
    path("briefing/", admin.site.admin_view(briefing_page), name="briefing"),
    path("inbox/", admin.site.admin_view(inbox_page), name="inbox"),
    path("inbox/accept-all/", admin.site.admin_view(partial(decide_all_page, ACCEPT)), name="inbox_accept_all"),
    path("inbox/reject-all/", admin.site.admin_view(partial(decide_all_page, REJECT)), name="inbox_reject_all"),
    path("cleanup/", admin.site.admin_view(cleanup_page), name="cleanup"),
    path("cleanup/reopen/", admin.site.admin_view(reopen_now), name="reopen_now"),
    path("tags/", admin.site.admin_view(tags_page), name="tags"),
    path("undo/now/", admin.site.admin_view(undo_now), name="undo_now"),
    path("versions/", admin.site.admin_view(comparison_page), name="compare_versions"),
    path("undo/", admin.site.admin_view(undo_page), name="undo"),
    path("undo/<uuid:job_id>/", admin.site.admin_view(undo_job_page), name="undo_job"),
    path("undo/<uuid:job_id>/progress/", admin.site.admin_view(undo_progress), name="undo_progress"),
    path("import/", admin.site.admin_view(upload_page), name="import"),
    path("import/<uuid:import_id>/", admin.site.admin_view(import_page), name="import_job"),
    path("import/<uuid:import_id>/progress/", admin.site.admin_view(progress), name="import_progress"),
    path("import/<uuid:import_id>/report/", admin.site.admin_view(report), name="import_report"),
    path("secrets/", admin.site.admin_view(secrets_page), name="kept_secrets"),
    path(
        "memories/memory/<int:memory_id>/hidden/<int:number>/show/",
        admin.site.admin_view(show_value),
        name="show_hidden_value",
    ),
    path(
        "memories/memory/<int:memory_id>/hidden/<int:number>/delete/",
        admin.site.admin_view(delete_value),
        name="delete_hidden_value",
    ),
    path("models/", admin.site.admin_view(models_page), name="models"),
]
