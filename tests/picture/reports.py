"""Reading reports: the figures of a page and the numbers in them, which are compared with what the commands print."""
import collections
import csv
import html.parser
import io
import os
import re
import shlex
import subprocess
import urllib.parse
import xml.etree.ElementTree as ElementTree

BUILD = os.environ.get("QUIPU_BUILD", "build")
SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(BUILD, "quipu")
SVG = "{http://www.w3.org/2000/svg}"


def quipu(*words, **options):
    return subprocess.run([QUIPU, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


def sample_traces():
    """A path for each trace of tests/data: what a user would name."""
    found = []
    for folder, _, names in sorted(os.walk(os.path.join(SOURCE, "tests/data"))):
        masters = [name for name in sorted(names) if name.endswith((".otf", ".meta", ".otf2", ".picl", ".ctrace", ".obs", ".prv"))]
        found += [os.path.join(folder, name) for name in masters]
    return found


class Page(html.parser.HTMLParser):
    """The sections, figures and links of a report. Figures: name → {"command", "svg" (an element, or None), "csv"}."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.sections, self.figures, self.texts, self.open, self.figure = [], {}, [], [], None
        self.feed(text)
        for name, body in re.findall(r'<figure id="([\w-]+)">(.*?)</figure>', text, re.S):
            svg = re.search(r"<svg .*?</svg>", body, re.S)
            self.figures[name]["svg"] = ElementTree.fromstring(svg[0]) if svg else None

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.open.append((tag, attributes.get("class", "")))
        if tag == "section":
            self.sections.append(attributes["id"].removeprefix("page-"))
        if tag == "figure":
            self.figure = self.figures.setdefault(attributes["id"], {"command": "", "csv": "", "svg": None})
        if tag == "a" and "download" in attributes and self.figure:
            self.figure["csv"] = urllib.parse.unquote(attributes["href"].split(",", 1)[1])

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass
        if tag == "figure":
            self.figure = None

    def handle_data(self, data):
        self.texts.append(data)
        if self.figure is not None and [tag for tag, _ in self.open[-2:]] == ["div", "code"] and self.open[-2][1] == "source":
            self.figure["command"] += data


def rows_of(command):
    """The table that a command prints, as dictionaries."""
    words = shlex.split(command)
    assert words[0] == "quipu", command
    done = quipu(*words[1:], "--csv", "--quiet")
    return list(csv.DictReader(io.StringIO(done.stdout.decode(errors="replace")))), done


def number(text):
    return float(text or 0) if re.search(r"[.e]", text or "") else int(text or 0)


def counted(svg, rows):
    """The rows for which the figure's condition is true."""
    match = re.fullmatch(r"(\w+)(!?=)(.*)", svg.get("data-where"))
    return [row for row in rows if not match or (row[match[1]] == match[3]) == (match[2] == "=")]


def totals(rows, column, *keys):
    found = collections.Counter()
    for row in rows:
        found[tuple(row[key] for key in keys)] += number(row[column])
    return found


def marks(svg):
    """(key, column) → sum of what the marks say."""
    found = collections.Counter()
    for mark in svg.iter():
        if mark.get("data-value") is not None and mark.get("data-key") is not None and mark.get("data-last") is None:
            found[mark.get("data-key"), mark.get("data-column")] += number(mark.get("data-value"))
    return found


def compare_figure(test, svg, rows):
    """Every number of a figure is that of the table. Returns how many there are."""
    rows, by, count = counted(svg, rows), svg.get("data-by"), 0
    for (key, column), value in marks(svg).items():
        wanted = totals(rows, column, by)[(key,)] if by else number(rows[0][column])
        test.assertAlmostEqual(wanted, value, delta=abs(wanted) * 1e-6, msg=(key, column))
        count += 1
    for path in svg.iter(SVG + "path"):
        if path.get("data-values"):
            values = [number(value) for value in path.get("data-values").split(" ")]
            test.assertEqual(len(rows), len(values))
            for row, value in zip(rows, values):
                test.assertAlmostEqual(number(row[path.get("data-column")]), value, delta=abs(value) * 1e-6)
            count += len(values)
    return count + sum(compare_cells(test, svg, cells, rows) for cells in svg.iter(SVG + "g") if cells.get("class") == "cells")


def compare_cells(test, svg, cells, rows):
    lines = [line for line in cells if line.get("class") == "row"]
    columns = [group.get("data-key") for group in svg.iter(SVG + "g") if group.get("class") == "column"]
    if any(line.get("data-last") for line in lines):
        return 0
    wanted, count = totals(rows, cells.get("data-column"), svg.get("data-by"), svg.get("data-other")), 0
    for line in lines:
        for index, value in enumerate(line.get("data-values").split(" ")):
            other = columns[index] if columns else str(index)
            test.assertEqual(wanted[line.get("data-key"), other], number(value), (line.get("data-key"), other))
            count += 1
    return count
