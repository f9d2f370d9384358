"""What a query reads of a trace: conditions on times reach the reader and its index. The system counts the bytes that this process reads."""
import ctypes
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ.get("QUIPU_SOURCE", "."), "tests", "cli"))
from folder import FolderTest

BUILD = os.path.abspath(os.environ.get("QUIPU_BUILD", "build"))
SANITIZED = "-fsanitize" in os.environ.get("QUIPU_CFLAGS", "")
LIBRARY = None if SANITIZED else ctypes.CDLL(os.path.join(BUILD, "libquipu.so"))
POINTER = ctypes.c_void_p
TRACES = (("otf", ".otf", 2000000), ("dumpi", ".meta", 1400000), ("picl", ".picl", 2000000), ("ovni", "", 4000000), ("charisma", ".ctrace", 2000000))
ENDS = {"otf": 2, "dumpi": 4, "picl": 2}  # events of a message: DUMPI has a posting and a completion for each side


class Value(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("i", ctypes.c_int64), ("f", ctypes.c_double), ("text", ctypes.c_char_p), ("size", ctypes.c_size_t)]


for name, arguments in (("quipu_reader_open", [ctypes.c_char_p, POINTER, POINTER, POINTER]), ("quipu_reader_close", [POINTER]), ("quipu_sql_free", [POINTER]),
                        ("quipu_sql_new", [POINTER, POINTER, POINTER]), ("quipu_sql_add", [POINTER, ctypes.c_char_p, POINTER, POINTER]),
                        ("quipu_sql_begin", [POINTER, ctypes.c_char_p, POINTER, POINTER]), ("quipu_sql_next", [POINTER, POINTER]),
                        ("quipu_sql_at", [POINTER, ctypes.c_size_t]), ("quipu_reader_delivered", [POINTER])):
    if not SANITIZED:
        getattr(LIBRARY, name).argtypes = arguments
if not SANITIZED:
    LIBRARY.quipu_sql_at.restype = Value
    LIBRARY.quipu_reader_delivered.restype = ctypes.c_uint64


def bytes_read():
    with open("/proc/self/io", encoding="ascii") as file:
        return int(file.readline().split()[1])


@unittest.skipIf(SANITIZED, "bytes are counted by a process without sanitizers")
class Pushdown(FolderTest):
    def ask(self, trace, query):
        """The number that a query gives, how many bytes were read for it, from opening the trace on, and how many events the reader delivered."""
        reader, sql, rest = POINTER(), POINTER(), POINTER()
        before = bytes_read()
        self.assertEqual(0, LIBRARY.quipu_reader_open(trace.encode(), None, ctypes.byref(reader), None))
        self.assertEqual(0, LIBRARY.quipu_sql_new(None, ctypes.byref(sql), None))
        self.assertEqual(0, LIBRARY.quipu_sql_add(sql, b"a", reader, None))
        self.assertEqual(0, LIBRARY.quipu_sql_begin(sql, query.encode(), ctypes.byref(rest), None))
        self.assertEqual(0, LIBRARY.quipu_sql_next(sql, None))
        answer = LIBRARY.quipu_sql_at(sql, 0).i
        count, delivered = bytes_read() - before, LIBRARY.quipu_reader_delivered(reader)
        LIBRARY.quipu_sql_free(sql)
        LIBRARY.quipu_reader_close(reader)
        return answer, count, delivered

    def generate(self, form, suffix, count):
        subprocess.run([os.path.join(BUILD, "bench", "generate"), form, self.path(form), "--streams", "2", "--events", str(count)], check=True, stdout=subprocess.DEVNULL)
        files = (os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names)
        return self.path(form + suffix), sum(map(os.path.getsize, (file for file in files if file.startswith(self.path(form)))))

    def test_pushdown_a_hundredth_of_the_time_is_less_than_a_twentieth_of_the_bytes(self):
        for form, suffix, count in TRACES:
            trace, size = self.generate(form, suffix, count)
            subprocess.run([os.path.join(BUILD, "quipu"), "index", trace, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            end, everything, events = self.ask(trace, "SELECT max(time_ns) FROM events")
            self.assertGreaterEqual(everything, size)
            begin = self.ask(trace, "SELECT min(time_ns) FROM events")[0]
            middle, window = begin + (end - begin) // 2, (end - begin) // 100
            found, count, _ = self.ask(trace, f"SELECT count(*) FROM events WHERE time_ns BETWEEN {middle} AND {middle + window}")
            self.assertGreater(found, events // 200)
            self.assertLess(count, size / 20, form)
            enters, count, _ = self.ask(trace, f"SELECT count(*) FROM events WHERE kind = 'enter' AND time_ns >= {middle} AND time_ns < {middle + window}")
            self.assertGreater(found, enters)
            self.assertLess(count, size / 20, form)

    def test_pushdown_a_query_on_sends_gets_no_calls(self):
        for form, suffix, _ in (trace for trace in TRACES if trace[0] in ENDS):
            trace = self.generate(form, suffix, 5000)[0]
            events = self.ask(trace, "SELECT count(*) FROM events")
            self.assertEqual(events[0], events[2])
            for query, ends in (("events WHERE kind = 'send'", 1), ("events WHERE kind IN ('send', 'recv')", 1), ("messages", ENDS[form])):
                found, _, delivered = self.ask(trace, f"SELECT count(*) FROM {query}")
                self.assertGreater(found, 0)
                self.assertEqual(found * ends, delivered, f"{query} of {form}")


if __name__ == "__main__":
    unittest.main()
