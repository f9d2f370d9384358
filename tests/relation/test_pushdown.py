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
EVENTS = 2000000


class Value(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("i", ctypes.c_int64), ("f", ctypes.c_double), ("text", ctypes.c_char_p), ("size", ctypes.c_size_t)]


for name, arguments in (("quipu_reader_open", [ctypes.c_char_p, POINTER, POINTER, POINTER]), ("quipu_reader_close", [POINTER]), ("quipu_sql_free", [POINTER]),
                        ("quipu_sql_new", [POINTER, POINTER, POINTER]), ("quipu_sql_add", [POINTER, ctypes.c_char_p, POINTER, POINTER]),
                        ("quipu_sql_begin", [POINTER, ctypes.c_char_p, POINTER, POINTER]), ("quipu_sql_next", [POINTER, POINTER]),
                        ("quipu_sql_at", [POINTER, ctypes.c_size_t])):
    if not SANITIZED:
        getattr(LIBRARY, name).argtypes = arguments
if not SANITIZED:
    LIBRARY.quipu_sql_at.restype = Value


def bytes_read():
    with open("/proc/self/io", encoding="ascii") as file:
        return int(file.readline().split()[1])


@unittest.skipIf(SANITIZED, "bytes are counted by a process without sanitizers")
class Pushdown(FolderTest):
    def ask(self, trace, query):
        """The number that a query gives, and how many bytes were read for it, from opening the trace on."""
        reader, sql, rest = POINTER(), POINTER(), POINTER()
        before = bytes_read()
        self.assertEqual(0, LIBRARY.quipu_reader_open(trace.encode(), None, ctypes.byref(reader), None))
        self.assertEqual(0, LIBRARY.quipu_sql_new(None, ctypes.byref(sql), None))
        self.assertEqual(0, LIBRARY.quipu_sql_add(sql, b"a", reader, None))
        self.assertEqual(0, LIBRARY.quipu_sql_begin(sql, query.encode(), ctypes.byref(rest), None))
        self.assertEqual(0, LIBRARY.quipu_sql_next(sql, None))
        answer = LIBRARY.quipu_sql_at(sql, 0).i
        count = bytes_read() - before
        LIBRARY.quipu_sql_free(sql)
        LIBRARY.quipu_reader_close(reader)
        return answer, count

    def test_pushdown_a_hundredth_of_the_time_is_less_than_a_twentieth_of_the_bytes(self):
        subprocess.run([os.path.join(BUILD, "bench", "generate"), "otf", self.path("run"), "--streams", "2", "--events", str(EVENTS)], check=True, stdout=subprocess.DEVNULL)
        trace = self.path("run.otf")
        subprocess.run([os.path.join(BUILD, "quipu"), "index", trace, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        size = sum(os.path.getsize(self.path(name)) for name in os.listdir(self.folder) if name.endswith("events"))
        end, everything = self.ask(trace, "SELECT max(time_ns) FROM events")
        self.assertGreaterEqual(everything, size)
        found, count = self.ask(trace, f"SELECT count(*) FROM events WHERE time_ns BETWEEN {end // 2} AND {end // 2 + end // 100}")
        self.assertGreater(found, EVENTS // 200)
        self.assertLess(count, size / 20)
        enters, count = self.ask(trace, f"SELECT count(*) FROM events WHERE kind = 'enter' AND time_ns >= {end // 2} AND time_ns < {end // 2 + end // 100}")
        self.assertGreater(found, enters)
        self.assertLess(count, size / 20)


if __name__ == "__main__":
    unittest.main()
