"""The connector for the web, with a real server."""

from __future__ import annotations

import gzip
import json
import socket
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from common.networking.outbound import NetworkPolicy
from documents.connectors.base import Connector, ConnectorContext, SourceError, SourceItem, SourceLimits
from documents.connectors.parts import web_client, web_run
from documents.connectors.parts.gzip_limits import decompressed
from documents.connectors.registry import open_connector
from tests.documents.connectors.runs import connector, refusal, run
from tests.support.web_site import WebSite, web_site

SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@pytest.fixture
def site() -> Iterator[WebSite]:
    with web_site() as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path


def web(cache: Path, *urls: str, limits: SourceLimits | None = None, **settings: Any) -> Connector[Any]:
    return connector("web", cache, limits, urls=list(urls), **{"pause_seconds": 0, "allow_private": True, **settings})


def sitemap(*urls: str, modified: str = "") -> str:
    stated = f"<lastmod>{modified}</lastmod>" if modified else ""
    return f"<urlset {SITEMAP}>" + "".join(f"<url><loc>{url}</loc>{stated}</url>" for url in urls) + "</urlset>"


def sitemap_index(*urls: str) -> str:
    return (
        f"<sitemapindex {SITEMAP}>"
        + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
        + "</sitemapindex>"
    )


def rss(*entries: str, head: str = "") -> str:
    return (
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{head}{"".join(entries)}</channel></rss>'
    )


def entry(url: str) -> str:
    return f"<item><title>T</title><link>{url}</link><guid>{url}</guid></item>"


def test_a_page_is_listed_and_read_with_one_request(site: WebSite, cache: Path) -> None:
    url = site.page("/a/report", b"%PDF", content_type="application/pdf", last_modified="Wed, 21 Oct 2015 07:28:00 GMT")
    opened = web(cache, f"{url}#part")
    opened.check()
    site.requests.clear()

    result = run(opened)

    assert site.paths() == ["/a/report"]
    assert result.contents == {url: b"%PDF"}
    item = result.items[url]
    assert (item.name, item.content_type, item.size_bytes) == ("report", "application/pdf", 4)
    assert item.modified_at
    assert item.modified_at.year == 2015


def test_the_charset_is_left_to_the_reader_of_the_content(site: WebSite, cache: Path) -> None:
    url = site.page("/a", "grün".encode("latin-1"), content_type="text/plain; charset=iso-8859-1")

    result = run(web(cache, url))

    assert (result.contents[url], result.items[url].content_type) == (b"gr\xfcn", "text/plain; charset=iso-8859-1")


@pytest.mark.parametrize("header", [{"etag": '"v1"'}, {"last_modified": "Wed, 21 Oct 2015 07:28:00 GMT"}])
def test_an_unchanged_page_is_not_sent_again(site: WebSite, cache: Path, header: dict[str, Any]) -> None:
    url = site.page("/a", "one", **header)
    first = run(web(cache, url))

    second = run(web(cache, url), first.known)

    assert second.known == first.known
    assert second.contents == {}
    asked = site.requests[-1][1]
    assert ("if-none-match" in asked, "if-modified-since" in asked) == ("etag" in header, "last_modified" in header)


def test_a_page_without_validators_is_compared_by_content(site: WebSite, cache: Path) -> None:
    url = site.page("/a", "one")
    first = run(web(cache, url))
    assert run(web(cache, url), first.known).contents == {}

    site.page("/a", "two")
    assert run(web(cache, url), first.known).contents == {url: b"two"}


def test_a_page_that_changed_has_another_fingerprint(site: WebSite, cache: Path) -> None:
    url = site.page("/a", "one", etag='"v1"')
    first = run(web(cache, url))
    site.page("/a", "two", etag='"v2"')

    assert run(web(cache, url), first.known).contents == {url: b"two"}


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_is_skipped_for_good(site: WebSite, cache: Path, status: int) -> None:
    urls = [site.page("/a", "one"), site.page("/b", "two")]
    first = run(web(cache, *urls))
    site.page("/b", status=status)

    second = run(web(cache, *urls), first.known)

    assert (set(second.items), second.skipped[urls[1]].is_temporary) == ({urls[0]}, False)


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_a_page_that_fails_is_skipped_for_now(site: WebSite, cache: Path, status: int) -> None:
    urls = [site.page("/a", "one"), site.page("/b", status=status)]

    assert run(web(cache, *urls)).skipped[urls[1]].is_temporary


def test_a_page_can_be_read_after_the_listing(site: WebSite, cache: Path) -> None:
    urls = [site.page("/a", "one"), site.page("/b", "two")]
    opened = web(cache, *urls)
    items = [item for item in opened.listing({}) if isinstance(item, SourceItem)]

    assert [opened.read(item) for item in items] == [b"one", b"two"]
    site.page("/a", status=500)
    with pytest.raises(SourceError, match="500"):
        opened.read(items[0])


def test_if_every_page_fails_the_listing_fails(site: WebSite, cache: Path) -> None:
    urls = [site.page(f"/{number}", status=500) for number in range(3)]

    assert refusal(web(cache, *urls)).reason == "unreachable"


def test_a_server_that_goes_down_is_not_asked_for_every_page(site: WebSite, cache: Path) -> None:
    pages = [site.page("/0", "fine"), *(site.page(f"/{number}", status=503) for number in range(1, 40))]
    url = site.page("/sitemap.xml", sitemap(*pages))

    assert refusal(web(cache, url)).reason == "unreachable"
    assert len(site.paths()) == 2 + web_run.MAX_FAILURES_IN_A_ROW


# Sitemaps


def test_the_pages_of_a_sitemap_are_listed(site: WebSite, cache: Path) -> None:
    pages = [site.page("/a", "one"), site.page("/docs/b", "two")]
    url = site.page("/sitemap.xml", sitemap(*pages), content_type="text/plain")

    assert run(web(cache, url)).contents == {pages[0]: b"one", pages[1]: b"two"}
    assert set(run(web(cache, url, include=["/docs/"])).items) == {pages[1]}
    assert set(run(web(cache, url, exclude=["/docs/"])).items) == {pages[0]}


def test_an_index_leads_to_its_sitemaps_compressed_or_not_and_loops_end(site: WebSite, cache: Path) -> None:
    page_a, page_b = site.page("/a", "one"), site.page("/b", "two")
    inner = [
        site.page("/a.xml", sitemap(page_a)),
        site.page("/b.xml.gz", gzip.compress(sitemap(page_b).encode()), content_type="application/gzip"),
    ]
    url = site.url("/index.xml")
    site.page("/index.xml", sitemap_index(*inner, url, inner[0]))

    assert set(run(web(cache, url)).items) == {page_a, page_b}
    assert sorted(site.paths()) == ["/a", "/a.xml", "/b", "/b.xml.gz", "/index.xml"]


def test_an_index_without_an_end_is_left(site: WebSite, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.connectors.web.MAX_SITEMAPS", 5)
    for number in range(10):
        site.page(f"/{number}.xml", sitemap_index(site.url(f"/{number + 1}.xml")))

    assert refusal(web(cache, site.url("/0.xml"))).reason == "too_many_items"


def test_a_page_with_an_old_unchanged_time_in_the_sitemap_is_not_requested(site: WebSite, cache: Path) -> None:
    page = site.page("/a", "one")
    url = site.page("/sitemap.xml", sitemap(page, modified="2020-01-01"))
    first = run(web(cache, url))
    site.paths()

    second = run(web(cache, url), first.known)
    assert (second.known, site.paths()) == (first.known, ["/sitemap.xml"])

    site.page("/a", "two")
    site.page("/sitemap.xml", sitemap(page, modified="2020-01-02"))
    assert run(web(cache, url), first.known).contents == {page: b"two"}


def test_a_page_with_todays_date_in_the_sitemap_is_requested_again(site: WebSite, cache: Path) -> None:
    page = site.page("/a", "one")
    url = site.page("/sitemap.xml", sitemap(page, modified=time.strftime("%Y-%m-%d")))
    first = run(web(cache, url))
    site.page("/a", "two")

    assert run(web(cache, url), first.known).contents == {page: b"two"}


def test_a_page_that_a_sitemap_does_not_list_any_more_is_not_listed(site: WebSite, cache: Path) -> None:
    pages = [site.page("/a", "one"), site.page("/b", "two")]
    url = site.page("/sitemap.xml", sitemap(*pages))
    first = run(web(cache, url))
    site.page("/sitemap.xml", sitemap(pages[0]))

    second = run(web(cache, url), first.known)

    assert (set(second.items), second.skipped) == ({pages[0]}, {})


def test_a_sitemap_only_speaks_for_its_own_site(site: WebSite, cache: Path) -> None:
    own, other = site.page("/own", "one"), site.page("/other", "two").replace("127.0.0.1", "localhost")

    result = run(web(cache, site.page("/sitemap.xml", sitemap(own, other))))

    assert (set(result.items), set(result.skipped)) == ({own}, {other})
    assert "/other" not in site.paths()


@pytest.mark.parametrize(
    ("content", "status"), [("", 404), ("", 500), ("<html>Under maintenance</html>", 200), (sitemap(), 200)]
)
def test_a_sitemap_that_is_gone_is_an_error_and_not_an_empty_listing(
    site: WebSite, cache: Path, content: str, status: int
) -> None:
    url = site.page("/sitemap.xml", sitemap(site.page("/a", "one")))
    known = run(web(cache, url)).known
    site.page("/sitemap.xml", content, status)

    assert refusal(web(cache, url), known)


def test_a_sitemap_with_half_an_answer_is_an_error(site: WebSite, cache: Path) -> None:
    half = sitemap(*(site.page(f"/{number}", "x") for number in range(3)))[:-80]

    assert refusal(web(cache, site.page("/sitemap.xml", half))).reason == "invalid"


# Feeds


def test_the_pages_of_a_feed_are_listed(site: WebSite, cache: Path) -> None:
    page = site.page("/a", "one")
    atom = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><link href="/a"/></entry></feed>'
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "F", "items": [{"id": "1", "url": page}]}
    rdf = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
        f"<item><title>T</title><link>{page}</link></item></rdf:RDF>"
    )
    for content in (rss(entry(page)), atom, json.dumps(feed), json.dumps(feed).replace("/", "\\/"), rdf):
        url = site.page("/feed", content, content_type="text/plain")
        assert run(web(cache, url)).contents == {page: b"one"}, content


def test_an_entry_that_a_feed_does_not_list_any_more_stays(site: WebSite, cache: Path) -> None:
    old, new = site.page("/old", "one"), site.page("/new", "two")
    url = site.page("/feed", rss(entry(old)))
    first = run(web(cache, url))
    site.page("/feed", rss(entry(new)))
    site.paths()

    second = run(web(cache, url), first.known)

    assert second.items[old].fingerprint == first.items[old].fingerprint
    assert second.contents == {new: b"two"}
    assert site.paths() == ["/feed", "/new"], "the old page is not requested"
    other = site.page("/other", "x")
    assert set(run(web(cache, other), second.known).items) == {other}, "without the feed, its entries leave"


@pytest.mark.parametrize("status", [404, 500])
def test_a_feed_that_is_gone_is_an_error(site: WebSite, cache: Path, status: int) -> None:
    url = site.page("/feed", rss(entry(site.page("/a", "one"))))
    known = run(web(cache, url)).known
    site.page("/feed", status=status)

    assert refusal(web(cache, url), known)


def test_an_entry_without_a_page_is_its_own_content(site: WebSite, cache: Path) -> None:
    item = (
        "<item><title>Tea/time</title><guid isPermaLink='false'>7</guid><description>&lt;p&gt;hot</description></item>"
    )
    url = site.page("/feed", rss(item))
    first = run(web(cache, url))

    assert first.contents == {f"{url}#7": b"<p>hot"}
    assert first.items[f"{url}#7"].name == "Tea_time.html"
    assert first.items[f"{url}#7"].content_type == "text/html; charset=utf-8"
    assert run(web(cache, url), first.known).contents == {}
    assert web(cache, url).read(first.items[f"{url}#7"]) == b"<p>hot"
    site.page("/feed", rss())
    with pytest.raises(SourceError, match="no longer contains"):
        web(cache, url).read(first.items[f"{url}#7"])


def test_the_next_pages_of_a_feed_are_read_and_endless_ones_end(
    site: WebSite, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.connectors.web.MAX_FEED_PAGES", 5)

    def endless(request: BaseHTTPRequestHandler) -> None:
        number = int(request.path.rpartition("-")[2])
        following = f'<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="next" href="/feed-{number + 1}"/>'
        site.page(f"/page-{number}", "x")
        site.responders[f"/feed-{number + 1}"] = endless
        content = rss(entry(f"/page-{number}"), head=following).encode()
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    site.responders["/feed-0"] = endless

    assert len(run(web(cache, site.url("/feed-0"))).items) == 5


def test_a_feed_that_leads_to_itself_ends(site: WebSite, cache: Path) -> None:
    feed = {"version": "https://jsonfeed.org/version/1", "next_url": site.url("/feed"), "items": []}

    assert run(web(cache, site.page("/feed", json.dumps(feed)))).items == {}
    assert site.paths() == ["/feed"]


def test_a_feed_that_was_cut_off_or_is_malformed_says_so_beside_what_was_read(site: WebSite, cache: Path) -> None:
    page = site.page("/a", "one")
    whole = rss(entry(page))
    for content in (whole.removesuffix("</rss>"), whole.replace("<title>News", "<title>News & views")):
        url = site.page("/feed", content)
        found = run(web(cache, url))
        assert found.contents == {page: b"one"}
        assert "Entries may be missing." in found.skipped[url].why
        assert found.skipped[url].is_temporary
    assert run(web(cache, site.page("/feed", whole))).skipped == {}


@pytest.mark.parametrize("content", ['{"version": "https://jsonfeed.org/version/1", "items": 3}', "<rss"])
def test_a_broken_feed_is_skipped_or_refused(site: WebSite, cache: Path, content: str) -> None:
    assert refusal(web(cache, site.page("/feed", content))).reason == "invalid"


def test_an_error_does_not_contain_the_query_of_an_address(site: WebSite, cache: Path) -> None:
    url = site.page("/feed?key=sesame", rss(entry(site.page("/a", "one"))))
    known = run(web(cache, url)).known
    for status, content in ((404, ""), (401, ""), (500, ""), (200, "<html>")):
        site.page("/feed?key=sesame", content, status)
        assert "sesame" not in str(refusal(web(cache, url), known))


# robots.txt and pauses


def test_robots_txt_is_obeyed(site: WebSite, cache: Path) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /private/*.html$\n", content_type="text/plain")
    allowed, refused = site.page("/private/a", "one"), site.page("/private/b.html", "two")

    result = run(web(cache, site.page("/sitemap.xml", sitemap(allowed, refused))))

    assert set(result.items) == {allowed}
    assert ("robots.txt" in result.skipped[refused].why, result.skipped[refused].is_temporary) == (True, False)
    assert "/private/b.html" not in site.paths()


def test_robots_txt_also_counts_for_the_target_of_a_redirect(site: WebSite, cache: Path) -> None:
    site.page("/robots.txt", "User-agent: OwnSona\nDisallow: /secret\n")
    site.page("/secret", "no")
    urls = [site.page("/a", status=302, location="/secret"), site.page("/b", "yes")]

    assert set(run(web(cache, *urls)).skipped) == {urls[0]}
    assert "/secret" not in site.paths()


@pytest.mark.parametrize(("status", "is_allowed"), [(404, True), (403, True), (500, False), (503, False)])
def test_a_site_whose_robots_txt_fails_is_left_alone(site: WebSite, cache: Path, status: int, is_allowed: bool) -> None:
    site.page("/robots.txt", status=status)
    url = site.page("/a", "one")
    if is_allowed:
        assert run(web(cache, url)).items
        return
    assert refusal(web(cache, url)).reason == "unreachable"
    assert site.paths() == []


def test_a_crawl_delay_is_kept_up_to_a_limit(site: WebSite, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_client, "MAX_CRAWL_DELAY_SECONDS", 0.2)
    site.page("/robots.txt", "User-agent: *\nCrawl-delay: 3600\n")
    urls = [site.page(f"/{number}", "x") for number in range(4)]
    started = time.monotonic()

    run(web(cache, *urls))

    assert 0.6 <= time.monotonic() - started < 5


def test_a_pause_that_does_not_fit_into_the_time_ends_the_listing(site: WebSite, cache: Path) -> None:
    urls = [site.page("/a", "x"), site.page("/b", "x")]
    started = time.monotonic()

    error = refusal(web(cache, *urls, limits=SourceLimits(seconds=20), pause_seconds=60))

    assert (error.reason, time.monotonic() - started < 5) == ("unreachable", True)


# Hostile servers


@pytest.mark.parametrize(
    "location", ["http://127.0.0.2/a", "http://169.254.169.254/a", "http://[::1]/a", "//10.0.0.1/a", "http://inside/a"]
)
def test_a_redirect_to_a_private_address_is_not_followed(site: WebSite, cache: Path, location: str) -> None:
    urls = [site.page("/a", status=302, location=location), site.page("/b", "fine")]
    network = NetworkPolicy(
        look_up=lambda host: ["10.0.0.1"] if host == "inside" else [host],
        is_allowed=lambda address: str(address) == "127.0.0.1",
        port=None,
    )

    result = run(open_connector("web", {"urls": urls, "pause_seconds": 0}, ConnectorContext(cache, network=network)))

    assert "not a server on the public internet" in result.skipped[urls[0]].why
    assert set(result.items) == {urls[1]}


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://host/a", "http://user:pw@host/", "", "http://"])
def test_a_redirect_to_another_scheme_is_not_followed(site: WebSite, cache: Path, location: str) -> None:
    error = refusal(web(cache, site.page("/a", status=302, location=location)))

    assert "pw" not in str(error)


def test_a_redirect_is_followed_and_keeps_the_key(site: WebSite, cache: Path) -> None:
    final = site.page("/files/b.pdf", "two")
    url = site.page("/a", status=301, location="/files/b.pdf")

    result = run(web(cache, url))

    assert result.contents == {url: b"two"}
    assert (result.items[url].url, result.items[url].name) == (final, "b.pdf")


def test_a_circle_of_redirects_ends(site: WebSite, cache: Path) -> None:
    site.page("/a", status=302, location="/a")

    assert "redirects" in str(refusal(web(cache, site.url("/a"))))
    assert len(site.paths()) == 1 + web_client.MAX_REDIRECTS


def test_without_permission_no_private_server_is_asked(site: WebSite, cache: Path) -> None:
    for url in (
        site.url("/a"),
        site.url("/a").replace("127.0.0.1", "localhost"),
        "http://2130706433/",
        "http://0x7f.1/",
    ):
        error = refusal(web(cache, url, allow_private=False))
        assert "Allow servers in your own network" in str(error)
    assert site.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://host/",
        "gopher://host/",
        "host/a",
        "http://user:pw@host/",
        "http://",
        "http://ho st/",
    ],
)
def test_an_address_that_is_not_http_is_refused(cache: Path, url: str) -> None:
    with pytest.raises(SourceError, match=r"urls: must") as error:
        web(cache, url)

    assert ":pw" not in str(error.value)


@pytest.mark.parametrize("levels", [0, 11])
def test_entities_in_a_sitemap_are_refused_even_if_they_are_no_bomb(site: WebSite, cache: Path, levels: int) -> None:
    declared = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels + 1))
    document_type = f'<!DOCTYPE urlset [<!ENTITY l0 "/a">{declared}]>'
    content = f"{document_type}<urlset {SITEMAP}><url><loc>&l{levels};</loc></url></urlset>"
    site.page("/a", "one")

    assert refusal(web(cache, site.page("/sitemap.xml", content))).reason == "invalid"


def test_an_xml_bomb_in_a_feed_is_not_expanded(site: WebSite, cache: Path) -> None:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    item = "<item><guid isPermaLink='false'>1</guid><title>&l11;</title><description>&l11;</description></item>"
    bomb = rss(item).replace(
        "<rss", f'<!DOCTYPE rss [<!ENTITY l0 "lol">{levels}<!ENTITY x SYSTEM "file:///etc/passwd">]><rss'
    )
    started = time.process_time()

    result = run(web(cache, site.page("/feed", bomb)))

    assert sum(map(len, result.contents.values())) < 1000
    assert time.process_time() - started < 5


def test_a_gzip_bomb_in_a_sitemap_is_refused(site: WebSite, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.connectors.parts.sitemaps.MAX_BYTES", 100_000)
    bomb = gzip.compress(sitemap().encode() + b" " * 1_000_000)

    url = site.page("/sitemap.xml.gz", bomb)

    assert "decompressed" in run(web(cache, url)).skipped[url].why
    assert refusal(web(cache, site.page("/index.xml", sitemap_index(url)))).reason == "too_large"


def test_a_gzip_bomb_is_decompressed_only_up_to_the_limit() -> None:
    bomb = gzip.compress(bytes(50_000_000), compresslevel=1)
    tracemalloc.start()
    try:
        with pytest.raises(SourceError, match="decompressed"):
            decompressed(bomb, 100_000)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_a_compressed_response_is_decompressed_up_to_the_limit(site: WebSite, cache: Path) -> None:
    limits = SourceLimits(item_bytes=1000)
    small = site.page("/a", gzip.compress(b"x" * 1000), content_encoding="gzip")
    large = site.page("/b", gzip.compress(b"x" * 1001), content_encoding="gzip")
    damaged = site.page("/c", gzip.compress(b"x" * 900)[:-4], content_encoding="gzip")

    result = run(web(cache, small, large, damaged, limits=limits))

    assert result.contents == {small: b"x" * 1000}
    assert (result.skipped[large].is_temporary, result.skipped[damaged].is_temporary) == (False, True)


def test_a_page_that_is_too_large_is_skipped(site: WebSite, cache: Path) -> None:
    urls = [site.page("/a", "x" * 101), site.page("/b", "x" * 100)]

    result = run(web(cache, *urls, limits=SourceLimits(item_bytes=100)))

    assert (set(result.items), set(result.skipped)) == ({urls[1]}, {urls[0]})


def test_a_slow_server_is_given_up(site: WebSite, cache: Path) -> None:
    def drip(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        with suppress(OSError):
            for _ in range(200):
                request.wfile.write(b"x")
                time.sleep(0.05)

    site.responders["/slow"] = drip
    started = time.monotonic()

    result = run(web(cache, site.url("/slow"), site.page("/a", "x"), limits=SourceLimits(request_seconds=0.3)))

    assert result.skipped[site.url("/slow")].is_temporary
    assert time.monotonic() - started < 5


def test_limits_of_items_bytes_and_time_end_the_listing(site: WebSite, cache: Path) -> None:
    url = site.page("/sitemap.xml", sitemap(*(site.page(f"/{number}", "x" * 1000) for number in range(5))))

    assert refusal(web(cache, url, limits=SourceLimits(items=4))).reason == "too_many_items"
    assert refusal(web(cache, url, limits=SourceLimits(total_bytes=4000))).reason == "too_large"
    assert refusal(web(cache, url, limits=SourceLimits(seconds=0))).reason == "unreachable"


def test_addresses_in_lists_that_are_no_pages_are_skipped(site: WebSite, cache: Path) -> None:
    page = site.page("/gr%C3%BCn?a=b&c", "x")
    addresses = ["javascript:alert(1)", "file:///etc/passwd", "http://user:secretpw@host/a", "http://h/" + "x" * 3000]
    url = site.page("/sitemap.xml", sitemap(*addresses, site.url("/grün?a=b&amp;c")))

    result = run(web(cache, url))

    assert set(result.items) == {page}
    assert len(result.skipped) == len(addresses)
    assert "secretpw" not in f"{result.skipped}"


def test_a_header_that_cannot_be_sent_back_is_no_validator(site: WebSite, cache: Path) -> None:
    url = site.page("/a", "one", etag='"\xe9"', last_modified="x" * 2000)
    first = run(web(cache, url))

    assert run(web(cache, url), first.known).contents == {}


def test_fingerprints_of_another_release_are_no_obstacle(site: WebSite, cache: Path) -> None:
    url = site.page("/a", "one")

    assert run(web(cache, url), {url: "v0:abc", "x": "{}", "y": '{"sha256": 3}'}).contents == {url: b"one"}


def test_a_server_that_is_down_is_unreachable(cache: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"

    assert refusal(web(cache, url)).reason == "unreachable"
