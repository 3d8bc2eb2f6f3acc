"""CONTRIBUTING.md: its links, and its walkthroughs, which are followed in a copy of the repository."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.project import test_architecture
from tests.project.walkthroughs import (
    Walkthrough,
    WalkthroughError,
    copy_repository,
    read_walkthroughs,
    run,
    run_command,
)

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
WALKTHROUGHS = read_walkthroughs(PAGE.read_text(encoding="utf-8"))

each_walkthrough = pytest.mark.parametrize(
    "walkthrough", WALKTHROUGHS, ids=[walkthrough.title for walkthrough in WALKTHROUGHS]
)

EXAMPLE = """
## Four walkthroughs

### Add a line

New file `second.txt`:

```text
two
```

```diff
--- a/first.txt
+++ b/first.txt
@@ -1 +1,2 @@
 one
+one and a half
```
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository."""
    folder = tmp_path / "copy"
    copy_repository(ROOT, folder)
    return folder


@pytest.fixture
def architecture(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the tests of the imports read the copy."""
    monkeypatch.setattr(test_architecture, "ROOT", copy)


def test_there_are_walkthroughs_for_the_four_usual_changes() -> None:
    titles = [walkthrough.title for walkthrough in WALKTHROUGHS]
    assert titles == ["Add a tool", "Add a ranking signal", "Add a grant rule", "Add an admin page"]


@each_walkthrough
def test_a_walkthrough_changes_code_adds_a_test_and_ends_with_running_it(walkthrough: Walkthrough) -> None:
    assert any(not change.is_test for change in walkthrough.changes)
    assert walkthrough.new_tests
    assert walkthrough.commands[-1].startswith(".venv/bin/python -m pytest tests/")


def test_the_walkthroughs_work(copy: Path, architecture: None) -> None:
    """They are followed one after the other in one copy, whose code is then checked once."""
    for walkthrough in WALKTHROUGHS:
        walkthrough.apply(copy)
        *preparations, test_command = walkthrough.commands
        for command in preparations:
            outcome = run_command(command, copy)
            assert outcome.returncode == 0, f"{walkthrough.title}: {command}\n{outcome.stdout}"
        outcome = run_command(test_command, copy, "-rp")
        assert outcome.returncode == 0, f"{walkthrough.title}: {test_command}\n{outcome.stdout}"
        passed = set(re.findall(r"^PASSED (\S+)", outcome.stdout, re.MULTILINE))
        assert passed >= set(walkthrough.new_tests), f"{walkthrough.title}: the command does not run the new tests."
    for check in (["check"], ["format", "--check"]):
        outcome = run([sys.executable, "-m", "ruff", *check, "."], copy)
        assert outcome.returncode == 0, outcome.stdout
    for app in test_architecture.ALLOWED:
        test_architecture.test_packages_import_only_what_is_below_them(app)
        test_architecture.test_each_package_imports_only_those_below_it(app)
        test_architecture.test_no_import_hides_in_a_function(app)
    test_architecture.test_mcpapi_uses_few_modules_of_the_authorization_server()


def test_without_the_rest_of_a_walkthrough_its_new_tests_fail(copy: Path) -> None:
    for walkthrough in WALKTHROUGHS:
        walkthrough.apply(copy, [change for change in walkthrough.changes if change.is_test])
    tests = {test: walkthrough.title for walkthrough in WALKTHROUGHS for test in walkthrough.new_tests}
    outcome = run([sys.executable, "-m", "pytest", "-rf", *tests], copy)
    failed = set(re.findall(r"^FAILED (\S+)", outcome.stdout, re.MULTILINE))
    for test, title in tests.items():
        assert test in failed, f"{title}: {test} passes without the change.\n{outcome.stdout}"


def test_a_change_that_cannot_be_applied_is_reported_with_the_title_of_its_walkthrough(tmp_path: Path) -> None:
    (walkthrough,) = read_walkthroughs(EXAMPLE)
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    with pytest.raises(WalkthroughError, match=r"Add a line: first\.txt does not exist any more"):
        walkthrough.apply(tmp_path)
    second.unlink()
    first.write_text("another line\n", encoding="utf-8")
    with pytest.raises(WalkthroughError, match=r"Add a line: the diff of first\.txt does not apply"):
        walkthrough.apply(tmp_path)
    with pytest.raises(WalkthroughError, match=r"Add a line: second\.txt exists already"):
        walkthrough.apply(tmp_path)
    second.unlink()
    first.write_text("one\n", encoding="utf-8")
    walkthrough.apply(tmp_path)
    assert first.read_text(encoding="utf-8") == "one\none and a half\n"
    assert second.read_text(encoding="utf-8") == "two\n"


def test_a_block_that_would_be_ignored_is_an_error() -> None:
    with pytest.raises(WalkthroughError, match="Add a line: a block is no new file"):
        read_walkthroughs(EXAMPLE.replace("New file", "The file"))


def test_the_links_lead_to_files_and_readers_are_led_to_the_page() -> None:
    linked = re.findall(r"\]\(([^)#]+)", PAGE.read_text(encoding="utf-8"))
    assert [target for target in linked if not (ROOT / target).exists()] == []
    for name, target in (("README.md", "CONTRIBUTING.md"), ("docs/architecture.md", "../CONTRIBUTING.md")):
        assert f"]({target})" in (ROOT / name).read_text(encoding="utf-8"), name
