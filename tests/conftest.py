"""How the workers of a whole run share the tests out."""

import re

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    return BrowserByBrowser(config, log) if config.getvalue("dist") == "loadscope" else None


class BrowserByBrowser(LoadScopeScheduling):
    """The tests of a file that use one browser run together, on one worker and in the file's order: what they share,
    such as a page on which Python runs, is made once. A test that drives no browser goes to whoever is free.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = str(nodeid).partition("::")
        browser = re.search(r"\[(chromium|firefox)\b", test)
        return f"{file} {browser[1] if browser else ''}" if file.startswith("tests/browser/") else nodeid
