"""Which addresses belong to the public internet, and which to one household: pure functions over IP addresses."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
"""How URLs name the computer that they are read on; an IPv6 address is without its brackets."""

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
# All that is handed out to the public. It leaves out loopback, link-local, unique local and multicast addresses, and
# those that hold an IPv4 address: mapped (::ffff:0:0/96), compatible (::/96), translated (64:ff9b::/32).
PUBLIC_IPV6 = IPv6Network("2000::/3")
# Protocol assignments with Teredo, documentation, 6to4, documentation again.
SPECIAL_IPV6 = [IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]

# One household has all addresses with the same first bits.
IPV6_SITE_BITS = 64


def parse_address(text: str) -> Address | None:
    """An address as servers write it: also with a port, in brackets, with a zone, or as IPv4 mapped into IPv6.

    None for what is no address. The zone, which means something on one machine only, is left out.
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
    # How a socket that listens for both kinds shows its IPv4 callers.
    return getattr(address, "ipv4_mapped", None) or address


def is_public(address: Address) -> bool:
    """Whether `address` leads to the public internet, and not back inside by whatever way."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in SPECIAL_IPV4)
    return address in PUBLIC_IPV6 and not any(address in network for network in SPECIAL_IPV6)


def can_be_server(address: Address) -> bool:
    """Whether `address` can be a server's, in this network or elsewhere: not where clouds keep a machine's secrets."""
    address = getattr(address, "ipv4_mapped", None) or address
    return not (address.is_link_local or address.is_multicast or address.is_unspecified)


def network_of(address: str) -> str | None:
    """Whom `address` belongs to: itself, or the IPv6 site that it is in. None for what is no address."""
    parsed = parse_address(address)
    if parsed is None:
        return None
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    return str(IPv6Network((int(parsed), IPV6_SITE_BITS), strict=False).network_address)
