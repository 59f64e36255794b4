#!/bin/sh
# Print the path of a Python 3.13, or say in one line what is missing.
# A name on PATH is not enough: version managers put shims there that fail when run, so each candidate is asked.
set -u
venv_python=.venv/bin/python

is_313() {
    [ "$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = 3.13 ]
}

use_if_313() {
    if is_313 "$1"; then
        printf '%s\n' "$1"
        exit 0
    fi
}

if [ -n "${PYTHON:-}" ]; then
    use_if_313 "$PYTHON"
    echo "PYTHON=$PYTHON is not a Python 3.13 ($("$PYTHON" --version 2>&1 | head -n 1)); Pyodide in the browser is 3.13 and the build has to match it." >&2
    exit 1
fi

use_if_313 "$venv_python"
for name in python3.13 python3 python; do
    use_if_313 "$name"
done
if pyenv_root=$(pyenv root 2>/dev/null) || pyenv_root=${PYENV_ROOT:-$HOME/.pyenv}; then
    for path in "$pyenv_root"/versions/3.13*/bin/python3.13; do
        use_if_313 "$path"
    done
fi
if uv_python=$(uv python find --no-project 3.13 2>/dev/null); then
    use_if_313 "$uv_python"
fi

echo "No Python 3.13 found (looked for python3.13, python3 and python on PATH, then in pyenv and uv): install it, or name one with 'make PYTHON=/path/to/python3.13 ...'." >&2
exit 1
