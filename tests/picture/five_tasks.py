#!/usr/bin/env python3
"""Five tasks of someone who has only the page of a report: which rank is slow, which function, whom it waits for, which iteration, what to fix. Each
is answered by clicks of a mouse in a browser and by reading what is then in sight; the clicks are counted. The trace has the answers built in: rank 2 is
slow in "solve", its messages come late to rank 3, and iteration 7 takes twice as long as others.

    tests/picture/five_tasks.py [FOLDER]     FOLDER: screenshots in light, dark, 400 pixels wide and as printed
"""
import base64
import os
import pathlib
import re
import sys
import time

os.environ.setdefault("QUIPU_BUILD", "build")
os.environ.setdefault("QUIPU_SOURCE", ".")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_report_browser import ReportBrowser, programs, quipu  # noqa: E402

RANKS, ROUNDS, SLOW, LATE_ITERATION = 6, 12, 2, 7
programs.REGIONS = (*programs.REGIONS, "solve", "setup")

IN_SIGHT = """
const texts = [];
for (const element of document.querySelectorAll('main p, main td, main th, main strong, main li, svg.figure text, #tip')) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.bottom > 0 && box.top < innerHeight && !element.closest('[hidden]')) texts.push(element.textContent.trim());
}
return texts;
"""


def write_trace(path):
    """Each rank computes, sends to the next one, receives from the one before, and all meet."""
    program, now = [[] for _ in range(RANKS)], [0] * RANKS
    for rank in range(RANKS):
        program[rank] += [programs.enter(0, "main"), programs.enter(0, "setup"), programs.leave(50_000, "setup")]
        now[rank] = 50_000
    for step in range(ROUNDS):
        sent = [0] * RANKS
        for rank in range(RANKS):
            length = 100_000 * (2 if rank == SLOW else 1) * (2 if step == LATE_ITERATION else 1) + 500 * rank
            program[rank] += [programs.enter(now[rank], "solve"), programs.leave(now[rank] + length, "solve")]
            now[rank] += length
            program[rank] += programs.send(now[rank] + 100, now[rank] + 1_100, (rank + 1) % RANKS, length=4096)
            now[rank] += 1_100
            sent[rank] = now[rank]
        for rank in range(RANKS):
            end = max(now[rank], sent[rank - 1]) + 1_000
            program[rank] += programs.receive(now[rank] + 10, end, (rank - 1) % RANKS, length=4096)
            now[rank] = end
        end = max(now) + 2_000
        for rank in range(RANKS):
            program[rank] += programs.collective("MPI_Barrier", now[rank] + 10, end, step + 1)
            now[rank] = end
    for rank in range(RANKS):
        program[rank].append(programs.leave(now[rank] + 1, "main"))
    return programs.write(path, program)


class Reader:
    """Someone with a mouse: what is not in sight is not read."""

    def __init__(self, browser, address):
        self.browser, self.address, self.clicks = browser, address, 0

    def begin(self):
        self.browser.get("about:blank")
        self.browser.get(self.address)
        self.clicks = 0

    def click(self, selector):
        element = self.browser.find_element("css selector", selector)
        element.click()
        self.clicks += 1

    def reads(self, pattern):
        end = time.monotonic() + 3  # pages scroll smoothly
        while time.monotonic() < end:
            if any(re.search(pattern, text) for text in self.browser.execute_script(IN_SIGHT)):
                return True
            time.sleep(0.2)
        return False


# What is asked, what is clicked one after the other until the answer is in sight, and what that says.
TASKS = (
    ("which rank is slow", ('nav a[href="#page-waits"]', 'nav a[href="#page-balance"]'), rf"\brank {SLOW}\b"),
    ("which function is slow", (), r"\bsolve\b"),
    ("whom does it wait for", ('nav a[href="#page-waits"]',), rf"^rank {SLOW}$|wait.* rank {SLOW}\b"),
    ("which iteration is slow", ('nav a[href="#page-phases"]',), rf"^{LATE_ITERATION}$"),
    ("what is to be fixed", (), rf"rank {SLOW}\b.*\bsolve|solve.* rank {SLOW}\b"),
)


def screenshots(browser, address, folder):
    shots = {"light": (1300, 900, "light"), "dark": (1300, 900, "dark"), "narrow": (400, 800, "light")}
    for name, (width, height, theme) in shots.items():
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        browser.get(address)
        browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        browser.execute_script("document.querySelectorAll('details').forEach(details => { details.open = true; })")
        time.sleep(1)
        length, part = browser.execute_script("return document.documentElement.scrollHeight"), 1800
        for number, y in enumerate(range(0, length, part)):
            clip = {"x": 0, "y": y, "width": width, "height": min(part, length - y), "scale": 1}
            shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
            (folder / f"{name}-{number}.png").write_bytes(base64.b64decode(shot["data"]))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    (folder / "print.pdf").write_bytes(base64.b64decode(printed["data"]))


def main():
    test = ReportBrowser("test_report_in_a_browser")
    test.setUp()
    trace, page = write_trace(test.path("five.otf")), test.path("five.html")
    done = quipu("report", trace, "-o", page, "--quiet")
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    browser, code = test.browser(), 0
    reader = Reader(browser, f"file://{page}")
    for task, path, answer in TASKS:
        reader.begin()
        found = reader.reads(answer)
        for selector in path:
            if not found:
                reader.click(selector)
                found = reader.reads(answer)
        code |= not found
        print(f"{task}: {reader.clicks} clicks" if found else f"{task}: NOT FOUND", flush=True)
    if len(sys.argv) > 1:
        screenshots(browser, reader.address, pathlib.Path(sys.argv[1]))
    test.doCleanups()
    return code


if __name__ == "__main__":
    sys.exit(main())
