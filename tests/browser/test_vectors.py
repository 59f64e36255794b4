"""The published cases, computed by the browser's own Python from the very files that the site serves."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from server import SiteServer

VECTORS = Path(__file__).parents[2] / "docs" / "assets" / "vectors.json"
_PROGRAM = (Path(__file__).parents[1] / "vectors.py").read_text()
_RUN = """([base, manifest, program]) => new Promise((resolve, reject) => {
  const source = `
    importScripts("${base}${manifest.worker}");  // which would answer a page's questions
    onmessage = async ({ data: [base, manifest, program] }) => {
      const python = await startPython({ base, manifest });
      postMessage(python.runPython(program));
    }`;
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  worker.onmessage = ({ data }) => data.type === "alive" || resolve(data);
  worker.onerror = (event) => reject(new Error(event.message));
  worker.postMessage([base, manifest, program]);
})"""


def test_the_published_cases_in_the_browsers_python(browser: Browser, good_site: SiteServer) -> None:
    cases: list[dict[str, Any]] = json.loads(VECTORS.read_text())["vectors"]
    page = browser.new_page()
    page.goto(f"{good_site.url}404.html")
    manifest = json.loads(str(page.locator("#lc-runtime").text_content()))
    program = f"{_PROGRAM}\nimport json\njson.dumps([number(vector) for vector in json.loads({json.dumps(cases)!r})])"
    results = json.loads(page.evaluate(_RUN, [f"{good_site.url}assets/runtime/", manifest, program]))
    assert len(results) == len(cases)
    for case, computed in zip(cases, results, strict=True):
        assert computed == pytest.approx(case["result"], rel=case["tolerance"]), case["id"]
    page.close()
