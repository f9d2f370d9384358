"""quipu view in a real browser: from the whole to one event, search, the statistics of a selection, keys, links, names that are no code; nothing is
fetched from elsewhere, and the console stays empty."""
import glob
import json
import re
import sys
import time
import unittest

from viewing import View, programs, run, write_trace
from folder import FolderTest

# Debian's package of selenium is for Debian's Python, whichever one runs this.
sys.path.extend(glob.glob("/usr/lib/python3/dist-packages"))

TIMELINE = "const timeline = document.querySelector('.timeline').timeline; "
HOSTILE = "<img src=x onerror=alert(1)>\u202e\u200bevil"


class Browser(FolderTest):
    def start(self):
        from selenium import webdriver  # pylint: disable=import-outside-toplevel
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,900"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        return webdriver.Chrome(options=options)

    def wait(self, browser, script, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = browser.execute_script(TIMELINE + "return " + script)
            if value:
                return value
            time.sleep(0.05)
        state = browser.execute_script(TIMELINE + "return timeline && [timeline.from, timeline.to, timeline.top, timeline.height, timeline.rows.flat.length, "
                                       "timeline.source.busy, timeline.hits.length]")
        self.fail(f"{script} has not come true: {state}, {browser.get_log('browser')}")

    def open(self, browser, view, address=None):
        browser.get(address or view.address)
        self.wait(browser, "timeline && timeline.about && timeline.rows.flat.length > 0 && !timeline.source.busy")

    def check_quiet(self, browser, view):
        browser.get("about:blank")
        self.assertEqual([entry for entry in browser.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")], [])
        fetched = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        servers = {re.sub(r"^(\w+://[^/?]*).*", r"\1", message["params"]["request"]["url"]) for message in fetched if message["method"] == "Network.requestWillBeSent"}
        self.assertLessEqual(servers, {f"http://127.0.0.1:{view.port}", "data:,"})

    def press(self, browser, *keys):
        canvas = browser.find_element("css selector", ".timeline-plot canvas")
        for key in keys:
            canvas.send_keys(key)

    # needs: browser
    def test_browser(self):
        """Each part has a browser of its own: logs come late, and would be found by the next part."""
        for part in (self.zoom_to_one_event, self.select_and_search, self.links, self.layers, self.hostile_names, self.many_rows):
            with self.subTest(part.__name__), self.start() as browser:
                part(browser)

    def zoom_to_one_event(self, browser):
        trace = write_trace(self.path("t.otf"))
        with View(trace) as view:
            self.open(browser, view)
            self.assertNotIn("token", browser.current_url)
            self.assertEqual(browser.execute_script(TIMELINE + "return timeline.rows.flat.map(row => row.name)"), [f"rank {i}" for i in range(5)])
            whole = browser.execute_script(TIMELINE + "return timeline.to - timeline.from")
            self.press(browser, *"+" * 9)
            self.wait(browser, "timeline.calls && !timeline.source.busy && timeline.hits.length > 0")
            self.assertLess(browser.execute_script(TIMELINE + "return timeline.to - timeline.from"), whole / 100)
            # The bar in the middle of some row is the call that the trace has there.
            hit = browser.execute_script(TIMELINE + "const hit = timeline.hits.find(hit => hit.count === 1); "
                                         "return {...hit, name: timeline.store.name(hit.region).name}")
            origin = int(browser.execute_script(TIMELINE + "return timeline.about.begin"))
            calls = [line.split(",") for line in run("table", "calls", trace).splitlines()[1:]]
            self.assertIn((origin + hit["from"], hit["to"] - hit["from"], str(hit["location"]), hit["name"]),
                          [(int(call[0]), int(call[1]), call[3], call[4]) for call in calls])
            browser.execute_script(TIMELINE + "const hit = timeline.hits.find(hit => hit.count === 1); timeline.choose(hit.x + hit.width / 2, hit.y + hit.height / 2)")
            self.assertIn(hit["name"], browser.find_element("css selector", ".timeline-side").text)
            self.check_quiet(browser, view)

    def select_and_search(self, browser):
        trace = write_trace(self.path("t.otf"))
        with View(trace) as view:
            self.open(browser, view)
            browser.execute_script(TIMELINE + "timeline.select(1000, 3000)")
            self.wait(browser, "timeline.side.querySelector('tbody tr')")
            origin = int(browser.execute_script(TIMELINE + "return timeline.about.begin"))
            command = browser.find_element("css selector", ".timeline-side code").text
            self.assertEqual(command, f"quipu profile --by region --since {origin + 1000}ns --until {origin + 3000}ns")
            want = json.loads(run(*command.split()[1:], trace, "--json"))
            names = [column["name"] for column in want["columns"]]
            region, self_time = names.index("region"), names.index("exclusive_ns")
            got = [[cell.get_attribute("title") for cell in row.find_elements("tag name", "td")] for row in browser.find_elements("css selector", ".timeline-side tbody tr")]
            self.assertEqual([(row[0], row[3]) for row in got], [(row[region] or "", str(row[self_time])) for row in want["rows"]])
            browser.find_element("css selector", ".timeline input[type=search]").send_keys("barrier")
            self.wait(browser, "timeline.found.querySelector('button')")
            browser.find_element("css selector", ".timeline-found button").click()
            first = min(int(line.split(",")[0]) for line in run("table", "calls", trace).splitlines()[1:] if ",MPI_Barrier," in line) - origin
            self.wait(browser, f"timeline.from <= {first} && timeline.to >= {first} && timeline.to - timeline.from < 300")
            self.check_quiet(browser, view)

    def links(self, browser):
        trace = write_trace(self.path("t.otf"))
        with View(trace, trace) as view:
            self.open(browser, view)
            browser.execute_script(TIMELINE + "timeline.show(2000, 2600); timeline.toggleLayer('messages')")
            self.wait(browser, "location.hash.includes('from=2000')")
            link = browser.current_url
            self.assertNotIn("token", link)
            browser.get("about:blank")
            self.open(browser, view, link.replace("#", "#trace=1&"))
            self.assertEqual(browser.execute_script(TIMELINE + "return [timeline.trace, timeline.from, timeline.to, timeline.layers.messages]"), [1, 2000, 2600, False])
            self.check_quiet(browser, view)

    def layers(self, browser):
        with View(write_trace(self.path("t.otf"))) as view:
            self.open(browser, view)
            self.press(browser, *"tp")
            self.wait(browser, "timeline.waits && timeline.path && timeline.messages && !timeline.source.busy")
            self.assertGreater(browser.execute_script(TIMELINE + "return timeline.waits.stretches.length"), 10)
            where = browser.find_element("css selector", ".timeline input[aria-label^=expression]")
            where.send_keys("regoin == 3\n")
            self.wait(browser, "timeline.honest.textContent.includes('regoin')")
            self.assertIn("bad", where.get_attribute("class"))
            where.clear()
            where.send_keys("region ~ 'MPI'\n")
            calls = "timeline.hits.filter(hit => hit.count === 1 && !hit.isWait && !hit.isPath)"
            self.wait(browser, f"timeline.store.where === \"region ~ 'MPI'\" && !timeline.source.busy && {calls}.length && "
                               f"{calls}.every(hit => timeline.store.name(hit.region).name.startsWith('MPI'))")

    def many_rows(self, browser):
        """More than an answer has: those that come into sight are asked for."""
        count = 1500
        trace = programs.write(self.path("many.otf"), [[programs.enter(rank, "work"), programs.leave(count + rank, "work")] for rank in range(count)])
        with View(trace) as view:
            self.open(browser, view)
            self.assertEqual(browser.execute_script(TIMELINE + "return timeline.rows.flat.length"), count)
            browser.execute_script(TIMELINE + "timeline.scroll(1e9)")
            last = ".timeline-rows div:last-child span"
            self.wait(browser, f"timeline.root.querySelector('{last}')?.textContent === 'rank {count - 1}' && !timeline.source.busy && timeline.hits.length > 10")
            hits = browser.execute_script(TIMELINE + f"return timeline.hits.filter(hit => hit.location === {count - 1}).map(hit => [hit.from, hit.to])")
            self.assertEqual(hits, [[count - 1, 2 * count - 1]])
            # What stands below may take more lines, as when calls have come: the last row stays in sight.
            browser.execute_script(TIMELINE + "timeline.legend.style.minHeight = `${timeline.legend.clientHeight + 100}px`")
            self.wait(browser, f"timeline.top + timeline.plot.clientHeight >= {count} * timeline.height && timeline.root.querySelector('{last}')?.textContent === 'rank {count - 1}'")
            self.check_quiet(browser, view)

    def hostile_names(self, browser):
        path = write_trace(self.path("t.otf"), rounds=4)
        with open(self.path("t.0.def"), encoding="utf-8") as file:
            text = file.read()
        with open(self.path("t.0.def"), "w", encoding="utf-8") as file:
            file.write(text.replace('NM"work"', f'NM"{HOSTILE}"').replace('NM"rank 1"', 'NM"' + "long " * 2000 + '"').replace('NM"rank 2"', 'NM"</script><b>"'))
        with View(path) as view:
            self.open(browser, view)
            self.wait(browser, "timeline.calls && !timeline.source.busy")
            self.assertEqual(browser.find_elements("css selector", ".timeline img, .timeline-rows b"), [])
            rows = [row.text for row in browser.find_elements("css selector", ".timeline-rows span")]
            self.assertIn("</script><b>", rows)
            self.assertLess(max(map(len, rows)), 400)
            names = browser.execute_script(TIMELINE + "return [...timeline.store.names.values()].map(name => name.name)")
            self.assertIn(HOSTILE.replace("\u202e", "\\u202e").replace("\u200b", "\\u200b"), names)
            self.check_quiet(browser, view)


if __name__ == "__main__":
    unittest.main()
