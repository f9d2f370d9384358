#!/usr/bin/env python3
"""Runs every command over small traces while calls of the system fail one by one, and judges what comes of it.

  tests/faults/faults.py                         all of it (make faults)
  tests/faults/faults.py --only 'merge' --type memory       a part: command lines that match, one type of call
  tests/faults/faults.py --only '^cat in/otf/small.otf$' --fault memory:17:ENOMEM:once      one run, with all that it said
  tests/faults/faults.py --list                  the command lines

Each command line is first run twice undisturbed, which gives the result, how many calls of each type there are, and the first of
each origin that calls come from, which is the functions that were being run (tests/faults/shim.c). Then a call fails, once, or from
then on: the first of each origin that no other command line has tried, and some of all others, chosen by the seed; with --every all
of the first few and ever sparser ones after that, wherever they come from.
Each run must give the undisturbed result, byte for byte, or one of the exit codes of cases.EXITS, one error line, and a folder
where each output is as before or complete. What an output that could not be written leaves, removing which fails, too, the next run of the
command line removes. The same for each step of --max-memory. Recordings, which are never the same, are judged by
what they hold."""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import cases

SOURCE = Path(os.environ.get("QUIPU_SOURCE") or Path(__file__).resolve().parents[2])
BUILD = Path(os.environ.get("QUIPU_BUILD") or SOURCE / "build").resolve()
QUIPU = BUILD / "quipu"
SHIM = BUILD / "tests" / "libfaults.so"
RECORDED = BUILD / "tests" / "recorded"
HANGS_AFTER = 30
DAMAGED, UNREADABLE, NOT_WRITTEN = 3, 4, 5  # exit codes
REFUSED = 1, 2
MEMORY_STEP = "max-memory"
BESIDE_ORIGINS = 16  # runs of a command line besides those of origins that are new
LEAST_OF_PROGRAM = 8  # calls of each type that fail where a program is recorded
EMPTY_FOLDER = b"a folder"  # where files have what they hold
SANITIZERS = {  # of builds that have them: what they find is a crash
    "ASAN_OPTIONS": "verify_asan_link_order=0:abort_on_error=1:allocator_may_return_null=1:detect_leaks=0",
    "UBSAN_OPTIONS": "abort_on_error=1:print_stacktrace=1",
}
KINDS = ("silent losses", "crashes", "hangs", "litter", "other exit codes", "messages")

Fault = collections.namedtuple("Fault", "type number mode repeat then", defaults=("",))  # then: one that is counted from where this one struck
Case = collections.namedtuple("Case", "words force")
Outcome = collections.namedtuple("Outcome", "code stdout stderr files")
Wrong = collections.namedtuple("Wrong", "kind case fault why")


# ---- Command lines ----


def rows(pattern, path):
    return re.findall(pattern, (SOURCE / path).read_text(encoding="utf-8"), re.M)


def by_name(commands):
    """The row "analysis" stands for all analyses, each of which is a command of its own."""
    analyses = [name.replace("_", "-") for name in rows(r"^QUIPU_ANALYSIS\((\w+)\)", "src/analysis/analyses.def")]
    return {name for command in commands for name in (analyses if command == "analysis" else [command])}


def commands():
    return {name.replace("_", "-") for name in by_name(rows(r"^COMMAND\((\w+),", "src/cli/commands.def"))}


def quiet_commands():
    """Commands that can be told to print nothing but errors."""
    text = (SOURCE / "src/cli/options.def").read_text(encoding="utf-8")
    sets = {name: value for name, value in re.findall(r"^#define (\w+) \((.*)\)$", text, re.M)}
    reading = sets["READING"]
    while any(name in re.findall(r"\w+", reading) for name in sets):
        for name, value in sets.items():
            reading = re.sub(rf"\b{name}\b", value, reading)
    return by_name(re.findall(r"ON\((\w+)\)", reading))


def format_rows():
    """What the command knows of each format."""
    table = json.loads(subprocess.run([QUIPU, "formats", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def formats():
    """(name, can be read, can be written)"""
    for row in format_rows():
        yield row["format"], row["read"] == "yes", row["write"] == "yes"


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def expand(text, **values):
    for line in lines_of(text):
        for name, value in values.items():
            line = line.replace("{" + name + "}", value)
        yield line


def traces():
    return [trace for group in cases.TRACES.values() for trace in group]


def own_suffix(trace):
    return Path(trace).suffix


def all_lines():
    targets = [name for name, _, writes in formats() if writes]
    not_repaired = {cases.SUFFIXES[row["format"]] for row in format_rows() if row["repair"] != "yes"}
    for trace in traces():
        yield from expand(cases.EACH_TRACE, trace=trace, own=own_suffix(trace))
        if own_suffix(trace) not in not_repaired:
            yield from expand(cases.EACH_REPAIRED, trace=trace, own=own_suffix(trace))
        for target in targets:
            yield from expand(cases.EACH_TRACE_AND_TARGET, trace=trace, target=target, suffix=cases.SUFFIXES[target])
    for target in sorted(set(targets) - cases.ONLY_CONVERTED):
        yield from expand(cases.EACH_TARGET, target=target, suffix=cases.SUFFIXES[target])
    for trace in cases.DAMAGED:
        yield from expand(cases.EACH_DAMAGED, trace=trace, own=own_suffix(trace))
    for trace in cases.OF_FOLDERS:
        yield from expand(cases.EACH_OF_FOLDERS, trace=trace)
    for trace in cases.INDEXED:
        yield from expand(cases.EACH_INDEXED, trace=trace, own=own_suffix(trace))
    for name in cases.TRACES:
        yield from expand(cases.EACH_FORMAT, format=name)
    yield from lines_of(cases.ONCE)
    yield from expand(cases.EACH_RECORDING, program=str(RECORDED))


def command_of(case):
    return case.words[0] if case.words[0] in commands() else "info" if "in/" in case.words[0] else "help"


def with_options(words, *options):
    """Options of the command, before those of a program that it runs."""
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], *options, *words[end:]]


def all_cases():
    quiet = quiet_commands()
    for line in all_lines():
        words = line.split()
        if command_of(Case(words, False)) in quiet:
            words = with_options(words, "--quiet")
        yield Case(words, False)
        if "out/" in line:
            yield Case(with_options(words, "--force"), True)


def text_of(case):
    return " ".join(case.words)


# ---- Running ----


def stage(folder):
    """Puts the traces below folder/in."""
    shutil.copytree(SOURCE / "tests/data/otf", folder / "in" / "otf")
    for name, origin in cases.FOLDERS.items():
        shutil.copytree(SOURCE / origin, folder / "in" / name, dirs_exist_ok=True)
    for trace, (origin, file, hundredths) in cases.DAMAGED.items():
        copy = (folder / trace).parent
        shutil.copytree(folder / "in" / origin, copy)
        os.truncate(copy / file, (copy / file).stat().st_size * hundredths // 100)
    for trace, origin in cases.INDEXED.items():
        shutil.copytree(folder / "in" / origin, (folder / trace).parent)
        subprocess.run([QUIPU, "index", "--quiet", trace], cwd=folder, check=True)
    for state, words in cases.STATES.items():
        subprocess.run([QUIPU, *words.split(), "--quiet", "-o", state], cwd=folder, check=True)


def folder_contents(folder):
    """Files by name, those in folders too; a folder without any counts as a file."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if not path.is_dir():
            found[str(path.relative_to(folder))] = path.read_bytes()
        elif not any(path.iterdir()):
            found[str(path.relative_to(folder))] = EMPTY_FOLDER
    return found


def shim_text(fault):
    """A fault as the shim reads it."""
    return ":".join(map(str, fault[:4])) + (f",{fault.then}" if fault.then else "")


class Workers:
    """Runs commands, each thread in a folder of its own that looks the same."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.own = threading.local()
        self.numbers = itertools.count()
        stage(self.folder)

    def work_folder(self):
        if not hasattr(self.own, "folder"):
            self.own.folder = self.folder / f"worker{next(self.numbers)}"
            self.own.folder.mkdir()
            (self.own.folder / "in").symlink_to(self.folder / "in")
            (self.own.folder / "out").mkdir()
        return self.own.folder

    def prepare(self, old):
        out = self.work_folder() / "out"
        shutil.rmtree(out)
        out.mkdir()
        for name, data in old.items():
            is_folder = data == EMPTY_FOLDER
            (out / name if is_folder else (out / name).parent).mkdir(parents=True, exist_ok=True)
            if not is_folder:
                (out / name).write_bytes(data)

    def run(self, case, fault=None, old=None, memory=None):
        """The outcome of a command line; code is None when it did not end."""
        self.prepare(old or {})
        folder = self.work_folder()
        environment = {**SANITIZERS, "LD_PRELOAD": str(SHIM), "LC_ALL": "C", "TZ": "UTC"}
        if fault:
            environment["QUIPU_FAULT"] = shim_text(fault)
        else:
            environment["QUIPU_FAULT_COUNTS"] = str(folder / "counts")
        words = with_options(case.words, "--max-memory", str(memory)) if memory else case.words
        process = subprocess.Popen([QUIPU, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=False)
        try:
            stdout, stderr = process.communicate(timeout=HANGS_AFTER)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            code = None
        return Outcome(code, stdout, stderr, folder_contents(folder / "out"))

    def run_again(self, case, found):
        """The outcome of a command line that finds in its folder what an earlier one has left there."""
        replaces = "--force" in case.words or command_of(case) == "generate"  # which has no option for it
        words = case.words if replaces else with_options(case.words, "--force")
        return self.run(Case(words, True), None, found)

    def calls(self):
        """The number of calls by type, and (type, number, origin) of the first call of each origin."""
        rows = [line.split() for line in (self.work_folder() / "counts").read_text(encoding="ascii").splitlines()]
        return ({row[0]: int(row[1]) for row in rows if len(row) == 2},
                [(row[0], int(row[1]), row[2]) for row in rows if len(row) == 3])


# ---- Judging ----


def output_sets(names):
    """Output files that come together: those of a trace, and each other one by itself."""
    sets = collections.defaultdict(set)
    for name in names:
        sets["trace" if re.match(r"(whole|merged|part|copy|both|small|ring|apart|with)\.", name) else name].add(name)
    return sets.values()


def is_leftover(name):
    """What is cleaned when the same name is written next, in whatever folder."""
    return Path(name).name.startswith(".")


def folder_trouble(outcome, old, complete, fault):
    """What is wrong in the folder of a run that failed, or None: each set is as it was or as it ought to be. Where an input
    cannot be read, an output may hold what the others have."""
    files = outcome.files
    strange = sorted(name for name in set(files) - set(old) - set(complete)
                     if outcome.code != UNREADABLE or is_leftover(name))
    if strange and may_leave(fault):
        return None
    if strange:
        return "left behind: " + ", ".join(strange)
    if outcome.code == UNREADABLE or (fault.type, fault.repeat) == ("stat", "sticky"):
        return None
    for names in output_sets(set(old) | set(complete)):
        now = {name: files.get(name) for name in names}
        if now != {name: old.get(name) for name in names} and now != {name: complete.get(name) for name in names}:
            changed = ", ".join(sorted(name for name in names if now[name] != old.get(name)))
            return f"neither old nor complete: {changed} of {len(names)} files"
    return None


def may_leave(fault):
    """Whether what cannot be taken back, or removed, has to stay: then the next writer of the name must repair it."""
    return fault.then or fault.type == "remove" or (fault.type, fault.repeat) == ("rename", "sticky")


def without_leftovers(outcome):
    return outcome._replace(files={name: data for name, data in outcome.files.items() if not is_leftover(name)})


def message_trouble(stderr, most):
    lines = stderr.decode("utf-8", "replace").splitlines()
    errors = [line for line in lines if not line.startswith("  ")]
    if not 1 <= len(errors) <= most:
        return f"{len(errors)} error lines: {errors[:3]}"
    if not re.match(r"quipu: .*\w", errors[0]):
        return f"no error line: {errors[0]}"
    return None


def errors_of(case):
    """How many error lines there may be: each input that is read by itself has its own, and where answers are related what is written too."""
    if command_of(case) not in ("info", "merge", "diff", "efficiency", "report"):
        return 1
    inputs = sum(word.startswith("in/") for word in case.words)
    return inputs + ("-o" in case.words and command_of(case) in ("diff", "efficiency", "report"))


def judge(case, fault, outcome, normal, old):
    """(kind of trouble, why), or None."""
    exits = cases.EXITS[fault.type][fault.mode]
    if "--max-memory" in case.words:
        exits = exits | cases.EXITS_WITH_LIMIT.get(fault.type, set())
    if fault.type in ("read", "write") and "out/copy.sqlite" in case.words:
        exits = exits | {5}  # SQLite reads what it writes, and tries nothing again
    if outcome.code is None:
        return "hangs", f"did not end in {HANGS_AFTER} s"
    if outcome.code < 0:
        return "crashes", signal.Signals(-outcome.code).name
    if outcome == normal:
        return None
    if command_of(case) == "complete" and outcome.stderr == b"" and outcome.files == old and outcome.code in exits | {0}:
        return None  # a shell that asks what may come next offers less then, and the line that is typed stays as it is
    said = outcome.stderr.decode("utf-8", "replace").strip().replace("\n", " | ")[:200]
    if fault.type == "remove":
        outcome = without_leftovers(outcome)
        if outcome == normal:
            return None
    if fault.mode == "END" and outcome.code == DAMAGED:
        return None  # what is intact was delivered, and the code says that something was lost
    if fault.mode == "END" and outcome.code in REFUSED and outcome.files == old and not message_trouble(outcome.stderr, errors_of(case)):
        return None  # nothing was delivered of what is left, and a line says why
    if outcome.code in exits:
        trouble = folder_trouble(outcome, old, normal.files, fault)
        if trouble:
            return "litter", trouble
        trouble = message_trouble(outcome.stderr, errors_of(case))
        return ("messages", trouble) if trouble else None
    if outcome[:2] == normal[:2] and outcome.files == normal.files:
        return "messages", f"the undisturbed result, but standard error says: {said}"
    if outcome.code in (0, 1, 3, normal.code):
        return "silent losses", f"exit {outcome.code} with another result: {said}"
    return "other exit codes", f"exit {outcome.code}, not {sorted(exits) or 'the undisturbed result'}: {said}"


# ---- Recordings ----


def is_recording(case):
    return command_of(case) == "record"


def output_of(case):
    return Path(case.words[case.words.index("-o") + 1]).name


def done_by_program(outcome):
    """(requests, bytes) that the recorded program has made, by what it left; None when it did not begin."""
    counts = outcome.files.get("counts", b"")
    return struct.unpack("=QQ", counts) if len(counts) == 16 else None


def requests_of(workers, case, outcome):
    """(requests, bytes) that a recording holds, or None when it cannot be read or checked."""
    path = f"out/{output_of(case)}"
    for words in (["check", path], ["cat", "--json", path]):
        read = workers.run(Case(words, False), None, outcome.files)
        if read.code != 0:
            return None
    ends = [event for event in map(json.loads, read.stdout.splitlines()) if event["kind"] == "io_end"]
    return len(ends), sum(event["bytes"] for event in ends)


def without_trace(case, files):
    """Files of a folder that are not of the output, nor the program's."""
    stem = output_of(case).partition(".")[0]
    return {name for name in files if name not in ("data", "counts") and not re.match(rf"{stem}(\.\w+)*$", name)}


def recording_trouble(case, said, outcome, done, found):
    """What is wrong with a recording that is said to be complete, or to have stopped where its end was named."""
    if re.search("recording of input and output stops", said) and (done is None or found is None or found <= done):
        return None
    return None if done is None or found == done else f"{found} requests and bytes are recorded of {done}: {said}"


def judge_recording(workers, case, fault, outcome, old):
    """As judge, by what the recording holds. A program's own exit code comes first; what could not be made a trace stays in a
    folder, which is named."""
    exits = cases.EXITS[fault.type][fault.mode] | {0, 3} | cases.NOT_RUN
    said = outcome.stderr.decode("utf-8", "replace").strip().replace("\n", " | ")
    if outcome.code is None:
        return "hangs", f"did not end in {HANGS_AFTER} s"
    if outcome.code < 0 or outcome.code > 128:
        return "crashes", signal.Signals(abs(outcome.code) % 128).name
    if outcome.code not in exits:
        return "other exit codes", f"exit {outcome.code}, not {sorted(exits)}: {said}"
    retained = f"{output_of(case)}.recording"
    strange = {name for name in without_trace(case, outcome.files) if not may_leave(fault)}
    if re.search(r"recording: (what was recorded is here|cannot be removed)", said):
        strange = {name for name in strange if not name.startswith(retained)}
    if strange:
        return "litter", "left behind: " + ", ".join(sorted(strange))
    if outcome.code in (0, 3):
        trouble = recording_trouble(case, said, outcome, done_by_program(outcome), requests_of(workers, case, outcome))
        return ("silent losses", trouble) if trouble else None
    if outcome.code not in cases.NOT_RUN and not re.match(r"quipu: .*\w", said):
        return "messages", f"no error line: {said}"
    return None


# ---- Choosing faults ----


def chosen(count, dense, ratio, dice):
    """Numbers from 1 to count: all up to dense, then ever sparser ones, and the last."""
    numbers = list(range(1, min(count, dense) + 1))
    step = float(dense)
    while step < count:
        grown = step * ratio
        numbers.append(min(count, dice.randint(int(step) + 1, max(int(step) + 1, int(grown)))))
        step = max(grown, step + 1)
    return sorted(set(numbers + [count])) if count else []


def faults_of(numbers, options):
    """numbers: pairs of a type and the number of a call."""
    for kind, number in numbers:
        if options.type and kind != options.type:
            continue
        for mode in cases.EXITS[kind]:
            yield Fault(kind, number, mode, "once")
            if mode not in cases.AGAIN:
                yield Fault(kind, number, mode, "sticky")


def spread(counts, options, dice):
    """Calls of each type, wherever they come from."""
    return [(kind, number) for kind, count in counts.items() for number in chosen(count, options.dense, options.ratio, dice)]


def then_faults():
    kind, mode, most = cases.THEN
    return [f"{kind}:{number}:{mode}:once" for number in range(1, most + 1)]


def memory_steps(options):
    limit = 4096.0
    while options.type in (None, MEMORY_STEP) and limit < 64 << 20:
        yield Fault(MEMORY_STEP, int(limit), "LIMIT", "always")
        limit *= options.ratio


def sample(some, count, dice):
    """So many faults, as many of each type as can be."""
    by_type = collections.defaultdict(list)
    for fault in some:
        by_type[fault.type].append(fault)
    for group in by_type.values():
        dice.shuffle(group)
    rounds = itertools.zip_longest(*by_type.values())
    return [fault for round_of_types in rounds for fault in round_of_types if fault][:count]


def said_of(fault):
    """How one gives it to the command."""
    return f"--max-memory {fault.number}" if fault.type == MEMORY_STEP else f"QUIPU_FAULT={shim_text(fault)}"


class Hunt:
    """All runs of a choice of cases."""

    def __init__(self, workers, options):
        self.workers, self.options = workers, options
        self.runs = collections.Counter()
        self.origins = set()  # that some command line has tried
        self.wrong = []
        self.lock = threading.Lock()

    def note(self, case, kind, trouble, fault):
        with self.lock:
            self.runs[command_of(case), kind] += 1
            if trouble:
                self.wrong.append(Wrong(trouble[0], case, fault, trouble[1]))

    def undisturbed(self, case):
        """The normal outcome, the older files that it replaces, and the calls (Workers.calls)."""
        normal = self.workers.run(case)
        if is_recording(case):
            return self.undisturbed_recording(case, normal)
        old = {name: b"older " + name.encode() for name in normal.files} if case.force else {}
        again = self.workers.run(case, old=old)
        if normal != again or normal.code not in (0, 1, 3):
            raise RuntimeError(f"{text_of(case)}: exit {normal.code}, then {again.code}: {again.stderr.decode()}")
        return again, old, self.workers.calls()

    def undisturbed_recording(self, case, normal):
        """The program and the collector make calls that are not among the command's, the first few of which fail too."""
        counts = {kind: max(count, LEAST_OF_PROGRAM) for kind, count in self.workers.calls()[0].items()}
        wanted, found = done_by_program(normal), requests_of(self.workers, case, normal)
        if normal.code != 0 or not wanted or wanted[0] == 0 or wanted != found:
            raise RuntimeError(f"{text_of(case)}: exit {normal.code}, {found} of {wanted}: {normal.stderr.decode()}")
        return normal, {output_of(case): b"older"} if case.force else {}, (counts, [])

    def judge(self, case, fault, outcome, normal, old):
        if is_recording(case):
            return judge_recording(self.workers, case, fault, outcome, old)
        return judge(case, fault, outcome, normal, old)

    def new_origins(self, origins):
        """The first calls of origins that no command line has tried."""
        with self.lock:
            new = [(kind, number) for kind, number, origin in origins if origin not in self.origins]
            self.origins.update(origin for _, _, origin in origins)
        return new

    def choose(self, case, counts, origins):
        dice = random.Random(f"{self.options.seed} {text_of(case)}")
        anywhere = list(faults_of(spread(counts, self.options, dice), self.options))
        if command_of(case) in quiet_commands():
            anywhere += memory_steps(self.options)
        if self.options.sample:
            return sample(anywhere, self.options.sample, dice)
        if self.options.every or is_recording(case):
            return anywhere
        first = list(faults_of(self.new_origins(origins), self.options))
        return list(dict.fromkeys(first + sample(anywhere, BESIDE_ORIGINS, dice)))

    def run_case(self, case):
        normal, old, (counts, origins) = self.undisturbed(case)
        for fault in self.choose(case, counts, origins):
            outcome = self.run_fault(case, fault, normal, old)
            if outcome.code == NOT_WRITTEN and fault.repeat == "once" and not is_recording(case) and not self.options.sample:
                for second in then_faults():
                    self.run_fault(case, fault._replace(then=second), normal, old)

    def run_fault(self, case, fault, normal, old):
        is_step = fault.type == MEMORY_STEP
        outcome = self.workers.run(case, None if is_step else fault, old, fault.number if is_step else None)
        trouble = self.judge(case, fault, outcome, normal, old)
        if not trouble and not is_recording(case) and any(is_leftover(name) or data == EMPTY_FOLDER for name, data in outcome.files.items()):
            trouble = self.judge_again(case, outcome, normal)
        self.note(case, fault.type, trouble, said_of(fault))
        return outcome

    def judge_again(self, case, outcome, normal):
        again = self.workers.run_again(case, outcome.files)
        if (again.code, again.files) == (normal.code, normal.files):
            return None
        return "litter", f"the next run ends with {again.code} and leaves {sorted(again.files)}"

    def run(self, chosen_cases):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for done in [pool.submit(self.run_case, case) for case in chosen_cases]:
                done.result()


# ---- Reporting ----


def print_runs(hunt):
    kinds = [kind for kind in cases.EXITS if any(key[1] == kind for key in hunt.runs)]
    for command in commands():
        row = [(kind, hunt.runs[command, kind]) for kind in kinds if hunt.runs[command, kind]]
        total = sum(count for _, count in row)
        if total:
            print(f"{command:9} {total:6}: " + ", ".join(f"{kind} {count}" for kind, count in row))
    print(f"{'all':9} {sum(hunt.runs.values()):6}: " +
          ", ".join(f"{kind} {sum(count for key, count in hunt.runs.items() if key[1] == kind)}" for kind in kinds))


def print_wrong(hunt, most):
    """How often each kind of trouble came of each fault, and the first few runs of each command."""
    groups = collections.defaultdict(list)
    for wrong in hunt.wrong:
        groups[wrong.kind, re.sub(r"\d+", "N", wrong.fault)].append(wrong)
    for (kind, fault), group in sorted(groups.items()):
        by_command = collections.Counter(command_of(wrong.case) for wrong in group)
        print(f"{kind}, {fault}: " + ", ".join(f"{command} {count}" for command, count in by_command.items()))
        shown = collections.Counter()
        for wrong in group:
            shown[command_of(wrong.case)] += 1
            if shown[command_of(wrong.case)] <= most:
                print(f"    {wrong.fault} quipu {text_of(wrong.case)}\n        {wrong.why}")


def totals(hunt):
    counts = collections.Counter(wrong.kind for wrong in hunt.wrong)
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)


def run_one(workers, case, text):
    normal = workers.run(case)
    first, _, then = text.partition(",")
    kind, number, mode, repeat = first.split(":")
    fault = Fault(kind, int(number), mode, repeat, then)
    old = {name: b"older " + name.encode() for name in normal.files} if case.force else {}
    outcome = workers.run(case, fault, old)
    print(f"quipu {text_of(case)}\nexit {outcome.code}, undisturbed {normal.code}")
    print(f"folder {sorted(outcome.files)}, undisturbed {sorted(normal.files)}")
    sys.stdout.flush()
    sys.stdout.buffer.write(outcome.stdout + outcome.stderr)
    verdict = judge_recording(workers, case, fault, outcome, old) if is_recording(case) else judge(case, fault, outcome, normal, old)
    print("verdict:", verdict or "right")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="command lines that match this regular expression")
    parser.add_argument("--type", help="one type of call, or max-memory")
    parser.add_argument("--fault", help="one run: TYPE:N:MODE:once or sticky, or two of these and a comma")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", default="quipu")
    parser.add_argument("--sample", type=int, default=0, help="runs per command line, chosen by the seed; 0: all")
    parser.add_argument("--every", action="store_true", help="calls wherever they come from: ten times as many runs")
    parser.add_argument("--dense", type=int, default=16, help="calls up to this one fail one by one")
    parser.add_argument("--ratio", type=float, default=1.3, help="distance of calls after that, and of steps of memory")
    parser.add_argument("--most", type=int, default=1, help="runs shown of each kind of trouble, fault and command")
    parser.add_argument("--list", action="store_true", help="print the command lines")
    return parser.parse_args(arguments)


def hunt(options):
    """Runs what the options choose and returns the hunt."""
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        done = Hunt(Workers(folder), options)
        done.run(case for case in all_cases() if re.search(options.only, text_of(case)))
        return done


def main(arguments=None):
    options = parse(arguments)
    if options.list:
        print("\n".join(text_of(case) for case in all_cases()))
        return 0
    if options.fault:
        with tempfile.TemporaryDirectory() as folder:
            workers = Workers(folder)
            for case in all_cases():
                if re.search(options.only, text_of(case)):
                    run_one(workers, case, options.fault)
        return 0
    done = hunt(options)
    print_wrong(done, options.most)
    print_runs(done)
    print(f"{sum(done.runs.values())} runs: {totals(done)}")
    return 1 if done.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
