"""Reports in a browser: chromium without a network, by selenium. tidy says whether the page is HTML."""
import glob
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

from reports import SOURCE, quipu, sample_traces

sys.path.insert(0, os.path.join(SOURCE, "tests/cli"))
import programs  # noqa: E402
from folder import FolderTest  # noqa: E402

# Debian's package of selenium is for Debian's Python, whichever one runs this.
for packages in glob.glob("/usr/lib/python3/dist-packages"):
    sys.path.append(packages)

ITERATIONS = os.path.join(SOURCE, "tests/data/analysis/iterations/iterations.otf")
CHARISMA = os.path.join(SOURCE, "tests/data/sweep/charisma/ring.ctrace")

# In the page: text that is too pale for what is behind it, with the contrast that WCAG asks for.
CONTRAST = """
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
    const [r, g, b] = parts(colour).map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (parts(colour).length < 4 || parts(colour)[3] > 0) return colour;
    }
    return "rgb(255, 255, 255)";
};
const pale = [];
for (const element of document.querySelectorAll("h1,h2,h3,p,a,td,th,li,code,summary,button,strong,svg.figure text:not(.on-dark):not(.on-light)")) {
    if (!element.textContent.trim() || element.closest("[hidden],.skip") || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const pair = [light(element instanceof SVGElement ? style.fill : style.color), light(behind(element))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) pale.push(`${ratio.toFixed(2)} ${element.tagName} ${element.textContent.slice(0, 30)}`);
}
return pale;
"""

# Figures without a width or a mark, and texts beyond their edges.
DRAWN = """
const bad = [];
for (const svg of document.querySelectorAll("figure svg")) {
    const box = svg.getBoundingClientRect(), name = svg.closest("figure").id;
    if (box.width < 300 || !svg.querySelector("rect, path")) bad.push(`${name} is not drawn`);
    for (const text of svg.querySelectorAll("text")) {
        const at = text.getBoundingClientRect();
        if (at.right > box.right + 2 || at.left < box.left - 2) bad.push(`${name}: ${text.textContent}`);
    }
}
return bad;
"""


class ReportBrowser(FolderTest):
    def browser(self, *options):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        settings = webdriver.ChromeOptions()
        settings.binary_location = shutil.which("chromium")
        for option in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,900", f"--user-data-dir={self.path('profile')}",
                       "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking", *options):
            settings.add_argument(option)
        settings.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        browser = webdriver.Chrome(options=settings, service=Service(shutil.which("chromedriver")))
        self.addCleanup(browser.quit)
        return browser

    def hostile(self):
        events = [programs.enter(0, "work"), programs.leave(10, "work"), *programs.send(10, 12, 1)]
        trace = programs.write(self.path("hostile.otf"), [events, [*programs.receive(2, 20, 0)]])
        with open(self.path("hostile.0.def"), encoding="utf-8") as file:
            text = file.read()
        text = text.replace('"work"', '"<script>document.title = 1</script>"').replace('"rank 1"', f'"{"<img src=x onerror=throw(1)>" * 300}"')
        with open(self.path("hostile.0.def"), "w", encoding="utf-8") as file:
            file.write(text)
        return trace

    def traces(self):
        """One of each format, those whose answers have everything, and one with hostile names."""
        chosen = {}
        for trace in sample_traces():
            chosen.setdefault(os.path.splitext(trace)[1], trace)
        more = [os.path.join(SOURCE, "tests/data/analysis", name, f"{name}.otf") for name in ("stencil-2d-4x4", "irregular-8", "io-wait")]
        return [*chosen.values(), ITERATIONS, *more, self.hostile()]

    def check_page(self, browser, trace, *more):
        path = self.path("report.html")
        done = quipu("report", trace, *more, "-o", path, "--force", "--quiet")
        if done.returncode == 4:
            return  # not built in
        self.assertIn(done.returncode, (0, 3), done.stderr)
        tidied = subprocess.run(["tidy", "-q", "-e", path], capture_output=True, check=False, text=True)
        self.assertEqual("", tidied.stderr)
        browser.get(f"file://{path}")
        self.assertNotEqual("1", browser.title)
        self.assertEqual([], browser.execute_script(DRAWN))
        for theme in ("light", "dark"):
            browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
            self.assertEqual([], browser.execute_script(CONTRAST), theme)
        self.assertEqual([], [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")])
        requests = re.findall(r'"Network.requestWillBeSent".*?"url\\?":\\?"([^"\\]*)', str([entry["message"] for entry in browser.get_log("performance")]))
        self.assertEqual([], [url for url in requests if not url.startswith(("file://" + path, "data:", "about:", "chrome"))])

    def check_comfort(self, browser):
        """What JavaScript adds: figures to save, tables in another order, what is under the pointer."""
        from selenium.webdriver.common.by import By
        browser.get(f"file://{self.path('report.html')}")
        figure = browser.find_element(By.ID, "regions")
        self.assertTrue(figure.find_element(By.CSS_SELECTOR, "button.svg").is_displayed())
        browser.execute_script('document.querySelector("#regions details").open = true')
        heading = figure.find_element(By.CSS_SELECTOR, "th.number button")
        numbers = []
        for _ in range(2):
            browser.execute_script("arguments[0].click()", heading)
            numbers.append([float(cell.get_attribute("data-value")) for cell in figure.find_elements(By.CSS_SELECTOR, "tbody td:nth-child(2)")])
        self.assertEqual(sorted(numbers[0], reverse=True), numbers[0])
        self.assertEqual(numbers[0][::-1], numbers[1])
        text = browser.execute_script(
            'const mark = document.querySelector("#regions rect[data-key]"), box = mark.getBoundingClientRect();'
            'mark.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: box.x + 1, clientY: box.y + 1}));'
            'return document.getElementById("tip").textContent;')
        self.assertRegex(text, r"\w+: [\d.,]+ (ns|µs|ms|s)$")
        saved = browser.execute_async_script(
            'const done = arguments[0]; document.documentElement.dataset.theme = "dark"; '
            'URL.createObjectURL = blob => { blob.text().then(done); return "data:,"; }; document.querySelector("#regions button.svg").click();')
        self.assertNotIn("--", saved)
        self.assertIn(".useful-1 { fill: #5a9bd5; }", saved)

    def check_timeline(self, browser):
        """Drawn, in both themes; a part of it closer, where single calls are; the wheel is the page's where all rows are shown."""
        browser.get(f"file://{self.path('report.html')}")
        say = "const timeline = document.querySelector('.timeline').timeline; "
        copy = (say + "const {width, height} = timeline.canvas, copy = new OffscreenCanvas(width, height).getContext('2d', {willReadFrequently: true});"
                "copy.drawImage(timeline.canvas, 0, 0);")
        colours = copy + "return new Set(new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer)).size;"

        def wait(condition):
            end = time.monotonic() + 30
            while not browser.execute_script(say + "return !!(" + condition + ")"):
                self.assertLess(time.monotonic(), end, condition)
                time.sleep(0.05)
        wait("timeline && timeline.about && timeline.root.dataset.drawn")
        self.assertEqual([], browser.find_elements("css selector", "noscript"))
        self.assertGreater(browser.execute_script(colours), 3)
        paper = copy + "return copy.getImageData(width - 2, height - 2, 1, 1).data.join()"
        corners = set()
        for theme in ("light", "dark"):
            browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
            browser.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
            corners.add(browser.execute_script(paper))
            self.assertGreater(browser.execute_script(colours), 3)
        self.assertEqual(2, len(corners))
        whole = browser.execute_script(say + "return timeline.to - timeline.from")
        browser.find_element("css selector", ".timeline-plot canvas").send_keys("+++")
        wait(f"timeline.to - timeline.from < {whole / 2} && timeline.root.dataset.drawn === `${{Math.round(timeline.from)}}-${{Math.round(timeline.to)}}`")
        self.assertGreater(browser.execute_script(colours), 3)
        number = browser.execute_script(say + "return timeline.source.data.windows.findIndex(window => window.title === 'an iteration')")
        self.assertGreaterEqual(number, 0)
        browser.execute_script(say + "timeline.places.value = arguments[0]; timeline.showPlace()", number)
        wait("+timeline.root.dataset.calls > 0")
        self.assertFalse(browser.execute_script(
            say + "const event = new WheelEvent('wheel', {deltaY: 50, cancelable: true}); timeline.canvas.dispatchEvent(event); return event.defaultPrevented"))
        self.assertEqual([], [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")])

    # needs: browser
    def test_report_in_a_browser(self):
        browser = self.browser()
        for trace in self.traces():
            with self.subTest(trace=trace):
                self.check_page(browser, trace)
        with self.subTest("several traces"):
            self.check_page(browser, ITERATIONS, os.path.join(SOURCE, "tests/data/analysis/delay-chain/delay-chain.otf"))
        with self.subTest("comfort"):
            self.check_page(browser, ITERATIONS)
            self.check_comfort(browser)
        with self.subTest("timeline"):
            self.check_timeline(browser)


if __name__ == "__main__":
    unittest.main()
