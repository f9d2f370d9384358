#!/usr/bin/env python3
"""Reports of many traces in a browser, one after the other: what the page of each must be (test_report_browser.py), and what fell at the end.

    tests/picture/sweep.py TRACE...          QUIPU_BUILD and QUIPU_SOURCE as for tests
    tests/picture/sweep.py --samples         the traces of tests/data, and those of ../shared/traces where they are
"""
import os
import pathlib
import sys
import time

os.environ.setdefault("QUIPU_BUILD", "build")
os.environ.setdefault("QUIPU_SOURCE", ".")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_report_browser import ReportBrowser, quipu  # noqa: E402

SUFFIXES = (".otf", ".meta", ".otf2", ".picl", ".trf", ".ctrace", ".prv", ".obs")


def samples():
    """What a user would name: a file of a trace's own suffix, or the folder of one that has no such file."""
    source = pathlib.Path(os.environ["QUIPU_SOURCE"])
    for folder in (source / "tests/data", source / "../shared/traces"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES and not any(parent.name == "trace" for parent in path.parents):
                yield str(path)
        yield from (str(path) for path in sorted(folder.rglob("ovni/*/trace")) if path.is_dir())


def main():
    traces = sys.argv[1:] if sys.argv[1:] != ["--samples"] else list(samples())
    test = ReportBrowser("test_report_in_a_browser")
    test.setUp()
    browser, fallen, reports, begin = test.browser(), [], 0, time.monotonic()
    for trace in traces:
        if quipu("info", trace, "--quiet").returncode == 4:
            print(f"no trace: {trace}", flush=True)
            continue
        try:
            test.check_page(browser, trace)
            reports += 1
        except AssertionError as error:
            fallen.append((trace, str(error)))
            print(f"fell: {trace}: {' '.join(str(error).split())[:400]}", flush=True)
    test.doCleanups()
    print(f"{reports} reports are right, {len(fallen)} are not, in {time.monotonic() - begin:.0f} s")
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
