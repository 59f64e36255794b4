"""Write the lock files anew: requirements.txt from requirements.in, package-lock.json from build/package.json.

Hashes of every platform's wheels, from the registry alone (what this machine has on disk might differ), and no
addresses, so that a mirror serves as well.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from environment import npm_command
from paths import BUILD, LOCK, ROOT

UV = "uv==0.13.9"  # made the lock that is checked in; it isn't needed for anything else, so not installed in .venv


def lock_python() -> None:
    own_settings = re.compile("^(PIP|UV)_(FIND_LINKS|CONFIG_FILE|EXTRA_INDEX_URL|CONSTRAINT)$")
    plain = {name: value for name, value in os.environ.items() if not own_settings.match(name)}
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, UV]
        subprocess.run(pip, check=True)
        subprocess.run(
            [
                *(
                    str(Path(folder) / "bin" / "uv"),
                    "pip",
                    "compile",
                    "requirements.in",
                    "--output-file",
                    LOCK.name,
                ),
                *("--universal", "--python-version", "3.13", "--generate-hashes", "--only-binary", ":all:"),
                *("--no-header", "--no-config", "--no-emit-index-url", "--quiet"),
            ],
            cwd=ROOT,
            env=plain,
            check=True,
        )


def lock_npm() -> None:
    subprocess.run([*npm_command(), "install", "--package-lock-only", "--loglevel=error"], cwd=BUILD, check=True)
    lock = BUILD / "package-lock.json"
    contents = json.loads(lock.read_text())
    for package in contents["packages"].values():
        package.pop("funding", None)  # an address, and of no use to an installation
    lock.write_text(json.dumps(contents, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    lock_python()
    lock_npm()
    print("requirements.txt and build/package-lock.json are written; `make env` installs them")
