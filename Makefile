# Needs a Python 3.13 and make; everything else comes from the two lock files at the first run.
PY = .venv/bin/python

.PHONY: help serve site test check accuracy evidence bench lock stdlib-list env clean

help:
	@echo "make serve      the lesson in your browser, rebuilt at every save (PORT=8000)"
	@echo "make site       the whole site into site/, ready to publish or to open from disk"
	@echo "make check      lint, types and the fast tests, in under 30 s"
	@echo "make test       everything: check, the site, and the lesson in Chromium and Firefox"
	@echo "make accuracy   the model against published measurements"
	@echo "make evidence   the same, written down for the accuracy page: after a change of a constant, a GPU or the queue"
	@echo "make bench      how long a reader waits, beside the least a page with Python can be (takes minutes)"
	@echo "make lock       new lock files from requirements.in and build/package.json"
	@echo "make clean      remove what was built (and with it .venv)"
	@echo "PYTHON=path     names the Python 3.13 to use; SITE_URL=address, the address to build for"

env:
	@python="$$(sh build/find_python.sh)" && "$$python" build/environment.py

serve: env
	@exec $(PY) build/serve.py

site: env
	@$(PY) build/make_site.py

check: env
	@$(PY) build/check.py

test: env
	@$(PY) build/check.py --whole

accuracy: env
	@$(PY) tests/validation/accuracy.py

evidence: env
	@$(PY) tests/validation/accuracy.py --keep

bench: env
	@$(PY) tests/benchmark/measure.py

lock: env
	@$(PY) build/make_lock.py

stdlib-list: env
	@$(PY) -c "import sys; sys.path.insert(0, 'build'); import environment, subprocess; subprocess.run([*environment.node_command(), 'build/list_stdlib.mjs'], check=True)"

clean:
	rm -rf .venv build/node_modules dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis test-results
