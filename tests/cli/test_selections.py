"""What --since, --until, --roi, --location, --processes and --where report: everything is read and matched, and answers of what is reported
add up to the whole. The same options, and the same meaning, for all analyses that have them."""
import random
import subprocess
import unittest

import folder
import programs

COMMANDS = ("why", "waits", "critical-path", "imbalance", "phases", "replay", "efficiency")
PASSIVE = ("barrier-completion", "nxn-completion", "io-wait")
SEEDS = range(12)


def total(rows, *keys, of="time_ns"):
    """Key of a row -> its sum."""
    totals = {}
    for row in rows:
        key = tuple(row[name] for name in keys)
        totals[key] = totals.get(key, 0) + row[of]
    return {key: value for key, value in totals.items() if value != 0}


def added(answers):
    totals = {}
    for part in answers:
        for key, value in part.items():
            totals[key] = totals.get(key, 0) + value
    return totals


def spread(rows):
    """Time of a region at all locations: what is lost is locations times the largest minus that."""
    return {(row["region"],): row["mean_ns"] for row in rows}


class Selections(folder.FolderTest):
    def traces(self, skew=0):
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = programs.random_program(numbers, numbers.randint(2, 5), 60, skew)
            yield seed, program, programs.write(self.path("t.otf"), program)

    @staticmethod
    def windows(program, count=3):
        """Windows that touch, with options; the last one has no end."""
        end = max(time for events in program for time, _ in events)
        bounds = [0] + [end * i // count for i in range(1, count)]
        return [("--since", str(low), "--until", str(high)) for low, high in zip(bounds, bounds[1:])] + [("--since", str(bounds[-1]))]

    @staticmethod
    def everywhere(program):
        """Each location by itself, chosen in three same."""
        return [[("--location", f"rank {i}"), ("--processes", str(i)), ("--where", f"location = 'rank {i}'")] for i in range(len(program))]

    def refused(self, *words):
        done = subprocess.run([programs.QUIPU, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""), words)
        return done.stderr.decode()

    def test_selections_are_the_same_for_all_commands(self):
        _, program, trace = next(self.traces())
        for command in COMMANDS:
            shown = subprocess.run([programs.QUIPU, command, "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
            for option in ("--since TIME", "--until TIME|end", "--roi all|REGION", "--location LIST", "--processes LIST", "--where EXPRESSION"):
                self.assertIn(option, shown, command)
            for same in self.everywhere(program):
                answers = [programs.tables(command, trace, *words) for words in same]
                self.assertEqual(answers, answers[:1] * 3, (command, same))
            everything = programs.tables(command, trace, "--roi", "all")
            for words in (("--location", "*"), ("--processes", f"0-{len(program) - 1}"), ("--where", "!(rank = 99)"), ("--since", "0"),
                          ("--until", "end")):
                roi = () if words[0] in ("--since", "--until") else ("--roi", "all")
                self.assertEqual(programs.tables(command, trace, *words, *roi), everything, (command, words))

    def test_selections_say_what_is_wrong(self):
        _, _, trace = next(self.traces())
        for command in COMMANDS:
            self.assertIn("--since is not before --until", self.refused(command, trace, "--since", "9", "--until", "9"))
            self.assertIn("exclude each other", self.refused(command, trace, "--roi", "work", "--since", "9"))
            self.assertIn('no region "walk"', self.refused(command, trace, "--roi", "walk"))
            self.assertIn('nothing enters "read"', self.refused(command, trace, "--roi", "read"))
            self.assertIn("no location", self.refused(command, trace, "--processes", "77"))
            self.assertIn("locations are chosen here", self.refused(command, trace, "--where", "rank = 0 && bytes > 1"))
            done = subprocess.run([programs.QUIPU, command, trace, "--where", "rank = 99"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"no location is selected", done.stderr, command)
        self.assertIn("is of one trace", self.refused("efficiency", trace, trace, "--location", "rank 0"))
        self.assertIn("-o excludes", self.refused("replay", trace, "--since", "9", "-o", self.path("o.otf")))

    def test_selections_a_region_of_interest_is_a_window(self):
        for seed, program, trace in self.traces(skew=20):
            work = {record: [time for events in program for time, it in events if it == record] for record in ("E2", "L2")}
            if not work["E2"]:
                continue
            window = ("--since", str(min(work["E2"])), "--until", str(max(work["L2"])))
            for command in COMMANDS:
                self.assertEqual(programs.tables(command, trace, "--roi", "work"), programs.tables(command, trace, *window), (seed, command))

    # ---- Windows ----

    def check_windows(self, command, *measures, skew=0, options=()):
        """Each measure is of the answer: the sum over windows that touch is that of everything."""
        for seed, program, trace in self.traces(skew):
            whole = programs.tables(command, trace, *options, "--roi", "all")
            answers = [programs.tables(command, trace, *options, *window) for window in self.windows(program)]
            for measure in measures:
                self.assertEqual(added(map(measure, answers)), measure(whole), seed)

    def test_selections_windows_of_waits_add_up(self):
        keys = ("pattern", "location", "path", "communicator", "peer")
        self.check_windows("waits", lambda found: total(found["waits"], *keys), lambda found: total(found["waits"], *keys, of="instances"),
                           lambda found: total(found["waits"], of="time_ns"), skew=20)

    def test_selections_windows_of_the_critical_path_add_up(self):
        self.check_windows("critical-path", lambda found: total(found["path_profile"], "region", of="path_ns"),
                           lambda found: total(found["path_profile"], "region", of="total_ns"),
                           lambda found: total(found["segments"], "location", of="duration_ns"),
                           lambda found: total(found["critical_path"], of="runtime_ns"), skew=20)

    def test_selections_windows_of_efficiency_add_up(self):
        self.check_windows("efficiency", lambda found: total(found["efficiency"], of="useful_sum_ns"),
                           lambda found: total(found["efficiency"], of="runtime_ns"), skew=20)

    def test_selections_windows_of_the_account_add_up(self):
        """What is charged to others is shared out wait by wait, so that only its sum is the same."""
        self.check_windows("why", lambda found: total([row for row in found["account"] if row["part"] == "lost"]),
                           lambda found: total([row for row in found["spent"] if row["kind"] != "waiting"], "kind", "location", "path"),
                           lambda found: total(found["spent"], "kind"), skew=20)

    def test_selections_windows_of_imbalance_add_up(self):
        """The time of all locations in a region is P times the largest minus what is lost."""
        for seed, program, trace in self.traces(skew=20):
            for options in ((), ("--inclusive",)):
                def times(found, count=len(program)):
                    return {(row["region"],): count * row["max_ns"] - row["lost_total_ns"] for row in found["imbalance"]}
                whole = times(programs.tables("imbalance", trace, *options))
                answers = [times(programs.tables("imbalance", trace, *options, *window)) for window in self.windows(program)]
                self.assertEqual(added(answers), whole, (seed, options))

    def test_selections_windows_of_phases_add_up(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = programs.repeating_program(numbers, numbers.randint(1, 4))
            trace = programs.write(self.path("t.otf"), program)
            whole = programs.tables("phases", trace, "--iterations")
            answers = [programs.tables("phases", trace, "--iterations", *window) for window in self.windows(program)]
            rows = [{name: value for name, value in row.items() if name != "representative"} for row in whole["iterations"]]
            found = [{name: value for name, value in row.items() if name != "representative"} for part in answers for row in part["iterations"]]
            self.assertEqual(sorted(map(str, found)), sorted(map(str, rows)), seed)
            for column in ("iterations", "sum_ns"):
                self.assertEqual(added(total(part["phases"], "phase", of=column) for part in answers), total(whole["phases"], "phase", of=column), seed)

    def test_selections_a_measured_replay_of_a_window_takes_its_time(self):
        """Without clock errors each call has its time: so has each part of the trace. On an ideal network it is that of efficiency."""
        for seed, program, trace in self.traces():
            runtime = 0
            for window in self.windows(program):
                row = programs.tables("replay", trace, *window)["replay"][0]
                self.assertEqual((row["replayed_ns"], row["error_percent"]), (row["runtime_ns"], 0), (seed, window))
                runtime += row["runtime_ns"]
                ideal = programs.tables("replay", trace, "--network", "ideal", *window)["replay"][0]
                self.assertEqual(ideal["replayed_ns"], programs.tables("efficiency", trace, *window)["efficiency"][0]["ideal_runtime_ns"], seed)
                for network in (("loggops",), ("dimemas", "--bandwidth", "1000000000")):
                    modelled = programs.tables("replay", trace, "--network", *network, *window)["replay"][0]
                    self.assertIsNotNone(modelled["replayed_ns"], (seed, network, window))
            self.assertEqual(runtime, programs.tables("replay", trace)["replay"][0]["runtime_ns"], seed)

    def test_selections_a_modelled_network_takes_what_is_in_the_window(self):
        """By hand: rank 0 sends 1 byte at 10 and again at 50; each message takes o 5, L 100, o 5. From 40 on only the second one is sent:
        rank 0 works 10 and sends 5, the message comes at 40 + 10 + 5 + 100, and is received in 5 more, 120 after 40."""
        program = [[programs.enter(0, "work"), *programs.send(10, 12, 1, length=1), *programs.send(50, 52, 1, length=1), programs.leave(60, "work")],
                   [programs.enter(0, "work"), *programs.receive(20, 30, 0, length=1), *programs.receive(55, 58, 0, length=1),
                    programs.leave(60, "work")]]
        trace = programs.write(self.path("t.otf"), program)
        network = ("--network", "loggops", "--latency", "100", "--overhead", "5", "--gap", "0", "--gap-per-byte", "0")
        row = programs.tables("replay", trace, *network, "--since", "40")["replay"][0]
        # Rank 1 is there at 40 + 15, receives at 160, and works 2 more until 162: 122 after 40.
        self.assertEqual((row["runtime_ns"], row["replayed_ns"], row["eager"]), (20, 122, 1))

    # ---- Locations ----

    def check_locations(self, command, *measures, options=()):
        for seed, program, trace in self.traces(skew=20):
            whole = programs.tables(command, trace, *options)
            answers = [programs.tables(command, trace, *options, *same[0]) for same in self.everywhere(program)]
            for measure in measures:
                self.assertEqual(added(map(measure, answers)), measure(whole), seed)

    def test_selections_locations_of_all_commands_add_up(self):
        keys = ("pattern", "location", "path", "communicator", "peer")
        self.check_locations("waits", lambda found: total(found["waits"], *keys), lambda found: total(found["waits"], *keys, of="instances"))
        self.check_locations("waits", lambda found: added([total(found["delays"], of="short_ns"), total(found["delays"], of="long_ns")]),
                             options=("--causes",))
        self.check_locations("critical-path", lambda found: total(found["path_profile"], "region", of="path_ns"),
                             lambda found: total(found["path_profile"], "region", of="total_ns"),
                             lambda found: total(found["segments"], "from_ns", "to_ns", "location", "region", "reason", of="duration_ns"),
                             lambda found: total(found["critical_path"], of="segment_count"),
                             lambda found: total(found["critical_path"], of="location_count"))
        self.check_locations("efficiency", lambda found: total(found["efficiency"], of="useful_sum_ns"),
                             lambda found: total(found["efficiency"], of="locations"))
        self.check_locations("why", lambda found: total([row for row in found["account"] if row["part"] == "lost"]),
                             lambda found: total([row for row in found["spent"] if row["kind"] != "waiting"], "kind", "location", "path"),
                             lambda found: total(found["spent"], "kind"))

    def test_selections_the_longest_location_is_that_of_all(self):
        for seed, program, trace in self.traces():
            answers = [same[0] for same in self.everywhere(program)]
            whole = programs.tables("efficiency", trace)["efficiency"][0]
            found = [programs.tables("efficiency", trace, *part)["efficiency"][0] for part in answers]
            for column in ("useful_max_ns", "ideal_runtime_ns"):
                self.assertEqual(max(row[column] for row in found), whole[column], seed)
            self.assertEqual({row["runtime_ns"] for row in found}, {whole["runtime_ns"]}, seed)
            replayed = [programs.tables("replay", trace, *part)["replay"][0] for part in answers]
            first = min(time for events in program for time, _ in events)
            for events, row in zip(program, replayed):
                self.assertEqual((row["runtime_ns"], row["error_percent"]), (max(time for time, _ in events) - first, 0), seed)
            regions = [spread(programs.tables("imbalance", trace, *part)["imbalance"]) for part in answers]
            for row in programs.tables("imbalance", trace)["imbalance"]:
                times = [part.get((row["region"],), 0) for part in regions]
                self.assertEqual((max(times), len(times) * max(times) - sum(times)), (row["max_ns"], row["lost_total_ns"]), seed)

    def test_selections_locations_of_iterations_add_up(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            program = programs.repeating_program(numbers, numbers.randint(1, 4))
            trace = programs.write(self.path("t.otf"), program)
            whole = programs.tables("phases", trace, "--iterations")
            answers = [programs.tables("phases", trace, "--iterations", *same[1]) for same in self.everywhere(program)]
            for column in ("useful_sum_ns", "wait_ns", "bytes"):
                self.assertEqual(added(total(part["iterations"], "phase", "iteration", of=column) for part in answers),
                                 total(whole["iterations"], "phase", "iteration", of=column), (seed, column))
            for part in answers:
                self.assertEqual(part["phases"], whole["phases"], seed)


if __name__ == "__main__":
    unittest.main()
