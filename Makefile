# A thin front to CMake: see CMakePresets.json for the builds and CONTRIBUTING.md for the rest.
#
#   make            build everything into build/            make demo    show what quipu does
#   make test       run the tests                           make bench   measure
#   make install    PREFIX=/usr/local DESTDIR=              make asan    the tests under sanitizers
#   make install-compat  the drop-in libraries and commands too, which may shadow the originals
#   make format     lay out the C sources                   make faults  the commands while calls of the system fail
#   make wheel      the Python package: build/quipu_trace-*.whl; make sdist: its sources, from which pip builds it
#   make wheels     those that run on other machines, for glibc 2.28 and for musl: build/wheels/
#   make clean      remove all builds                       make fuzz    MINUTES=8 JOBS=1: all fuzz targets for so long
#   make site       the documents as pages for a browser    make dist-binary  a tarball that runs on other machines
#   make release-check  all that must hold for a release
#   make coverage   lines of formats and trace that tests run

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
PRESET = release
TARGETS = all
PACKAGES =
MINUTES ?= 8

.PHONY: all deps build demo test bench install install-compat wheel wheels sdist asan faults coverage fuzz format check-format clean site dist-binary release-check

all: build

deps:
	@tools/install-deps $(PACKAGES)

# What is used and installed; the tests and what they need are targets of their own.
build: deps
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS) --target $(TARGETS)

demo: PACKAGES = --demo
demo: build
	@examples/demo.sh

test: TARGETS = all build-tests
test: PACKAGES = --test
test: build
	@cat $(if $(filter release,$(PRESET)),build,build-$(PRESET))/skipped-tests
	@ctest --preset $(PRESET) -j $(JOBS) $(if $(WITHOUT),--exclude-regex '$(WITHOUT)')

bench: PRESET = bench
bench: build
	@cmake --build --preset bench --target run-bench

install: build
	@cmake --install build --strip --prefix "$(PREFIX)"

install-compat: install
	@cmake --install build --strip --prefix "$(PREFIX)" --component compat

wheel: TARGETS = quipu_python
wheel: PACKAGES = --python
wheel: build
	@python3 python/wheel.py build/python/quipu build

wheels:
	@tools/python-wheels

sdist:
	@python3 -B python/wheel.py --sdist build

asan: PRESET = asan-ubsan
asan: test

faults: TARGETS = all build-tests
faults: build
	@python3 -B tests/faults/faults.py --jobs $(JOBS)

coverage:
	@[ ! -d build-coverage ] || find build-coverage -name '*.gcda' -delete
	@$(MAKE) --no-print-directory build PRESET=coverage TARGETS='all build-tests' PACKAGES=--test
	-@ctest --preset coverage -j $(JOBS) --quiet # what looks at symbols and sizes fails: coverage adds some
	@tools/coverage build-coverage

fuzz: JOBS = 1
fuzz:
	@tools/install-deps --fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --target fuzzers
	@fuzz/run build-fuzz $(MINUTES) $(JOBS)

site: PACKAGES = --site
site: build
	@tools/site

dist-binary:
	@tools/dist-binary

release-check:
	@.ci/run release

format:
	@tools/format

check-format:
	@tools/format --check

clean:
	rm -rf build build-*
