"""Changes of the kinds that are made most often, planted into a copy of the sources, built and tried.

What a change costs is the number of files that had to be written for it to work: tools/measure --plant counts them. What is built is
what depends on those files; the rest comes from the build folder.
"""
import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("QUIPU_BUILD") or SOURCE / "build")
FLAGS = ["-O0", "-std=c11", "-D_XOPEN_SOURCE=700", "-D_FILE_OFFSET_BITS=64", *os.environ.get("QUIPU_CFLAGS", "").split()]

ANALYSIS = r"""/* planted.c: how many events there are. */
#include "analysis/shared/fold.h"
#include "core/error.h"

struct planted {
    struct quipu__memory memory;
    uint64_t events;
};

static enum quipu_status begin(const struct quipu__fold_start *start, void **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct planted *planted = *out = quipu__alloc_zero(&memory, sizeof *planted);
    if (!planted)
        return quipu__no_memory(err, sizeof *planted);
    planted->memory = memory;
    return QUIPU_OK;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    (void)err;
    ((struct planted *)state)->events += batch->count;
    return QUIPU_OK;
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    (void)err;
    ((struct planted *)state)->events += ((struct planted *)other)->events;
    return QUIPU_OK;
}

#define TABLES(TABLE, COLUMN, END) \
    TABLE(PLANTED, "planted", "one row") \
    COLUMN(PLANTED, events, U64, "", "number of events") \
    END(PLANTED)
QUIPU__TABLES(TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(TABLES)};

static enum quipu_status finish(void *state, struct quipu_tables *out, struct quipu_error *err) {
    struct quipu_table *table;
    const enum quipu_status status = quipu__tables_add(out, &tables[PLANTED], &table, err);
    if (status != QUIPU_OK)
        return status;
    quipu__table_put_u64(table, PLANTED_events, ((struct planted *)state)->events);
    return quipu__table_end_row(table, err);
}

static void release(void *state) {
    struct quipu__memory memory = ((struct planted *)state)->memory;
    quipu__release(&memory, state, sizeof(struct planted));
}

const struct quipu__fold quipu__planted_fold = {
    .info = {.name = "planted", .doc = "count events", .details = "Counts events.", .examples = "", .tables = tables, .table_count = 1},
    .kinds = QUIPU_ALL_KINDS, .begin = begin, .consume = consume, .combine = combine, .finish = finish, .release = release};
"""

# A send with the field that is planted, and a record of the planted type, on one process.
TRACE = {"t.otf": "1:1\n", "t.0.def": 'DTR3B9ACA00\nDP1NM"p"\n', "t.1.events": "1\n*1\nS1L8T5C1X0PLANTEDWEIGHT2a\nPLANTED7\n"}


def toy():
    """The files of the format in docs/adding-a-format.md."""
    found = {}
    page = (SOURCE / "docs/adding-a-format.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"^```c (\S+)\n(.*?)^```$", page, re.M | re.S):
        found["src/formats/toy/" + name] = found.get("src/formats/toy/" + name, "") + text
    return found


def edited(path, before, line):
    """A file of the sources with a line in front of the last one that begins so; at the end when before is empty."""
    text = (SOURCE / path).read_text(encoding="utf-8")
    at = text.rindex("\n" + before) + 1 if before else len(text)
    return {path: text[:at] + line + "\n" + text[at:]}


RECORD = 'KEYED_RECORD(Planted, 99, EVENTS, "PLANTED", "PLANTEDRECORD", "a number")\nFIELD(Planted, number, count, "a number")\nEND(Planted)'
MAPPING = "EVENT(Planted, note)\nCOLUMN(Planted, number, value)\nEVENT_END(Planted)"


def plants():
    """What is added -> (files that are written, command line that shows it, what it prints)."""
    record = edited("src/formats/otf/records.def", "KEYED_RECORD(RecvMsg,", RECORD)
    return {
        "a field": (
            edited("src/formats/otf/records.def", "END(SendMsg)",
                   'KEYED(SendMsg, planted, count, "PLANTEDWEIGHT", "PLANTEDWEIGHT", NONZERO, "a number")'),
            ["cat", "--records", "--record-type", "SendMsg", "--json", "t.otf"],
            '"planted": 42',
        ),
        "a record type": (record, ["cat", "--records", "--record-type", "Planted", "--json", "t.otf"], '"number": 7'),
        "a record type that makes an event": (
            {**record, **edited("src/formats/otf/mapping.def", "EVENT(SendMsg,", MAPPING)},
            ["cat", "--json", "t.otf"],
            '"kind": "note"',
        ),
        "a format": ({**toy(), **edited("src/formats/formats.def", "", "QUIPU_FORMAT(toy)")}, ["formats"], "Toy format"),
        "an analysis": (
            {"src/analysis/planted.c": ANALYSIS, **edited("src/analysis/analyses.def", "", "QUIPU_ANALYSIS(planted)")},
            ["planted", "--json", "t.otf"],
            "[1]",
        ),
        "an option": (
            edited("src/cli/options.def", "OPTION(records,", 'OPTION(planted, "planted", 0, FLAG, "", ON(info), "an option")'),
            ["info", "--planted", "t.otf"],
            "streams",
        ),
    }


# ---- Building ----


def names_in(text):
    """What a source includes, or names for others to include."""
    return set(re.findall(r'["<](?:src/)?([\w/]+\.(?:h|def))[">]', text))


def dependents(folder, written):
    """C files of the copy that depend on what was written."""
    texts = {path: path.read_text(encoding="utf-8") for path in (folder / "src").rglob("*") if path.suffix in (".c", ".h", ".def")}
    names = {path: names_in(text) for path, text in texts.items()}
    stale = {folder / path for path in written}
    while True:
        known = {str(path.relative_to(folder / "src")) for path in stale} | {path.name for path in stale if path.parent.name == "cli"}
        more = {path for path in names if path not in stale and names[path] & known}
        if not more:
            return sorted(path for path in stale if path.suffix == ".c")
        stale |= more


# What the command is linked with beside libquipu.a where something refers to it.
LINKED = {"isal_": "-lisal", "OTF2_": "-lopen-trace-format2", "sqlite3_": "-lsqlite3", "mg_start": "-lcivetweb", "el_gets": "-ledit"}


def static_libraries():
    libraries = subprocess.run(["pkg-config", "--libs", "zlib", "libzstd", "jansson", "libpcre2-8"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    symbols = subprocess.run(["nm", "-u", str(BUILD / "libquipu.a"), str(BUILD / "quipu")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return libraries + [library for symbol, library in LINKED.items() if symbol in symbols]


def build(folder, written):
    """The command with the change; what is not changed comes from the build folder."""
    objects = {path.name: path for path in (BUILD / "CMakeFiles/quipu.dir/src/cli").glob("*.o")}

    def compile_one(path):
        target = folder / (str(path.relative_to(folder)).replace("/", "-") + ".o")
        include = ["-I", folder / "src/cli"] if path.parent.name == "cli" else ["-I", folder / "src"]
        command = [os.environ.get("CC") or "cc", *FLAGS, *include, "-I", SOURCE / "include", "-c", path, "-o", target]
        subprocess.run([str(word) for word in command], check=True)
        return path, target

    others = []
    with ThreadPoolExecutor(2) as pool:
        for path, target in pool.map(compile_one, [path for path in dependents(folder, written) if path.parent.name != "cli" or path.name + ".o" in objects]):
            if path.parent.name == "cli":
                objects[path.name + ".o"] = target
            else:
                others.append(target)
    libraries = static_libraries()
    command = [os.environ.get("CC") or "cc", *FLAGS, "-o", folder / "quipu", *others, *objects.values(), BUILD / "libquipu.a", *libraries, "-pthread", "-lm"]
    subprocess.run([str(word) for word in command], check=True)
    return folder / "quipu"


def cost(written):
    """How many files of the sources a change edits, and how many files or folders it adds."""
    edits = [path for path in written if (SOURCE / path).exists()]
    folders = {str(Path(path).parent) for path in written if not (SOURCE / path).parent.exists()}
    return len(edits), len(folders) + sum((SOURCE / path).parent.exists() for path in written if path not in edits)


def plant(name):
    """Builds and tries a change; returns its cost."""
    written, words, expected = plants()[name]
    folder = Path(tempfile.mkdtemp())
    try:
        shutil.copytree(SOURCE / "src", folder / "src")
        for path, text in written.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        for file, text in TRACE.items():
            (folder / file).write_text(text, encoding="ascii")
        command = build(folder, written)
        done = subprocess.run([command, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder)
        if expected not in done.stdout:
            raise RuntimeError(f"the planted {name} does not work: {done.stdout}{done.stderr}")
        return cost(written)
    finally:
        shutil.rmtree(folder)
