"""Kept connections to an embedding endpoint, directly or through the proxy that the environment names.

urllib3 takes half of the processor time of httpx for a request, and a question waits for one.
"""

from __future__ import annotations

from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

import httpx
import urllib3
from urllib3.util import Url, make_headers, parse_url

MAX_KEPT_CONNECTIONS = 32
"""Number of connections that are kept. More requests at once open further ones, which are closed afterwards."""


def open_pool(url: Url) -> urllib3.PoolManager:
    """Return the connections to the host of `url`, with the certificates that the environment names.

    Honours HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR. Raises ValueError, OSError or
    urllib3's HTTPError if one of them is not valid.
    """
    context = httpx.create_ssl_context()
    proxy = _proxy_of(url)
    if proxy is None:
        return urllib3.PoolManager(maxsize=MAX_KEPT_CONNECTIONS, ssl_context=context)
    headers = make_headers(proxy_basic_auth=unquote(proxy.auth)) if proxy.auth else None
    return urllib3.ProxyManager(
        proxy.url, maxsize=MAX_KEPT_CONNECTIONS, proxy_headers=headers, ssl_context=context, proxy_ssl_context=context
    )


def _proxy_of(url: Url) -> Url | None:
    proxies = getproxies()
    address = proxies.get(url.scheme or "") or proxies.get("all")
    if not address or proxy_bypass(url.netloc or ""):
        return None
    return parse_url(address if "://" in address else f"http://{address}")
