"""--set NAME=VALUE: options that the writer of a format declares, on every command that writes."""
import glob
import json
import os
import subprocess
import unittest

from folder import FolderTest

QUIPU = os.path.join(os.environ.get("QUIPU_BUILD", "build"), "quipu")
SMALL = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data/otf/small.otf")


class Settings(FolderTest):
    def run_on_small(self, command, *options, output="out.otf"):
        return subprocess.run(
            [QUIPU, command, SMALL, "-o", self.path(output), "--force", *options], capture_output=True, text=True)

    def events_of(self, command, *options):
        result = self.run_on_small(command, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        events = b""
        for name in sorted(glob.glob(self.path("out.*.events"))):
            with open(name, "rb") as file:
                events += file.read()
        return events

    def test_settings_long_spells_keywords_out(self):
        short, spelled_out = self.events_of("convert"), self.events_of("convert", "--set", "long=yes")
        self.assertIn(b"\nE1", short)
        self.assertIn(b"\nENTER ", spelled_out)
        self.assertNotIn(b"ENTER", short)

    def test_settings_that_come_last_decide(self):
        spelled_out = self.events_of("convert", "--set", "long=yes")
        self.assertEqual(self.events_of("convert", "--set", "long=yes", "--set=long=no"), self.events_of("convert"))
        self.assertEqual(self.events_of("convert", "--set", "long=no", "--set", "long=yes"), spelled_out)

    def test_settings_apply_to_every_command_that_writes(self):
        for command, *options in (["cut", "--since", "0"], ["merge"], ["snapshot", "--count", "2"], ["repair"]):
            self.assertIn(b"ENTER", self.events_of(command, *options, "--set", "long=yes"), command)

    def test_settings_that_a_format_does_not_have_are_refused_with_those_that_it_has(self):
        for options, said in (
            (["--set", "lang=yes"], 'quipu: otf has no option "lang"\n  its options: long=no|yes\n'),
            (["--set", "long=maybe"], 'quipu: option "long" of otf: found "maybe", expected one of no|yes\n'),
            (["--to", "chrome", "--set", "long=yes"], 'quipu: chrome has no option "long"\n  its options: snapshots=no|yes, statistics=no|yes\n'),
        ):
            result = self.run_on_small("convert", *options, output="refused.otf")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertEqual(result.stderr, said)
            self.assertFalse(os.path.exists(self.path("refused.otf")))

    def test_settings_have_a_name_and_a_value(self):
        for text in ("long", "=yes"):
            result = self.run_on_small("convert", "--set", text, output="refused.otf")
            self.assertEqual(result.returncode, 2)
            self.assertTrue(result.stderr.startswith('quipu: --set needs NAME=VALUE, not "%s"\n' % text), result.stderr)

    def test_settings_are_listed_with_the_formats_in_help_and_in_manual_pages(self):
        table = json.loads(subprocess.check_output([QUIPU, "formats", "--json"]))
        column = [c["name"] for c in table["columns"]].index("options")
        self.assertEqual({row[0]: row[column] for row in table["rows"]}["otf"], "long=no|yes")
        for command in ("convert", "cut", "merge", "snapshot", "repair"):
            self.assertIn("  otf: long=no|yes ", subprocess.check_output([QUIPU, command, "--help"], text=True))
        subprocess.check_call([QUIPU, "generate", "man-formats", self.folder])
        with open(self.path("quipu-otf.5")) as page:
            self.assertIn("\n.SH OPTIONS\n", page.read())


if __name__ == "__main__":
    unittest.main()
