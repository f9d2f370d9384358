"""cat: times in each style, fields, names beside numbers, attributes as JSON, record types, windows in percent and by length."""
import datetime
import json
import os
import subprocess
import unittest

from folder import FolderTest

SOURCE = os.environ.get("QUIPU_SOURCE", ".")
QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
EXCHANGE = os.path.join(SOURCE, "tests/data/cli/exchange.otf")
PHASES = os.path.join(SOURCE, "examples/traces/phases")


def run(*arguments):
    done = subprocess.run([QUIPU, "cat", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def lines(*arguments):
    code, out, err = run(*arguments)
    assert code == 0, (code, err)
    return out.splitlines()


def events(*arguments):
    return [json.loads(line) for line in lines(*arguments, "--json")]


class Cat(FolderTest):
    def test_cat_shows_times_with_their_unit_in_one_column(self):
        """Ticks are microseconds here, and the first two events are at 10."""
        first = {"relative": "0.000010000s", "absolute": "0.000010000s", "ticks": "10", "delta": "+0.000000000s"}
        for style, text in first.items():
            shown = lines(EXCHANGE, "--time", style)
            self.assertEqual(shown[0].split("  rank")[0].strip(), text)
            self.assertEqual({line.index("  rank") for line in shown}, {15})
        units = {"s": "0.000100000s", "ms": "0.100000ms", "us": "100.000us", "ns": "100000ns"}
        for unit, text in units.items():
            self.assertEqual(lines(EXCHANGE, "--unit", unit)[-1].split()[0], text)
        self.assertEqual(lines(EXCHANGE, "--time", "delta")[2].split()[0], "+0.000010000s")

    def test_wall_times_are_those_of_utc_whatever_the_zone_of_the_reader(self):
        expected = lines(PHASES, "--time", "wall", "--fields", "time")
        self.assertTrue(all(time.endswith("Z") for time in expected))
        for zone in ("Europe/Berlin", "America/New_York", "XYZ-1ABC,M3.5.0,M10.5.0/3", "ABC+11:30", "no/zone"):
            done = subprocess.run([QUIPU, "cat", PHASES, "--time", "wall", "--fields", "time"], check=True, capture_output=True,
                                  encoding="utf-8", env=dict(os.environ, TZ=zone))
            self.assertEqual(done.stdout.splitlines(), expected, zone)

    def test_local_times_are_those_of_the_zone_of_the_reader(self):
        wall = [datetime.datetime.fromisoformat(time[:26] + "+00:00") for time in lines(PHASES, "--time", "wall", "--fields", "time")]
        for zone, ahead in (("ABC-5:30", "+05:30"), ("XYZ8", "-08:00"), ("UTC0", "+00:00")):
            done = subprocess.run([QUIPU, "cat", PHASES, "--time", "local", "--fields", "time"], check=True, capture_output=True,
                                  encoding="utf-8", env=dict(os.environ, TZ=zone))
            local = [(time[:26], time[29:]) for time in done.stdout.splitlines()]
            self.assertEqual({behind for _, behind in local}, {ahead})
            self.assertEqual([datetime.datetime.fromisoformat(time + behind) for time, behind in local], wall)

    def test_cat_shows_the_time_of_day_where_it_is_known(self):
        """Wall time is the Unix time of the origin and the time since."""
        origin = json.loads(subprocess.run([QUIPU, "info", "--json", PHASES], capture_output=True,
                                           check=True).stdout)["time"]["unix_origin_ns"]
        shown = lines(PHASES, "--time", "wall", "--fields", "time", "-n", "1")[0]
        of_date = subprocess.run(["date", "-u", "+%s%N", "-d", shown], capture_output=True, text=True, check=True)
        self.assertEqual(int(of_date.stdout), origin + events(PHASES, "-n", "1")[0]["time_ns"])
        code, _, err = run(EXCHANGE, "--time", "wall")
        self.assertEqual(code, 2)
        self.assertIn("does not say at what time of day", err)

    def test_cat_times_can_be_given_back(self):
        for style in ("relative", "ticks"):
            last = lines(PHASES, "--time", style, "--fields", "time")[-1].strip()
            self.assertEqual(lines(PHASES, "--since", last, "--time", style, "--fields", "time")[0].strip(), last)

    def test_cat_json_has_names_beside_numbers(self):
        send = events(EXCHANGE, "--kind", "send")[0]
        self.assertEqual([send["location"], send["location_name"]], [0, "rank 0"])
        self.assertEqual([send["peer"], send["peer_name"]], [1, "rank 1"])
        self.assertEqual([send["communicator"], send["communicator_name"]], [0, "world"])
        enter = events(EXCHANGE, "--kind", "enter")[0]
        self.assertEqual([enter["region"], enter["region_name"]], [0, "main"])

    def test_cat_json_attributes_are_json(self):
        calls = [event for event in events(PHASES, "--kind", "enter")]
        sends = [call["attributes"] for call in calls if "datatype_name" in call["attributes"]]
        self.assertEqual({a["datatype_name"] for a in sends if a["datatype"] == 9} or {"MPI_INT"}, {"MPI_INT"})
        lists = [v for call in calls for v in call["attributes"].values() if isinstance(v, list)]
        self.assertTrue(lists)
        for call in calls:
            for value in call["attributes"].values():
                self.assertFalse(isinstance(value, str) and value[:1] in "[{", value)

    def test_cat_text_shows_predefined_values_by_name(self):
        text = "\n".join(lines(PHASES))
        self.assertRegex(text, r"comm=2\(MPI_COMM_WORLD\)")
        self.assertRegex(text, r"datatype=\d+\(MPI_[A-Z]+\)")

    def test_cat_fields_leave_out_the_rest(self):
        self.assertEqual(events(EXCHANGE, "--kind", "send", "--fields", "peer,bytes"),
                         [{"peer": 1, "peer_name": "rank 1", "bytes": 1000}])
        self.assertEqual(lines(EXCHANGE, "--kind", "send", "--fields", "bytes", "--fields", "kind"), ["send bytes=1000"])
        self.assertEqual(lines(PHASES, "--region", "MPI_Comm_rank", "--kind", "enter", "--location", "rank:0",
                               "--fields", "comm"), ["comm=2(MPI_COMM_WORLD)"])
        code, _, err = run(EXCHANGE, "--fields", "tme")
        self.assertEqual((code, err.splitlines()[0]), (2, 'quipu: events have no field "tme"'))

    def test_cat_records_of_some_types(self):
        types = [json.loads(line)["type"] for line in
                 lines(EXCHANGE, "--records", "--json", "--record-type", "Def*,SendMsg", "--no-definitions")]
        self.assertEqual(types, ["SendMsg"])
        every = [json.loads(line)["type"] for line in lines(EXCHANGE, "--records", "--json", "--no-definitions")]
        self.assertEqual(sorted(set(every)), ["CollectiveOperation", "Enter", "Leave", "RecvMsg", "SendMsg"])
        self.assertEqual(len(lines(EXCHANGE, "--records", "--record-type", "Enter", "-n", "3")), 3)
        for arguments, text in ((("--records", "--record-type", "SendMsh"), "did you mean SendMsg?"),
                                (("--no-definitions",), "needs --records"),
                                (("--records", "--time", "ticks"), "cannot be used with --records")):
            code, _, err = run(EXCHANGE, *arguments)
            self.assertEqual(code, 2)
            self.assertIn(text, err)

    def test_windows_in_percent_and_by_length(self):
        """Events lie from 10 to 100 ticks: the span is 91 ticks, 50 % of it 45.5, so half is from tick 55 on."""
        def times(*window):
            return [event["time"] for event in events(EXCHANGE, *window)]
        every = times()
        self.assertEqual(times("--since", "50%"), [t for t in every if t >= 55])
        self.assertEqual(times("--until", "50%"), [t for t in every if t < 55])
        self.assertEqual(times("--since", "0%", "--until", "100%"), every)
        self.assertEqual(times("--since", "20", "--for", "20us"), [t for t in every if 20 <= t < 40])
        self.assertEqual(times("--until", "60", "--for", "15"), [t for t in every if 45 <= t < 60])
        self.assertEqual(times("--for", "10us"), [10, 10])
        self.assertEqual(times("--since", "50%", "--for", "10%"), [t for t in every if 55 <= t < 64])
        self.assertEqual(times("--since", "12.5%", "--for", "1us"), [])
        for window, text in ((("--since", "120%"), "50%"), (("--for", "0"), "above 0"), (("--for", "-5us"), "above 0"),
                             (("--since", "1", "--until", "2", "--for", "1"), "two of them"),
                             (("--since", "60%", "--until", "40%"), "is not before")):
            code, _, err = run(EXCHANGE, *window)
            self.assertEqual(code, 2, window)
            self.assertIn(text, err)

    def test_windows_in_percent_are_the_same_for_every_command(self):
        part = self.path("part.otf")
        subprocess.run([QUIPU, "cut", EXCHANGE, "-o", part, "--since", "50%", "--quiet"], check=True)
        self.assertEqual(min(event["time"] for event in events(part)), 55)
        rows = json.loads(subprocess.run([QUIPU, "profile", "--since", "50%", "--json", EXCHANGE],
                                         capture_output=True, check=True).stdout)["rows"]
        self.assertTrue(rows)
        state = subprocess.run([QUIPU, "state", "--at", "50%", EXCHANGE], capture_output=True, text=True, check=True)
        self.assertIn("MPI_Barrier", state.stdout)


if __name__ == "__main__":
    unittest.main()
