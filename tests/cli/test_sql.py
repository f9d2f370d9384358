"""quipu sql: queries against a second way to the same answer: Python over the lines of cat --json, or arithmetic."""
import collections
import json
import os
import subprocess
import unittest

import programs
from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.abspath(os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu"))
DATA = os.path.abspath(os.path.join(SOURCE, "tests", "data"))
WHERE = os.path.join(DATA, "where/w.otf")

# A trace of each format, and one of 15 processes.
TRACES = {name: os.path.join(DATA, path) for name, path in (
    ("where", "where/w.otf"), ("otf", "otf/small.otf"), ("exchange", "cli/exchange.otf"), ("compressed", "sweep/otf-compressed/ring.otf"),
    ("dumpi", "sweep/dumpi/ring.meta"), ("picl", "sweep/picl/ring.picl"), ("ovni", "sweep/ovni"), ("charisma", "sweep/charisma/ring.ctrace"),
    ("stencil", "analysis/stencil-2d-3x5"), ("paraver", "sweep/paraver/ring.prv"), ("threads", "analysis/threads-outside"))}


def run(*arguments, **options):
    done = subprocess.run([QUIPU, *arguments], stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=60, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def sql(traces, query, *options):
    """Rows of a query, in any order, as lists."""
    traces = [traces] if isinstance(traces, str) else traces
    code, out, err = run("sql", *traces, query, "--json", "--quiet", *options)
    assert code in (0, 3), err
    return [list(json.loads(line).values()) for line in out.splitlines()]


def cat(trace):
    return [json.loads(line) for line in run("cat", trace, "--json", "--quiet")[1].splitlines()]


def name_of(event, field):
    return event.get(field + "_name")


def grouped(events, key, value=lambda event: 1):
    totals = collections.Counter()
    for event in events:
        totals[key(event)] += value(event)
    return [[*group, total] if isinstance(group, tuple) else [group, total] for group, total in totals.items()]


def of(events, *kinds):
    return [event for event in events if event["kind"] in kinds]


def known(events, field):
    return [event for event in events if event.get(field) is not None]


def in_time(events, low, high):
    return [event for event in events if low <= event["time_ns"] < high]


def comparable(row):
    """A row as a text, in which 3 is 3.0."""
    return repr([float(value) if isinstance(value, int) else value for value in row])


def calls_of(events):
    """Calls that are left: location, region, enter, leave, depth; by a stack of each location."""
    stacks, calls = collections.defaultdict(list), []
    for event in events:
        stack = stacks[event["location"]]
        if event["kind"] == "enter":
            stack.append(event)
        elif event["kind"] == "leave" and stack:
            begin = stack.pop()
            calls.append((event["location"], name_of(begin, "region"), begin["time_ns"], event["time_ns"], len(stack)))
    return calls


def collectives_of(events):
    """Members of collective operations: the n-th beginning of a location in a communicator belongs to its n-th operation."""
    counts, active, members = collections.Counter(), collections.defaultdict(list), []
    for event in of(events, "collective_begin", "collective_end"):
        key = event["location"], event["communicator"]
        if event["kind"] == "collective_begin":
            active[key].append([event["location"], event["operation"], event["communicator"], counts[key], event["time_ns"], None, event["sent"], event["received"]])
            members.append(active[key][-1])
            counts[key] += 1
        elif active[key]:
            member = active[key].pop(0)
            member[5] = event["time_ns"] - member[4]
            member[6] = event["sent"] if member[6] is None else member[6]
            member[7] = event["received"] if member[7] is None else member[7]
    return members


def states_of(events):
    """Values of channels until the next one, or until the location ends; stacks are not among the traces."""
    latest, states = {}, []
    for event in of(events, "state_set", "location_end"):
        for key in [key for key in latest if key[0] == event["location"] and event["kind"] == "location_end" or key == (event["location"], event.get("channel"))]:
            state = latest.pop(key)
            state[4] = event["time_ns"] - state[3]
        if event["kind"] == "state_set":
            states.append([event["location"], name_of(event, "channel"), event["value"], event["time_ns"], None])
            latest[event["location"], event["channel"]] = states[-1]
    return states


def label_of(events, channel, value):
    return next((event.get("value_name") for event in of(events, "state_set") if name_of(event, "channel") == channel and event["value"] == value), None)


def operations_of(events):
    """Operations on files, by the number that ties begin and end together, or the only one of a location."""
    active, operations, files = {}, [], {}
    for event in of(events, "io_open", "io_begin", "io_end"):
        key = event["location"], event.get("matching")
        if event["kind"] == "io_open":
            files[event["location"], event["handle"]] = name_of(event, "file")
        elif event["kind"] == "io_begin":
            active[key] = event
        elif key in active:
            begin = active.pop(key)
            operations.append([event["location"], event["operation"], name_of(event, "file") or files.get((event["location"], event["handle"])), event["offset"] if event["offset"] is not None else begin["offset"],
                               begin["bytes"] if begin["bytes"] is not None else event["bytes"], begin["time_ns"], event["time_ns"] - begin["time_ns"]])
    return operations


def messages_of(events):
    """Messages of a communicator, sender, receiver and tag are received in the order in which they were sent: sender, receiver, sent, received, bytes, tag."""
    sent, messages = collections.defaultdict(list), []
    for event in of(events, "send"):
        sent[event["location"], event["peer"], event["communicator"], event["tag"]].append(event)
    for event in of(events, "recv"):
        sends = sent[event["peer"], event["location"], event["communicator"], event["tag"]]
        if sends:
            send = sends.pop(0)
            messages.append((send["location"], event["location"], send["time_ns"], event["time_ns"], send["bytes"] if send["bytes"] is not None else event["bytes"], event["tag"]))
    return messages


# Queries, each with the same in Python. LOW and HIGH are the second and the third quarter of the trace's time.
QUERIES = {
    "SELECT count(*) FROM events": lambda e, low, high: [[len(e)]],
    "SELECT kind, count(*) FROM events GROUP BY kind": lambda e, low, high: grouped(e, lambda x: x["kind"]),
    "SELECT location, kind, count(*) FROM events GROUP BY 1, 2": lambda e, low, high: grouped(e, lambda x: (x["location_name"], x["kind"])),
    "SELECT min(time_ns), max(time_ns) FROM events": lambda e, low, high: [[e[0]["time_ns"], e[-1]["time_ns"]]],
    "SELECT count(*) FROM events WHERE time_ns >= LOW AND time_ns < HIGH": lambda e, low, high: [[len(in_time(e, low, high))]],
    "SELECT count(*) FROM events WHERE time_ns > LOW AND time_ns <= HIGH": lambda e, low, high: [[len(in_time(e, low + 1, high + 1))]],
    "SELECT count(*) FROM events WHERE time_ns BETWEEN LOW AND HIGH AND kind = 'enter'": lambda e, low, high: [[len(of(in_time(e, low, high + 1), "enter"))]],
    "SELECT count(*) FROM events WHERE time_ns = LOW": lambda e, low, high: [[len(in_time(e, low, low + 1))]],
    "SELECT count(*) FROM events WHERE location_number = 1": lambda e, low, high: [[sum(x["location"] == 1 for x in e)]],
    "SELECT count(*) FROM events WHERE location_number IN (0, 2, 99)": lambda e, low, high: [[sum(x["location"] in (0, 2) for x in e)]],
    "SELECT count(*) FROM events WHERE location = 'alpha'": lambda e, low, high: [[sum(x["location_name"] == "alpha" for x in e)]],
    "SELECT kind, count(*) FROM events WHERE kind IN ('enter', 'send', 'nothing') GROUP BY 1": lambda e, low, high: grouped(of(e, "enter", "send"), lambda x: x["kind"]),
    "SELECT region, count(*) FROM events WHERE kind = 'enter' GROUP BY 1": lambda e, low, high: grouped(of(e, "enter"), lambda x: name_of(x, "region")),
    "SELECT location_number, peer_number, sum(bytes) FROM events WHERE kind = 'send' AND bytes NOT NULL GROUP BY 1, 2":
        lambda e, low, high: grouped(known(of(e, "send"), "bytes"), lambda x: (x["location"], x["peer"]), lambda x: x["bytes"]),
    "SELECT max(bytes) FROM events WHERE kind = 'recv'": lambda e, low, high: [[max((x["bytes"] for x in known(of(e, "recv"), "bytes")), default=None)]],
    "SELECT count(DISTINCT tag) FROM events WHERE kind = 'send'": lambda e, low, high: [[len({x["tag"] for x in of(e, "send")} - {-1})]],
    "SELECT location_number, operation, communicator_number, instance, begin_ns, duration_ns, sent, received FROM collectives":
        lambda e, low, high: collectives_of(e),
    "SELECT operation, count(*) FROM collectives WHERE duration_ns NOT NULL GROUP BY 1": lambda e, low, high: grouped(of(e, "collective_end"), lambda x: x["operation"]),
    "SELECT metric, count(*) FROM counters GROUP BY 1": lambda e, low, high: grouped(of(e, "metric"), lambda x: name_of(x, "metric")),
    "SELECT location_number, channel, value, begin_ns, duration_ns FROM states": lambda e, low, high: states_of(e),
    "SELECT channel, label, sum(duration_ns) FROM states WHERE location_number = 4 AND begin_ns >= LOW GROUP BY 1, 2 HAVING sum(duration_ns) > 0":
        lambda e, low, high: [row for row in grouped([x for x in states_of(e) if x[0] == 4 and x[3] >= low and x[4] is not None],
                                                     lambda x: (x[1], label_of(e, x[1], x[2])), lambda x: x[4]) if row[2] > 0],
    "SELECT location_number, operation, file, offset, bytes, begin_ns, duration_ns FROM io WHERE duration_ns NOT NULL": lambda e, low, high: operations_of(e),
    "SELECT file, sum(bytes), sum(duration_ns) FROM io WHERE operation = 'write' AND location_number = 1 GROUP BY 1":
        lambda e, low, high: [[file, sum(x[4] for x in rows), sum(x[6] for x in rows)] for file, rows in
                              by([x for x in operations_of(e) if x[1] == "write" and x[0] == 1], lambda x: x[2]).items()],
    "SELECT operation, count(*) FROM io WHERE duration_ns IS NULL AND operation IN ('open', 'close', 'unlink') GROUP BY 1":
        lambda e, low, high: grouped(of(e, "io_open", "io_close", "io_unlink"), lambda x: x["kind"][3:]),
    "SELECT text FROM marks": lambda e, low, high: [[x["text"]] for x in of(e, "marker", "note")],
    "SELECT location_number, region, begin_ns, begin_ns + duration_ns, depth FROM calls WHERE unfinished = 0":
        lambda e, low, high: [list(x) for x in calls_of(e)],
    "SELECT region, count(*), sum(duration_ns) FROM calls WHERE unfinished = 0 AND begin_ns >= LOW AND begin_ns < HIGH GROUP BY 1":
        lambda e, low, high: [[key, len(x), sum(y[3] - y[2] for y in x)] for key, x in by([y for y in calls_of(e) if low <= y[2] < high], lambda y: y[1]).items()],
    "SELECT max(depth) FROM calls WHERE location_number = 0 AND unfinished = 0": lambda e, low, high: [[max((x[4] for x in calls_of(e) if x[0] == 0), default=None)]],
    "SELECT sender_number, receiver_number, sent_ns, received_ns, bytes, tag FROM messages": lambda e, low, high: [list(x) for x in messages_of(e)],
    "SELECT count(*), sum(bytes), max(latency_ns) FROM messages WHERE sender_number = 0 HAVING count(*) > 0":
        lambda e, low, high: [[len(x), sum(y[4] for y in x), max(y[3] - y[2] for y in x)] for x in [[y for y in messages_of(e) if y[0] == 0]] if x],
    "SELECT sender_number, receiver_number, count(*) FROM messages GROUP BY 1, 2": lambda e, low, high: grouped(messages_of(e), lambda x: (x[0], x[1])),
    "SELECT count(*) FROM messages WHERE received_ns >= LOW AND received_ns < HIGH": lambda e, low, high: [[sum(low <= x[3] < high for x in messages_of(e))]],
    "SELECT sender_number, bytes FROM messages WHERE received_ns > HIGH AND receiver_number IN (0, 1)":
        lambda e, low, high: [[x[0], x[4]] for x in messages_of(e) if x[3] > high and x[1] in (0, 1)],
    "SELECT sent_ns / 1000 AS bin, sum(bytes) FROM messages GROUP BY 1": lambda e, low, high: grouped(messages_of(e), lambda x: x[2] // 1000, lambda x: x[4]),
    "SELECT s.name, count(*) FROM messages m JOIN locations s ON s.number = m.sender_number GROUP BY 1":
        lambda e, low, high: grouped(messages_of(e), lambda x: next(y["location_name"] for y in e if y["location"] == x[0])),
    "SELECT max(bytes) - min(bytes), count(DISTINCT sender_number) FROM messages":
        lambda e, low, high: [[max(x[4] for x in messages_of(e)) - min(x[4] for x in messages_of(e)), len({x[0] for x in messages_of(e)})]],
    "SELECT (SELECT count(*) FROM events WHERE kind = 'send') - (SELECT count(*) FROM messages)": lambda e, low, high: [[len(of(e, "send")) - len(messages_of(e))]],
    "SELECT kind FROM events GROUP BY kind HAVING count(*) > 2 ORDER BY count(*) DESC, kind LIMIT 1":
        lambda e, low, high: [[kind] for kind, count in sorted(collections.Counter(x["kind"] for x in e).items(), key=lambda x: (-x[1], x[0]))[:1] if count > 2],
    "SELECT location_number, max(time_ns) - min(time_ns) FROM events GROUP BY 1":
        lambda e, low, high: [[key, max(y["time_ns"] for y in x) - min(y["time_ns"] for y in x)] for key, x in by(e, lambda y: y["location"]).items()],
    "SELECT r.name, count(*) FROM events e JOIN regions r ON r.number = e.region_number WHERE e.kind = 'enter' GROUP BY r.number":
        lambda e, low, high: [row[1:] for row in grouped(of(e, "enter"), lambda x: (x["region"], name_of(x, "region")))],
}
# Calls by a stack need leaves that name nothing else: formats whose calls may overlap have others.
STACKED = {"where", "exchange", "compressed", "dumpi", "stencil", "paraver", "otf2"}
# Receives that name their senders, and have them in the trace.
MATCHED = {"exchange", "compressed", "picl", "stencil", "paraver", "otf2"}


def by(items, key):
    groups = collections.defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


class WithoutSqlite(FolderTest):
    """A library of that name that is none is found before the system's."""

    def setUp(self):
        super().setUp()
        with open(self.path("libsqlite3.so.0"), "wb"):
            pass
        self.environment = dict(os.environ, LD_LIBRARY_PATH=self.folder)

    def run_without(self, *arguments):
        return run(*arguments, env=self.environment)

    def test_queries_say_what_to_install(self):
        code, out, err = self.run_without("sql", WHERE, "select 1")
        self.assertEqual((2, ""), (code, out))
        self.assertIn("there is no SQL without SQLite: ", err)
        self.assertTrue(err.endswith("\n  install SQLite, on Debian libsqlite3-0\n"), err)

    def test_databases_leave_no_file(self):
        code, out, err = self.run_without("convert", WHERE, "-o", self.path("x.sqlite"))
        self.assertEqual((2, ""), (code, out))
        self.assertIn("there is no SQL without SQLite", err)
        self.assertEqual(["libsqlite3.so.0"], os.listdir(self.folder))

    def test_other_commands_do_not_need_it(self):
        for command in ("info", "cat", "profile", "check"):
            self.assertEqual(run(command, WHERE), self.run_without(command, WHERE))


class Sql(FolderTest):
    def compare(self, trace, query, second):
        events = cat(trace)
        times = [event["time_ns"] for event in events]
        low, high = times[len(times) // 4], times[3 * len(times) // 4]
        found = sql(trace, query.replace("LOW", str(low)).replace("HIGH", str(high)))
        expected = second(events, low, high)
        self.assertEqual(sorted(map(repr, expected)), sorted(map(repr, found)), query)
        return len(found)

    def test_sql_answers_as_python_does_over_the_events(self):
        rows = collections.Counter()
        traces = dict(TRACES)
        if run("convert", TRACES["exchange"], "-o", self.path("exchange.otf2"))[0] == 0 and run("info", self.path("exchange.otf2"))[0] == 0:  # libotf2 may be missing
            traces["otf2"] = self.path("exchange.otf2")
        for name, trace in traces.items():
            for query, second in QUERIES.items():
                if ("FROM calls" not in query or name in STACKED) and ("FROM messages" not in query or name in MATCHED):
                    with self.subTest(trace=name, query=query):
                        rows[query] += self.compare(trace, query, second)
        self.assertEqual([], [query for query in QUERIES if rows[query] == 0])
        self.assertGreaterEqual(len(rows), 40)

    # ---- Analyses, definitions, several traces ----

    def answer(self, trace, *command):
        """The rows of a command's first table, as objects."""
        answer = json.loads(run(*command[:1], trace, *command[1:], "--json", "--quiet")[1])
        table = answer if "rows" in answer else answer["tables"][0]
        return [dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]]

    def test_sql_options_are_columns_with_the_values_that_are_given(self):
        """So several answers in one query can be told apart."""
        alone = [[by, *row] for by in ("region", "location") for row in sql(TRACES["otf"], f"SELECT region, location, calls FROM profile('{by}')")]
        self.assertCountEqual(sql(TRACES["otf"], "SELECT by, region, location, calls FROM profile WHERE by IN ('region', 'location')"), alone)
        self.assertEqual(sql(TRACES["otf"], "SELECT DISTINCT by FROM profile"), [[None]])
        self.assertEqual(sql(TRACES["otf"], "SELECT DISTINCT expression FROM events('kind == send')"), [["kind == send"]])

    def test_sql_analyses_take_their_options_as_arguments_or_by_name(self):
        for query, command in (("SELECT * FROM profile", ["profile"]), ("SELECT * FROM profile('region')", ["profile", "--by", "region"]),
                               ("SELECT * FROM profile WHERE by = 'region'", ["profile", "--by", "region"]),
                               ("SELECT * FROM comm_pairs", ["comm", "--table", "pairs"]), ("SELECT * FROM regions", ["definitions", "regions"]),
                               ("SELECT * FROM calls_regions", ["calls", "--table", "regions"])):
            with self.subTest(query=query):
                expected = self.answer(WHERE, *command)
                columns = ", ".join(f'"{name}"' for name in expected[0])
                found = sql(WHERE, query.replace("*", columns))
                self.assertEqual(sorted(map(comparable, (row.values() for row in expected))), sorted(map(comparable, found)))

    def test_sql_schemas_are_those_of_the_traces(self):
        traces = [WHERE, TRACES["stencil"]]
        counts = [len(cat(trace)) for trace in traces]
        self.assertEqual([counts], sql(traces, "SELECT (SELECT count(*) FROM a.events), (SELECT count(*) FROM b.events)"))
        self.assertEqual([[counts[0]]], sql(traces, "SELECT count(*) FROM events"))
        both = sql(traces, "SELECT (SELECT sum(calls) FROM a.profile('region')), (SELECT sum(calls) FROM b.profile('region'))")
        self.assertEqual([[sql(trace, "SELECT sum(calls) FROM profile")[0][0] for trace in traces]], both)

    def test_sql_joins_read_a_trace_several_times_at_once(self):
        count = len(cat(WHERE))
        self.assertEqual([[count * count]], sql(WHERE, "SELECT count(*) FROM events a, events b"))
        # Each send and the call around it, from the list in tests/data/where/README.md.
        found = sql(WHERE, "WITH c AS MATERIALIZED (SELECT * FROM calls) SELECT e.time_ns, c.region FROM events e JOIN c ON c.location_number = "
                           "e.location_number AND e.time_ns BETWEEN c.begin_ns AND c.begin_ns + c.duration_ns WHERE e.kind = 'send' AND c.depth = 1")
        self.assertEqual([[21000, "MPI_Send"], [51000, "MPI_Isend"]], sorted(found))

    def test_sql_conditions_joined_by_or_choose_each_row_once(self):
        """A scan for each of them would have rows of the same numbers. Unary + keeps a condition from the reader."""
        for condition in ("kind = 'enter' OR location_number = 1", "time_ns < 21000 OR time_ns > 51000", "time_ns = 21000 OR kind = 'send' OR location = 'rank 1'",
                          "(kind = 'enter' AND location_number = 1 AND time_ns > 10) OR (kind = 'send' AND time_ns = 21000)"):
            unaided = condition.replace("kind", "+kind").replace("location", "+location").replace("time_ns", "+time_ns")
            for query in ("SELECT e.* FROM events e WHERE {}", "SELECT e.*, r.* FROM regions r JOIN events e ON r.number < 2 WHERE {}"):
                with self.subTest(query=query.format(condition)):
                    expected = sql(WHERE, query.format(unaided))
                    self.assertGreater(len(expected), 1)
                    self.assertEqual(sorted(map(repr, expected)), sorted(map(repr, sql(WHERE, query.format(condition)))))
        self.assertEqual([[1], [2]], sorted(sql(WHERE, "SELECT number FROM regions WHERE (number = 1 AND name > '') OR (number = 2 AND name >= '')")))

    def test_sql_conditions_on_the_length_of_waits_are_none_on_their_times(self):
        for trace in (WHERE, TRACES["picl"], TRACES["dumpi"]):
            times = sorted(row[0] for row in sql(trace, "SELECT time_ns FROM waits_instances"))
            self.assertEqual(times, sorted(row[0] for row in sql(trace, "SELECT time_ns FROM waits_instances WHERE time_ns >= 0")))
            middle = times[len(times) // 2]
            for condition in ("<=", "=", ">"):
                expected = [time for time in times if {"<=": time <= middle, "=": time == middle, ">": time > middle}[condition]]
                self.assertEqual(expected, sorted(row[0] for row in sql(trace, f"SELECT time_ns FROM waits_instances WHERE time_ns {condition} {middle}")))

    def test_sql_joins_that_need_numbers_of_rows_say_so(self):
        """Each event has a location that is defined, so all joins have a row for each."""
        count = len(cat(WHERE))
        for join in ("JOIN", "RIGHT JOIN"):
            self.assertEqual([[count]], sql(WHERE, f"SELECT count(*) FROM locations l {join} events e ON l.number = +e.location_number"))
            self.assertEqual([[count]], sql(WHERE, f"SELECT count(l.number) FROM events e {join} locations l ON l.number = e.location_number"))
        code, out, said = run("sql", WHERE, "SELECT count(*) FROM locations l RIGHT JOIN events e ON l.number = e.location_number")
        self.assertEqual((2, ""), (code, out))
        self.assertIn("put + before the columns of events", said)

    def test_sql_expressions_select_events(self):
        self.assertEqual([[2]], sql(WHERE, "SELECT count(*) FROM events('bytes > 1M')"))
        self.assertEqual(sql(WHERE, "SELECT count(*) FROM events WHERE bytes > 1000"), sql(WHERE, "SELECT count(*) FROM events('bytes > 1000')"))

    # ---- Functions and views ----

    def test_sql_functions_are_those_of_units_and_texts(self):
        self.assertEqual([[1.5, 1500000, 4096, 250, "2.50 ms", "-3.00 s", "17 ns", "1.50 KiB", "7 B"]],
                         sql(WHERE, "SELECT seconds(1500000000), quantity('1.5ms'), quantity('4Ki'), quantity('250'), time_text(2500000), time_text(-3e9), time_text(17), "
                                    "bytes_text(1536), bytes_text(7)"))
        self.assertEqual([[None, None, None, None, None]], sql(WHERE, "SELECT seconds(NULL), quantity(NULL), time_text(NULL), bytes_text(NULL), NULL REGEXP 'x'"))
        self.assertEqual([[1, 0, 1]], sql(WHERE, "SELECT 'MPI_Send' REGEXP 's.nd$', 'MPI_Send' REGEXP '^Send', 'a' NOT REGEXP 'b'"))
        for query, said in (("SELECT quantity('1.5 furlongs')", "a unit of time or size"), ("SELECT 'a' REGEXP '('", "missing closing parenthesis"),
                            ("SELECT percentile(1, 101)", "from 0 to 100"),
                            ("SELECT percentile(1, 'a')", "from 0 to 100")):
            self.assertIn(said, run("sql", WHERE, query)[2])

    def test_sql_percentiles_lie_between_values_in_proportion(self):
        values = "(SELECT 10 AS x UNION ALL SELECT 20 UNION ALL SELECT 30 UNION ALL SELECT NULL UNION ALL SELECT 40)"
        self.assertEqual([[10.0, 25.0, 37.0, 40.0]], sql(WHERE, f"SELECT percentile(x, 0), percentile(x, 50), percentile(x, 90), percentile(x, 100) FROM {values}"))
        self.assertEqual([[None]], sql(WHERE, "SELECT percentile(NULL, 50)"))

    def documented(self):
        with open(os.path.join(SOURCE, "docs/sql.md"), encoding="utf-8") as file:
            blocks = file.read().split("```sql\n")[1:]
        lines = [line for block in blocks for line in block.split("```")[0].splitlines() if not line.startswith("--")]
        return [query for query in " ".join(lines).split(";") if query.strip()]

    def test_sql_queries_of_the_documentation_run(self):
        rows = collections.Counter()
        for trace in ("where", "stencil", "charisma", "picl", "dumpi", "ovni", "otf"):
            for query in self.documented():
                rows[query] += len(sql(TRACES[trace], query))
        self.assertGreater(len(rows), 18)
        self.assertEqual([], [query for query, count in rows.items() if count == 0])

    def test_sql_views_are_what_tables_say_in_the_words_of_perfetto(self):
        trace = TRACES["stencil"]
        self.assertEqual(sql(trace, "SELECT region, begin_ns, duration_ns, location FROM calls ORDER BY call"),
                         sql(trace, "SELECT s.name, ts, dur, t.name AS thread FROM slice s JOIN thread_track k ON s.track_id = k.id JOIN thread t USING (utid) ORDER BY s.id"))
        messages = sql(trace, "SELECT sender_number, sent_ns, receiver_number, received_ns FROM messages")
        self.assertEqual(sorted(messages), sorted(sql(trace, "SELECT o.track_id AS a, o.ts AS b, i.track_id AS c, i.ts + i.dur AS d FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in")))
        nested = sql(WHERE, "SELECT c.name AS a, p.name AS b, c.depth - p.depth, c.track_id - p.track_id FROM slice c JOIN slice p ON p.id = c.parent_id")
        self.assertEqual(sql(WHERE, "SELECT region, parent, 1, 0 FROM calls WHERE parent NOT NULL"), nested)
        self.assertEqual([[1]], sql(WHERE, "SELECT sum(dur = -1) = (SELECT sum(unfinished) FROM calls) FROM slice"))
        self.assertEqual(sql(TRACES["otf"], "SELECT location_number, metric, time_ns, value FROM counters ORDER BY 3, 2, 1"),
                         sql(TRACES["otf"], "SELECT utid, t.name, ts, value FROM counter c JOIN counter_track t ON c.track_id = t.id ORDER BY 3, 2, 1"))

    def test_sql_flows_at_the_border_of_two_calls(self):
        """Both receives end when the next call begins; the second one takes no time."""
        program = [[*programs.receive(10, 50, 1), *programs.send(50, 60, 1)], [*programs.send(10, 20, 0), *programs.receive(60, 60, 0), *programs.send(60, 70, 0)],
                   [], []]
        program[0] += programs.receive(65, 80, 1)
        trace = programs.write(self.path("t.otf"), program)
        query = "SELECT o.ts, o.name, i.ts, i.name FROM flow JOIN slice o ON o.id = slice_out JOIN slice i ON i.id = slice_in ORDER BY o.ts"
        self.assertEqual([[10, "MPI_Send", 10, "MPI_Recv"], [50, "MPI_Send", 60, "MPI_Recv"], [60, "MPI_Send", 65, "MPI_Recv"]], sql(trace, query))
        self.assertEqual([[1, 3]], sql(trace, "SELECT min(id), max(arg_set_id) FROM flow"))

    def test_sql_tracks_are_those_of_slices_and_counters(self):
        self.assertEqual([[0]], sql(TRACES["otf"], "SELECT count(*) - count(DISTINCT id) FROM track"))
        self.assertEqual([["counter_track", 4], ["thread_track", 3]], sql(TRACES["otf"], "SELECT type, count(*) FROM track GROUP BY 1 ORDER BY 1"))
        self.assertEqual([[16.0, 0]], sql(TRACES["otf"], "SELECT value, upid FROM counter c JOIN process_counter_track t ON t.id = c.track_id WHERE t.name = 'PAPI_FP_OPS'"))
        self.assertEqual([[0, 0]], sql(TRACES["otf"], "SELECT (SELECT count(*) FROM thread_counter_track), (SELECT count(*) FROM cpu_counter_track)"))

    def test_sql_extract_arg_is_what_args_say(self):
        for trace in (WHERE, TRACES["stencil"], TRACES["dumpi"]):
            expected = sql(trace, "SELECT call, nullif(messages, 0), peer, tag, nullif(bytes_sent, 0), nullif(bytes_received, 0), NULL FROM calls ORDER BY 1")
            keys = ("messages", "peer", "tag", "bytes_sent", "bytes_received", "no_argument")
            found = [f"extract_arg(arg_set_id, 'args.{key}') AS {key}" for key in keys]
            for order in ("id", "dur DESC, id"):  # as they come, and not
                self.assertEqual(expected, sorted(sql(trace, f"SELECT id, {', '.join(found)} FROM slice ORDER BY {order}")))
            args = "SELECT arg_set_id, key, coalesce(int_value, string_value) AS value FROM args"
            self.assertEqual(sorted(map(repr, sql(trace, args))), sorted(repr([row[0], "args." + key, value]) for row in expected for key, value in zip(keys, row[1:]) if value is not None))
        self.assertEqual([[None, None, None]], sql(WHERE, "SELECT extract_arg(NULL, 'args.peer') AS a, extract_arg(-1, 'args.peer') AS b, extract_arg(0, NULL) AS c"))
        self.assertIn("EXTRACT_ARG is for one trace", run("sql", WHERE, WHERE, "SELECT extract_arg(0, 'args.peer')")[2])

    # ---- What is printed ----

    def test_sql_prints_tables_csv_and_json(self):
        query = "SELECT 'a,\"b' AS x, NULL AS n, 1.5 AS f, 7 AS i"
        self.assertEqual('x,n,f,i\n"a,""b",,1.5,7\n', run("sql", WHERE, query, "--csv")[1])
        self.assertEqual('{"x": "a,\\"b", "n": null, "f": 1.5, "i": 7}\n', run("sql", WHERE, query, "--json")[1])
        self.assertEqual('{"a": "\\u00ffA\\u0000"}\n', run("sql", WHERE, "SELECT x'ff4100' AS a", "--json")[1])
        self.assertEqual("i\n-\n7\n", run("sql", WHERE, "SELECT 7 AS i")[1])
        self.assertEqual("1\n1\n\n2\n2\n", run("sql", WHERE, "SELECT 1; SELECT 2;", "--csv")[1])

    def test_sql_columns_of_one_name_are_told_apart(self):
        query = "SELECT 1 AS a, 2 AS a, 3 AS 'a:1', 4 AS a"
        self.assertEqual("a,a:1,a:1:1,a:2\n1,2,3,4\n", run("sql", WHERE, query, "--csv")[1])
        most = run("sql", WHERE, "SELECT " + ", ".join(["1 AS a"] * 2000), "--csv")[1]
        self.assertEqual(["a", *(f"a:{number}" for number in range(1, 2000))], most.split("\n", maxsplit=1)[0].split(","))
        self.assertEqual({"a": 1, "a:1": 2, "a:1:1": 3, "a:2": 4}, json.loads(run("sql", WHERE, query, "--json")[1]))

    def test_sql_numbers_read_back_as_the_same(self):
        """0.1 + 0.2 is no neighbour of 0.3, 1 / 3 needs 16 digits; JSON has no number without an end."""
        query = "SELECT 0.1 + 0.2 AS x, 1.0 / 3 AS y, 2.0 AS z, -1e999 AS w"
        self.assertEqual("x,y,z,w\n0.30000000000000004,0.3333333333333333,2.0,-Inf\n", run("sql", WHERE, query, "--csv")[1])
        self.assertEqual('{"x": 0.30000000000000004, "y": 0.3333333333333333, "z": 2.0, "w": null}\n', run("sql", WHERE, query, "--json")[1])

    def test_sql_reads_queries_from_a_file_or_standard_input(self):
        with open(self.path("q.sql"), "w", encoding="utf-8") as file:
            file.write("-- a comment\nSELECT count(*) FROM regions;\n")
        expected = f"count(*)\n{len(self.answer(WHERE, 'definitions', 'regions'))}\n"
        self.assertEqual((0, expected, ""), run("sql", WHERE, "--file", self.path("q.sql"), "--csv"))
        with open(self.path("q.sql"), encoding="utf-8") as file:
            self.assertEqual((0, expected, ""), run("sql", WHERE, "--csv", stdin=file))

    def test_sql_refuses_what_is_no_text_of_queries(self):
        code, out, said = run("sql", WHERE)  # nothing on standard input
        self.assertEqual((2, ""), (code, out))
        self.assertIn("there is no query", said)
        code, out, said = run("sql", WHERE, "--file", "/dev/zero")
        self.assertEqual((4, ""), (code, out))
        self.assertIn("longer than 16 MiB", said)

    # ---- What goes wrong ----

    def test_sql_says_what_is_wrong(self):
        for query, said in (("SELEC 1", "syntax error"), ("SELECT x FROM events", "no such column: x"), ("SELECT * FROM no_table", "no such table: no_table"),
                            ("SELECT * FROM profile('nothing')", "expected one of"), ("SELECT * FROM events('bytes >')", "bytes >"),
                            ("SELECT * FROM regions(1)", "too many arguments")):
            with self.subTest(query=query):
                code, out, err = run("sql", WHERE, query)
                self.assertEqual((2, ""), (code, out))
                self.assertIn(said, err)

    def empty(self):
        os.makedirs(self.path("empty"), exist_ok=True)
        return self.path("empty")

    def test_sql_writes_nothing(self):
        for query in ("DELETE FROM events", "INSERT INTO regions VALUES (1)", "CREATE TABLE x (y)", "CREATE TEMP TABLE x AS SELECT 1", "DROP TABLE events",
                      "ATTACH 'x.db' AS z", "PRAGMA journal_mode = OFF", "VACUUM INTO 'x.db'", "SELECT load_extension('x')", "CREATE VIRTUAL TABLE v USING quipu",
                      "DETACH a"):
            with self.subTest(query=query):
                code, out, err = run("sql", WHERE, query, cwd=self.empty())
                self.assertEqual((2, ""), (code, out), err)
        self.assertEqual([], os.listdir(self.empty()))

    def test_sql_names_are_values_never_identifiers(self):
        name = "x'); DROP TABLE a.events; --"
        files = {"t.otf": "1:1\n", "t.0.def": f'DTR3b9aca00\nDP1NM"{name}"\n', "t.1.events": "1\n*1\nE1\n"}
        os.mkdir(self.path(name))
        for file_name, text in files.items():
            with open(os.path.join(self.path(name), file_name), "w", encoding="ascii") as file:
                file.write(text)
        self.assertEqual([[name, 1]], sql(os.path.join(self.path(name), "t.otf"), "SELECT location, count(*) FROM events GROUP BY 1"))

    def test_sql_endless_queries_are_interrupted(self):
        query = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        process = subprocess.Popen([QUIPU, "sql", WHERE, query], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(1)
            process.send_signal(2)
            self.assertNotEqual(0, process.wait(20))
        finally:
            process.kill()
            process.communicate()

    def test_sql_keeps_within_its_memory(self):
        code, out, err = run("sql", WHERE, "SELECT length(group_concat(hex(zeroblob(1000000)))) FROM events a, events b", "--max-memory", "64M")
        self.assertNotEqual(0, code)
        self.assertEqual("", out)
        self.assertIn("memory", err)

    def test_sql_percentiles_are_bounded_by_the_memory_of_readers(self):
        # 4 M values take 32 MB, which is more than SQLite's quarter of 64 MiB.
        numbers = "(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 4000001) SELECT x FROM n)"
        self.assertEqual((0, "p\n2000001.0\n"), run("sql", WHERE, f"SELECT percentile(x, 50) AS p FROM {numbers}", "--csv", "--max-memory", "64M")[:2])

    def test_sql_decimals_are_numbers(self):
        for name, text in (("c.otf", "1:1\n"), ("c.0.def", 'DTR3b9aca00\nDP1NM"p"\nDFG2NM"U"\nDF1G2NM"f"\nDF2G2NM"g"\nDCG1NM"g"\nDCNT1G1NM"cycles"P1U"#"\n'),
                           ("c.1.events", "0\n*1\nCNT1V0\nE1\na\n*1\nCNT1V9\nL1\nE2\n14\n*1\nCNT1V3f1\nL2\n")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        totals = "FROM profile_counters WHERE counters = 'yes'"  # 9 in f, and 1000 more in g
        self.assertEqual([[1000, "integer"]], sql(self.path("c.otf"), f"SELECT total, typeof(total) {totals} AND total > 100"))
        self.assertEqual([[1000]], sql(self.path("c.otf"), f"SELECT max(total) {totals}"))
        self.assertEqual([["g"], ["f"]], sql(self.path("c.otf"), f"SELECT region {totals} AND total > 0 ORDER BY total DESC"))

    def test_sql_values_have_a_longest(self):
        code, _, said = run("sql", WHERE, "SELECT length(hex(zeroblob(40000000)))")
        self.assertEqual(6, code, said)
        self.assertIn("too big", said)

    def test_sql_of_damaged_and_empty_traces(self):
        for name in ("w.otf", "w.0.def", "w.1.events", "w.2.events", "w.3.events", "w.0.marker"):
            with open(os.path.join(DATA, "where", name), "rb") as file:
                text = file.read()
            with open(self.path(name), "wb") as file:
                file.write(text[: len(text) - 30] if name == "w.1.events" else text)
        code, out, err = run("sql", self.path("w.otf"), "SELECT count(*) FROM events", "--csv")
        self.assertEqual((3, f"count(*)\n{len(cat(self.path('w.otf')))}\n"), (code, out))
        self.assertIn("w.1.events", err)
        for name, text in (("e.otf", "1:1\n"), ("e.0.def", 'DTR3b9aca00\nDP1NM"p"\n'), ("e.1.events", "")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        for table in ("events", "calls", "messages", "profile", "counters", "files"):
            self.assertEqual([[0]], sql(self.path("e.otf"), f"SELECT count(*) FROM {table}"))

    # ---- What is read ----

    def test_sql_windows_of_an_indexed_trace_read_a_part_of_it(self):
        # 200000 calls in 400000 us: from the last hundredth of the time on, a fiftieth of the bytes may be read.
        with open(self.path("t.otf"), "w", encoding="ascii") as file:
            file.write("1:1\n")
        with open(self.path("t.0.def"), "w", encoding="ascii") as file:
            file.write('DTRf4240\nDP1NM"p"\nDFG1NM"g"\nDF1G1NM"f"\n')
        with open(self.path("t.1.events"), "w", encoding="ascii") as file:
            file.write("".join(f"{2 * i:x}\n*1\nE1\n{2 * i + 1:x}\n*1\nL1\n" for i in range(200000)))
        trace = self.path("t.otf")
        self.assertEqual(0, run("index", trace, "--count", "200")[0])
        query = "SELECT count(*), min(time_ns) FROM events WHERE time_ns >= 396000000"
        code, out, err = run("sql", trace, query, "--json", "--verbose")
        self.assertEqual((0, {"count(*)": 4000, "min(time_ns)": 396000000}), (code, json.loads(out)))
        self.assertLess(int(err.split(" records")[0].split()[-1]), 0.05 * 400000)
        self.assertEqual([[400000, 0]], sql(trace, "SELECT count(*), min(time_ns) FROM events"))


if __name__ == "__main__":
    unittest.main()
