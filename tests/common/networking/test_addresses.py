"""Tests of the addresses that this server may be pointed to by others, and of their grouping into networks."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from common.networking.addresses import can_be_server, is_public, network_of, parse_address


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "172.32.0.1", "100.63.255.255", "2606:4700::6812:2"])
def test_the_public_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1"),
        *("172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255"),
        *("198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1"),
        *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "::127.0.0.1", "::8.8.8.8"),
        *("64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:808:808::1", "2001::1", "2001:2::1"),
        *("2001:db8::1", "3fff::1", "5f00::1", "4000::1"),
    ],
)
def test_what_leads_inside_or_nowhere_is_not(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "10.0.0.1", "127.0.0.1", "100.64.0.1", "::1", "fd00::1", "64:ff9b::808:808", "::ffff:10.0.0.1"],
)
def test_a_server_can_be_inside(address: str) -> None:
    assert can_be_server(ip_address(address))


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1%eth0", "224.0.0.1", "ff02::1", "0.0.0.0", "::"]
)
def test_no_server_is_where_a_cloud_keeps_the_secrets_of_a_machine(address: str) -> None:
    assert not can_be_server(ip_address(address))


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("::1", "::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::"),
        ("", None),
        ("nowhere", None),
    ],
)
def test_the_addresses_of_an_ipv6_site_are_one(address: str, network: str | None) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    "text", ["127.0.0.1", " 127.0.0.1 ", "127.0.0.1:80", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80", "127.0.0.1%lo"]
)
def test_an_address_is_the_same_however_it_is_written(text: str) -> None:
    assert str(parse_address(text)) == "127.0.0.1"
