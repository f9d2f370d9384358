"""What make fuzz relies on: the dictionary fits the record tables, every target is run, inputs are put together as they are
taken apart."""
import subprocess
import tempfile
import unittest
from pathlib import Path

from house import BUILD, SOURCE

FUZZ = SOURCE / "fuzz"


class Fuzz(unittest.TestCase):
    def test_fuzz_the_dictionary_is_that_of_the_record_tables(self):
        printed = subprocess.run([BUILD / "fuzz/fuzz_dictionary"], check=True, capture_output=True).stdout
        self.assertEqual((FUZZ / "quipu.dict").read_bytes(), printed, "build/fuzz/fuzz_dictionary >fuzz/quipu.dict")

    def test_fuzz_every_input_of_the_corpus_is_small(self):
        sizes = {path.name: path.stat().st_size for path in (FUZZ / "corpus").iterdir()}
        self.assertEqual({}, {name: size for name, size in sizes.items() if size > 32768})
        self.assertLess(sum(sizes.values()), 2_000_000)

    def test_fuzz_inputs_are_put_together_as_they_are_taken_apart(self):
        contents = {"ring.otf": b"1:1\n", "ring.0.def": b"", "ring.1.events": b"\0=== no\n\n==="}
        with tempfile.TemporaryDirectory() as above:
            folder = Path(above)
            for name, content in contents.items():
                (folder / name).write_bytes(content)
            files = [folder / name for name in contents]
            packed = subprocess.run([FUZZ / "pack", *files], check=True, capture_output=True).stdout
            (folder / "input").write_bytes(packed)
            subprocess.run([FUZZ / "pack", "--unpack", folder / "input", folder / "out"], check=True, capture_output=True)
            self.assertEqual(contents, {path.name: path.read_bytes() for path in (folder / "out").iterdir()})


if __name__ == "__main__":
    unittest.main()
