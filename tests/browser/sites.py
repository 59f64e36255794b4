"""The site as it is tested: built for its address, and copies in which something is broken on purpose."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from lean import lean_pyodide
from make_site import is_built, site_url
from memory import make_memory
from offline_packs import script
from paths import ROOT, SITE
from runtime import WARM_UP, build_runtime, whole_library
from turns import only_one

# Asked for these prompts, this Python raises or never answers: a fault of ours, as the page would meet it.
RAISES, NEVER_ENDS = "666", "777"
_BROKEN = f"""
from lessoncore.respond import respond as answer

def respond(request):
    if '"prompt":"{RAISES}"' in request:
        raise RuntimeError("broken on purpose")
    while '"prompt":"{NEVER_ENDS}"' in request:
        pass
    return answer(request)
"""


def copy_of_the_site(to: Path) -> str:
    """Put the site as it is published into a folder, built anew only if site/ isn't up to date; gives its address."""
    url = site_url()
    if is_built(url):
        shutil.copytree(SITE, to, copy_function=_link)  # tests add and rename files; they never write into one
    else:
        build_for(url, to)
    return url


def move_to(url: str, site: Path, built_for: str) -> None:
    """Let a site know its address: the theme goes on without loading a page anew only to those that the map names."""
    sitemap = site / "sitemap.xml"
    text = sitemap.read_text()
    sitemap.unlink()  # it may be a hard link to the site's own
    sitemap.write_text(text.replace(built_for, url))


def _link(file: str, to: str) -> None:
    try:
        os.link(file, to)
    except OSError:  # on another disk
        shutil.copy(file, to)


def build_for(url: str, folder: Path) -> None:
    """Build the site for an address into a folder."""
    build_runtime()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "SITE_URL": url, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def copy_with_broken_python(site: Path, to: Path) -> Path:
    """Copy the site, with a lessoncore that fails on demand, over http and from disk."""
    shutil.copytree(site, to, copy_function=_link)
    program = f"{WARM_UP.read_text()}\nexec({_BROKEN!r}, vars(lessoncore))\n"
    with only_one("runtime"):  # each of the tests' workers makes such a copy
        broken = make_memory(lean_pyodide(), whole_library(), program)
    [memory] = to.glob("assets/runtime/memory-*.bin")
    [pack] = to.glob("assets/runtime/packs/memory-*.js")
    for file, content in ((memory, broken.compressed), (pack, script("memory", broken.compressed))):
        file.unlink()  # it may be a hard link to the good one
        file.write_bytes(content)
    return to
