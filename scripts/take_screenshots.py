#!/usr/bin/env python3
"""`make screenshots`: the images in docs/screenshots, taken of a separate server with invented data.

    .venv/bin/python scripts/take_screenshots.py

Needs Chromium and a free port 8000, because the pages show the address of the server.
"""

from __future__ import annotations

import base64
import json
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.browser import find_chromium  # noqa: E402 - the project is not installed
from tests.support.live_server import LiveServer, live_server  # noqa: E402

FOLDER = ROOT / "docs" / "screenshots"
CHROMIUM = find_chromium()
SETTINGS = {
    "PORT": "8000",
    "EMBEDDING_PROVIDER": "local",
    "AUDIT_QUERIES": "true",
    "OWNSONA_LOGIN_USERNAME": "robin",
    "OWNSONA_TIME_ZONE": "UTC",
}
FILL = """
import dataclasses, json
from scripts.demo_data import fill
from scripts.demo_week import add_week
shown = fill()
add_week()
print(json.dumps(dataclasses.asdict(shown)))
"""
LOOPBACK_URI = "http://localhost:33418/callback"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # RFC 7636, appendix B

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
DECODE = """async encoded => {
  const response = await fetch(`data:image/png;base64,${encoded}`);
  const bitmap = await createImageBitmap(await response.blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const pixels = context.getImageData(0, 0, bitmap.width, bitmap.height).data.filter((_, index) => index % 4 < 3);
  return new Promise(resolve => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.split(",")[1]);
    reader.readAsDataURL(new Blob([pixels]));
  });
}"""
"""Function in JavaScript from a PNG file to its pixels as RGB, both in base64."""


@dataclass(frozen=True, slots=True)
class Screenshot:
    """One image: its name, the size of the window in pixels, the path of the page, and what to do there first."""

    name: str
    width: int
    height: int
    path: str
    prepare: Callable[[Page], None] = lambda page: None


def main() -> None:
    """Take all screenshots, or end with a line that says what is missing."""
    if not CHROMIUM:
        sys.exit("No Chromium is installed.")
    with live_server(None, **SETTINGS) as server:
        shown = json.loads(server.run(FILL).splitlines()[-1])
        back_up(server)
        with browser_page(server, CHROMIUM) as page:
            take(page, Screenshot("home", 1280, 800, "/"))
            log_in(page, *server.login)
            for screenshot in owners_screenshots(page, shown):
                take(page, screenshot)


def back_up(server: LiveServer) -> None:
    """Make a backup and check it, as an owner does."""
    with TemporaryDirectory() as folder:
        archive = str(Path(folder) / "ownsona.zip")
        server.manage("backup", archive)
        server.manage("restore", "--check", archive)


@contextmanager
def browser_page(server: LiveServer, chromium: str) -> Iterator[Page]:
    """Open a page of a headless browser whose relative addresses are those of the server."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(base_url=server.url, color_scheme="light", locale="en-GB").new_page()
        page.set_default_timeout(60_000)
        yield page
        browser.close()


def owners_screenshots(page: Page, shown: dict[str, int]) -> list[Screenshot]:
    """Return the screenshots that need a login, given the ids of what is shown."""
    recall, memory = shown["recall_id"], shown["memory_id"]
    return [
        Screenshot("overview", 1280, 1100, "/admin/"),
        Screenshot("memories", 1280, 900, "/admin/memories/memory/"),
        Screenshot("memory", 1280, 1200, f"/admin/memories/memory/{memory}/change/"),
        Screenshot("journal", 1280, 900, "/admin/memories/journalentry/"),
        Screenshot("ask", 1280, 1000, f"/admin/ask/?{urlencode({'q': 'How much does the dog weigh?'})}"),
        Screenshot("recall", 1280, 900, f"/admin/memories/pastrecall/{recall}/change/"),
        Screenshot("app", 1280, 1000, f"/admin/oauthserver/connection/{shown['connection_id']}/change/"),
        Screenshot("consent", 760, 1369, authorize_path(page), choose_tags),
        Screenshot("connection-check", 1280, 800, "/admin/connection-check/", check_connection),
    ]


def take(page: Page, screenshot: Screenshot) -> None:
    """Open the page and save its image."""
    page.set_viewport_size({"width": screenshot.width, "height": screenshot.height})
    response = page.goto(screenshot.path)
    assert response is not None
    assert response.ok, f"{screenshot.path}: status {response.status}"
    screenshot.prepare(page)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready.then(() => null)")
    page.mouse.move(0, 0)
    image = page.screenshot(animations="disabled")
    (FOLDER / f"{screenshot.name}.png").write_bytes(compress(page, image, screenshot.width, screenshot.height))


def compress(page: Page, image: bytes, width: int, height: int) -> bytes:
    """Return a PNG with the same pixels that is about a fifth smaller than the browser's."""
    blank = page.context.new_page()
    pixels = base64.b64decode(blank.evaluate(DECODE, base64.b64encode(image).decode()))
    blank.close()
    row = 3 * width
    assert len(pixels) == row * height
    # Filter type 0 in each row: the other filters make images of text larger.
    rows = b"".join(b"\0" + pixels[start : start + row] for start in range(0, len(pixels), row))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits per sample, RGB
    return PNG_SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def log_in(page: Page, name: str, password: str) -> None:
    """Log in as the owner."""
    page.goto("/login/?next=/admin/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/admin/")


def authorize_path(page: Page) -> str:
    """Register an app and return the path at which it requests access."""
    metadata = {"client_name": "Claude Code", "redirect_uris": [LOOPBACK_URI], "token_endpoint_auth_method": "none"}
    response = page.request.post("/oauth/register", data=metadata)
    assert response.ok, response.text()
    request = {
        "response_type": "code",
        "client_id": response.json()["client_id"],
        "redirect_uri": LOOPBACK_URI,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }
    return f"/oauth/authorize?{urlencode(request)}"


def choose_tags(page: Page) -> None:
    """Limit the app of a consent page to two tags."""
    page.get_by_label("Only those with at least one of these tags").check()
    for tag in ("pets", "work"):
        page.get_by_role("checkbox", name=tag, exact=True).check()
    page.evaluate("document.activeElement.blur()")


def check_connection(page: Page) -> None:
    """Run the connection check and unfold the steps that passed."""
    page.get_by_role("button", name="Check the connection").click()
    page.get_by_label("Results").locator("summary").click()
    page.evaluate("document.activeElement.blur()")


if __name__ == "__main__":
    main()
