"""Build the whole site, strictly, into site/. The old site stays until the new one is complete.

`python build/make_site.py` builds it for the address in mkdocs.yml, or in SITE_URL if that is set.
"""

import io
import logging
import os
import shutil
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from py_compile import PyCompileError

# Material prints a long notice about MkDocs 2 at every start; we pin 1.6.1 and know
os.environ.setdefault("NO_MKDOCS_2_WARNING", "true")

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.config_options import Hooks
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, MkDocsException

from lesson_wheel import MagicMismatch
from paths import BUILD, CACHE, DIST, LOCK, PACKAGE, ROOT, SITE
from runtime import build_runtime
from stamps import digest, digest_of_files
from turns import only_one

CONFIG = ROOT / "mkdocs.yml"
CODE = (PACKAGE, ROOT / "site_hooks")
EDITED = (ROOT / "docs", *CODE)
INPUTS = (*EDITED, CONFIG, ROOT / "pyproject.toml", LOCK, BUILD)
STAMP = CACHE / "site.made-from"
STAGING = DIST / "site.new"


class BuildFailed(Exception):
    """What is wrong with the site's sources, as its author should read it."""


def site_url() -> str:
    """The address to build for: SITE_URL, or what mkdocs.yml says."""
    if not os.environ.get("SITE_URL"):
        os.environ.pop("SITE_URL", None)  # set but empty, it would hide the address in mkdocs.yml
    return str(load_config(str(CONFIG)).site_url)


def is_preview() -> bool:
    """Whether what takes long is left out: it is another site than the one to publish."""
    return os.environ.get("REFERENCE") == "false"


def stamp(url: str) -> str:
    return digest(url.encode(), str(is_preview()).encode(), digest_of_files(INPUTS).encode())


def is_built(url: str) -> bool:
    return STAMP.is_file() and (SITE / "index.html").is_file() and STAMP.read_text() == stamp(url)


def build_site(url: str, while_replacing: AbstractContextManager[object] | None = None) -> None:
    """Build site/ for this address from the sources as they are now, or raise BuildFailed and leave it alone."""
    os.environ["SITE_URL"] = url
    forget_edited_code()
    with only_one("site"), readable_errors() as messages:
        made_from = stamp(url)
        build_runtime(preview=is_preview())
        shutil.rmtree(STAGING, ignore_errors=True)
        run_mkdocs(load_config(str(CONFIG), site_dir=str(STAGING), strict=True))
        with while_replacing or nullcontext():
            replace_site()
        STAMP.write_text(made_from)
    sys.stdout.write(messages.getvalue())


def run_mkdocs(config: MkDocsConfig) -> None:
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()


_imported = ""


def forget_edited_code() -> None:
    """If lessoncore or site_hooks have changed, make the next import read them anew.

    `make serve` builds many times in one process. After a change of a page alone, what they have calculated stays.
    """
    global _imported
    if (now := digest_of_files(CODE)) == _imported:
        return
    _imported = now
    folders = tuple(f"{folder}{os.sep}" for folder in CODE)
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(folders):
            del sys.modules[name]
    Hooks._load_hook.cache_clear()  # MkDocs keeps a hook for the life of the process, and with it what it imported
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


@contextmanager
def readable_errors() -> Iterator[io.StringIO]:
    """Gather what MkDocs logs; whatever stops the build becomes one BuildFailed with all of it."""
    messages = io.StringIO()
    handler = logging.StreamHandler(messages)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    handler.setLevel(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield messages
    except (Abort, MkDocsException, MagicMismatch, PyCompileError) as error:
        raise BuildFailed(f"{messages.getvalue()}{error}") from error
    except Exception as error:  # a bug in the hooks or in lessoncore: its author wants the traceback
        raise BuildFailed(f"{messages.getvalue()}{traceback.format_exc()}") from error
    finally:
        logger.removeHandler(handler)


def replace_site() -> None:
    old = DIST / "site.old"
    shutil.rmtree(old, ignore_errors=True)
    if SITE.exists():
        SITE.rename(old)
    STAGING.rename(SITE)
    shutil.rmtree(old, ignore_errors=True)


def main() -> None:
    start = time.perf_counter()
    url = site_url()
    if is_built(url):
        print("site/: nothing has changed since it was built")
        return
    print(f"site/: building for {url} …", flush=True)
    try:
        build_site(url)
    except BuildFailed as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("\ninterrupted: site/ is as it was")
    pages = sum(1 for _ in SITE.rglob("*.html"))
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    seconds = time.perf_counter() - start
    print(
        f"site/: {pages} pages, {size / 1e6:.1f} MB, built in {seconds:.1f} s (open site/index.html or publish site/)"
    )


if __name__ == "__main__":
    main()
