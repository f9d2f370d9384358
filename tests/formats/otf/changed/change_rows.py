"""Writes a records.def in which SendMsg has other keywords and another order, and a whole operation another keyword."""
import pathlib
import re
import sys

RENAMED = {
    ("SendMsg", "length"): ("Q", "QLEN"),
    ("SendMsg", "type"): ("W", "WTAG"),
    ("SendMsg", "group"): ("DC", "DCOMM"),
    ("SendMsg", "source"): ("Z", "ZSCL"),
    ("CollectiveOperation", None): ("CWH", "CWHOLE"),
}
MOVED = ("SendMsg", "type", "length")  # before


def main(source, target):
    lines = pathlib.Path(source).read_text().splitlines()
    changed = 0
    for (record, field), keys in RENAMED.items():
        row = re.compile(r"(\w+\(%s, %s[^\"]*)\"[^\"]*\", \"[^\"]*\"" % (record, field or r"\d"))
        for i, line in enumerate(lines):
            if row.match(line):
                lines[i] = row.sub(r'\g<1>"%s", "%s"' % keys, line)
                changed += 1
    record, first, second = MOVED
    at = {name: next(i for i, line in enumerate(lines) if "(%s, %s," % (record, name) in line) for name in MOVED[1:]}
    lines.insert(at[second], lines.pop(at[first]))
    assert changed == len(RENAMED), changed
    pathlib.Path(target).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(target).write_text("\n".join(lines) + "\n")


main(*sys.argv[1:])
