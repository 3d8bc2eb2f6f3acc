"""Passwords in commands: "sshpass -p …", "curl -u user:…", "ldapsearch -w …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets.configured_values import BLANK, VALUE, is_password, is_word_password

_LOGINS = rf"(?:docker|podman|registry|skopeo|oras|acr){BLANK}login"
_MYSQL = r"(?:mysql\w{0,10}|mariadb[\w-]{0,10})"
_LDAP = r"ldap(?:search|add|modify|delete|compare|passwd|whoami|modrdn)"
_USER_OPTION = rf"(?:-u|--user){BLANK}?[\"']?(?P<user>[\w.@-]{{1,64}}):"

_BETWEEN = rf"[^\n|;]{{0,80}}?{BLANK}"
_OPTION = lazy_pattern(
    rf"(?<![\w-])(?:(?:sshpass|{_LOGINS}){_BETWEEN}-p{BLANK}?|{_MYSQL}{_BETWEEN}-p"
    rf"|(?:curl|wget){_BETWEEN}{_USER_OPTION})[\"']?{VALUE}"
)

_ARGUMENT = r"(?:\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^-\s\"'][^\s|;]{0,80})"
_ARGUMENTS = rf"(?:{BLANK}-[^\s|;]{{1,60}}(?:{BLANK}{_ARGUMENT})?){{0,6}}?{BLANK}"
_PROGRAMS = r"(?:ssh|scp|sftp|rsync|sudo|autossh|mosh|ansible(?:-playbook)?|git)(?![\w-])"
_COMMAND_END = r"(?:$|[\n|;&<>)`])"
_AFTER = (
    rf"(?=[\"']?(?:{BLANK}?{_COMMAND_END}|{BLANK}(?:[-\"'($]|https?:|[\w-]{{1,40}}=|{_PROGRAMS}"
    rf"|[\w.:/-]{{1,80}}{BLANK}?{_COMMAND_END})))"
)
_OPTION_OF_COMMAND = lazy_pattern(
    rf"(?<![\w-])(?:(?:sshpass|{_LOGINS}){_ARGUMENTS}-p{BLANK}?|{_MYSQL}{_ARGUMENTS}-p|{_LDAP}{_ARGUMENTS}-w{BLANK}?"
    rf"|(?:curl|wget)(?:{BLANK}https?://\S{{1,200}})?{_ARGUMENTS}{_USER_OPTION})[\"']?{VALUE}{_AFTER}"
)
"""An option after nothing but options, and with the end of a command after its value.

In such a command, the value is a password even if it is a usual word.
"""


def passwords_in_commands(text: str) -> Iterator[re.Match[str]]:
    """Yield the passwords that options of commands give away, each as the group `value`."""
    if " -" not in text:
        return
    for found in _OPTION.finditer(text):
        if is_password(found["value"]):
            yield found
    for found in _OPTION_OF_COMMAND.finditer(text):
        if is_password(found["value"]) or is_word_password(found["user"] or "", found["value"]):
            yield found
