"""The locks pin every package by hash and name no registry, so that any mirror serves and none can change a file."""

import json
import re

from paths import BUILD, LOCK, ROOT


def test_every_python_package_is_pinned_and_hashed() -> None:
    entries = re.split(r"\n(?=\S)", re.sub(r"(?m)^ *#.*\n?", "", LOCK.read_text()).strip())
    assert len(entries) > 20
    for entry in entries:
        assert re.match(r"[\w.-]+==[\w.+-]+( ;.*?)? \\\n", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_the_python_lock_fits_what_is_asked_for() -> None:
    asked = re.findall(r"(?m)^([\w-]+)(?:\[\w+\])?==(\S+)", (ROOT / "requirements.in").read_text())
    locked = dict(re.findall(r"(?m)^([\w.-]+)==(\S+)", LOCK.read_text()))
    assert {name.lower(): version for name, version in asked}.items() <= locked.items()


def test_every_npm_package_is_pinned_and_hashed() -> None:
    packages = json.loads((BUILD / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        assert name == "" or package["integrity"].startswith("sha512-"), name
    assert all(re.fullmatch(r"[\d.]+", version) for version in packages[""]["dependencies"].values())


def test_no_lock_has_an_address() -> None:
    for path in (LOCK, ROOT / "requirements.in", BUILD / "package-lock.json", BUILD / ".npmrc"):
        assert not re.search(r"https?:|--(extra-)?index-url|--find-links|\"resolved\"", path.read_text()), path
