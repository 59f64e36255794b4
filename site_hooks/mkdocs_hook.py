"""Tell MkDocs of the lesson: its Markdown extension, its runtime, and names that carry their content's hash."""

import hashlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_ROOT))  # MkDocs loads a hook as a lone file; its packages are found from the project's root

from jinja2 import Environment, FileSystemBytecodeCache  # noqa: E402
from mkdocs.config.defaults import MkDocsConfig  # noqa: E402
from mkdocs.exceptions import PluginError  # noqa: E402
from mkdocs.plugins import event_priority  # noqa: E402
from mkdocs.structure.files import File, Files  # noqa: E402
from mkdocs.structure.pages import Page  # noqa: E402

from lessoncore.exports import wheel_name  # noqa: E402
from lessoncore.units import show  # noqa: E402
from lessoncore.widgets.export import WHEEL_ADDRESS, WHEEL_SIZE  # noqa: E402
from site_hooks.glossary import definitions  # noqa: E402
from site_hooks.lesson_markdown import LessonExtension  # noqa: E402
from site_hooks.mistakes import LessonMistakes  # noqa: E402
from site_hooks.search import entries, introduced, weight, with_anchors, without_widgets  # noqa: E402

_GLOSSARY = _ROOT / "docs" / "glossary.md"
_RUNTIME = _ROOT / "dist" / "runtime"
_WHEELS = _ROOT / "dist"
_TEMPLATES = _ROOT / "dist" / "cache" / "templates"
_SEARCH_SHIM = _ROOT / "build" / "node_modules" / "iframe-worker" / "shim" / "index.js"
_HASHED = (
    "assets/runtime.js",
    "assets/theme.js",
    "assets/film.js",
    "assets/progress.js",
    "assets/forms.js",
    "assets/editor.js",
    "assets/files.js",
    "assets/lesson.js",
    "assets/drag.js",
    "assets/dots.js",
    "assets/lesson.css",
)
_PREVIEW = os.environ.get("REFERENCE") == "false"  # without what takes long
_extension = LessonExtension(searches=not _PREVIEW)
_glossary_entries: list[dict[str, Any]] = []


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the extension, the runtime's manifest, and the hashed names of our scripts and styles."""
    manifest = _RUNTIME / "manifest.json"
    if not manifest.exists():
        raise PluginError("The Python runtime isn't built yet. Run `make site`, which builds it first.")
    config.extra["runtime"] = json.loads(manifest.read_text())
    config.markdown_extensions.append(_extension)  # type: ignore[arg-type]  # instances are fine for Markdown
    docs = Path(config.docs_dir)
    for name in ("runtime", "theme"):  # which main.html puts where they have to be
        config.extra[f"{name}_script"] = _hashed(docs, f"assets/{name}.js")
    config.extra_css = [_hashed(docs, str(name)) for name in config.extra_css]
    config.extra_javascript = [_hashed(docs, str(name)) for name in config.extra_javascript]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the runtime's files, and give our own scripts their hashed names, so that no cache mixes two builds."""
    for name in _HASHED:
        file = files.get_file_from_path(name)
        if file is None:
            raise PluginError(f"docs/{name} is missing.")
        file.dest_uri = file.url = _hashed(Path(config.docs_dir), name)
    for path in sorted(_RUNTIME.rglob("*")):
        if path.is_file() and path.name != "manifest.json":
            to = f"assets/runtime/{path.relative_to(_RUNTIME).as_posix()}"
            files.append(File.generated(config, to, abs_src_path=str(path)))
    wheel = _WHEELS / wheel_name()
    if not wheel.is_file():
        raise PluginError(f"dist/{wheel.name} is missing. Remove dist/cache and run `make site`, which builds it.")
    files.append(File.generated(config, f"assets/{wheel.name}", abs_src_path=str(wheel)))
    # What lets the theme's search run from disk; named in mkdocs.yml.
    files.append(File.generated(config, "assets/iframe-worker/shim.js", abs_src_path=str(_SEARCH_SHIM)))
    return files


def on_env(env: Environment, **_: Any) -> Environment:
    """Keep the theme's templates compiled: that takes a tenth of a build."""
    _TEMPLATES.mkdir(parents=True, exist_ok=True)
    env.bytecode_cache = FileSystemBytecodeCache(str(_TEMPLATES))
    return env


def _hashed(docs: Path, name: str) -> str:
    if name not in _HASHED:
        return name
    stem, _, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256((docs / name).read_bytes()).hexdigest()[:10]}.{suffix}"


def on_page_content(html: str, page: Page, files: Files, **_: Any) -> str:
    """Say where the wheel is that a page offers, and say what the search finds of it."""
    page.meta["search"] = {"boost": weight(page.file.src_uri)}
    if page.meta.get("step"):
        page.meta["tags"] = introduced(html, _extension.glossary)
    if page.file.src_uri == _GLOSSARY.name:
        _glossary_entries[:] = entries(html, page.url)
        html = with_anchors(html)
    return without_widgets(_with_wheel(html, page, files))


@event_priority(50)  # before the index is written
def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    """Add the glossary's words to the search index."""
    index = getattr(config.plugins["material/search"], "search_index", None)
    if index is not None:
        index.entries += _glossary_entries


def _with_wheel(html: str, page: Page, files: Files) -> str:
    """Fill in the wheel's address and size where a page offers it."""
    if WHEEL_ADDRESS not in html:
        return html
    wheel = files.get_file_from_path(f"assets/{wheel_name()}")
    assert wheel is not None
    size = (_WHEELS / wheel_name()).stat().st_size
    return html.replace(WHEEL_ADDRESS, wheel.url_relative_to(page.file)).replace(WHEEL_SIZE, str(show(size, "B")))


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Tell the extension which file it reads, and stop the build with all mistakes of a page."""
    source = page.file.content_string
    _extension.file = f"docs/{page.file.src_uri}"
    _extension.first_line = source.count("\n", 0, max(0, source.rfind(markdown))) + 1  # front matter is cut off
    _extension.glossary = {}
    if page.meta.get("step"):
        page.meta["hide"] = ["toc"]
        _extension.glossary = definitions(_GLOSSARY.read_text(encoding="utf-8"))
    if _PREVIEW:
        markdown = re.sub(r"^::: (\S+)$", r"*`\1`: `make site` fills this in.*", markdown, flags=re.MULTILINE)
    try:
        _extension.check(markdown)
    except LessonMistakes as mistakes:
        raise PluginError(str(mistakes)) from None
    return markdown
