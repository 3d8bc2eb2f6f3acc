"""Pure functions over IP addresses: parsing, public and private addresses, and rate-limit keys."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
"""Hosts in URLs that mean the client's own computer. The IPv6 address is without brackets."""

# RFC 6890 and its successors in IANA's registry of special-purpose addresses, with multicast and 6to4 relays. They are
# written out because what `ipaddress` calls global differs between patch releases of Python.
SPECIAL_IPV4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
]
# The global unicast addresses that IANA assigns. Not in it: loopback, link-local, unique local and multicast addresses,
# and those that embed an IPv4 address: mapped (::ffff:0:0/96), compatible (::/96), translated (64:ff9b::/32).
PUBLIC_IPV6 = IPv6Network("2000::/3")
# Protocol assignments (including Teredo), documentation, 6to4, documentation.
SPECIAL_IPV6 = [IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]

# A site, such as a household, usually has all addresses with the same first 64 bits.
IPV6_SITE_BITS = 64


def parse_address(text: str) -> Address | None:
    """Parse an address that may have a port, brackets or a zone, or be an IPv4 address mapped into IPv6.

    Return None if it is not an address. The zone, which has a meaning only on one machine, is removed.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    # Dual-stack sockets report IPv4 clients as mapped addresses.
    return getattr(address, "ipv4_mapped", None) or address


def is_public(address: Address) -> bool:
    """Return whether `address` is on the public internet and does not lead back inside (by 6to4, for example)."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in SPECIAL_IPV4)
    return address in PUBLIC_IPV6 and not any(address in network for network in SPECIAL_IPV6)


def can_be_server(address: Address) -> bool:
    """Return whether `address` can be a server's, public or private.

    Excludes link-local addresses, where clouds serve the secrets of a machine, and multicast and unspecified ones.
    """
    address = getattr(address, "ipv4_mapped", None) or address
    return not (address.is_link_local or address.is_multicast or address.is_unspecified)


def network_of(address: str) -> str | None:
    """Return the rate-limit key of `address`: the IPv4 address or the IPv6 /64 network. None for an invalid address."""
    parsed = parse_address(address)
    if parsed is None:
        return None
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    return str(IPv6Network((int(parsed), IPV6_SITE_BITS), strict=False).network_address)
