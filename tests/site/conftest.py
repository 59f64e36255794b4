"""The built site: the one in site/ if it is made from the sources as they are, one in a folder of its own if not."""

import pytest
from built import Site

from make_site import is_built, site_url
from paths import SITE
from sites import build_for


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    url = site_url()
    if is_built(url):
        return Site(SITE, url)
    folder = tmp_path_factory.mktemp("built") / "site"
    build_for(url, folder)
    return Site(folder, url)
