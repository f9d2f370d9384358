"""Reads a file through the library's symbols alone, as bindings of other languages do. Prints what is in it."""
import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_int8, c_int16, c_int32, c_uint16, c_uint32, c_uint64, c_void_p


class Sizes(ctypes.Structure):
    _fields_ = [("count", c_int16), ("size", POINTER(c_int))]


class Header(ctypes.Structure):
    _fields_ = [("version", c_int8 * 3), ("starttime", c_uint64), ("hostname", c_char_p), ("username", c_char_p), ("meshdim", c_int),
                ("meshcrd", POINTER(c_int)), ("meshsize", POINTER(c_int))]


class Footer(ctypes.Structure):
    _fields_ = [("called", c_uint32 * 291), ("ignored", c_uint32 * 291)]


class Clock(ctypes.Structure):
    _fields_ = [("sec", c_int32), ("nsec", c_int32)]


class Time(ctypes.Structure):
    _fields_ = [("start", Clock), ("stop", Clock)]


class Send(ctypes.Structure):
    _fields_ = [("count", c_int), ("datatype", c_int16), ("dest", c_int32), ("tag", c_int32), ("comm", c_int16)]


ON_SEND = ctypes.CFUNCTYPE(c_int, POINTER(Send), c_uint16, POINTER(Time), POINTER(Time), c_void_p, c_void_p)

library = ctypes.CDLL(sys.argv[1])
library.undumpi_open.restype = c_void_p
library.dumpi_get_function_name.restype = c_char_p
profile = c_void_p(library.undumpi_open(sys.argv[2].encode()))
sizes, header, footer = Sizes(), Header(), Footer()
assert library.dumpi_read_datatype_sizes(profile, byref(sizes)) == 1
assert library.dumpi_read_header(profile, byref(header)) == 1
assert library.dumpi_read_footer(profile, byref(footer)) == 1
print(f"sizes={sizes.count} int={sizes.size[9]}")
print(f"version={list(header.version)} host={header.hostname.decode()} user={header.username.decode()}")
print("versions", [c_int8.in_dll(library, name).value for name in ("dumpi_version", "dumpi_subversion", "dumpi_subsubversion")])
print("second name", (c_char_p * 2).in_dll(library, "dumpi_function_names")[1].decode())
for number, called in enumerate(footer.called[:290]):
    if called:
        print(library.dumpi_get_function_name(number).decode(), called, footer.ignored[number])


@ON_SEND
def on_send(val, thread, cpu, wall, perf, userarg):
    del thread, cpu, perf, userarg
    send = val[0]
    print(f"send {send.count} of {send.datatype} to {send.dest} with {send.tag} in {send.comm} "
          f"at {wall[0].start.sec}.{wall[0].start.nsec:09d}")
    return 1


callbacks = (c_void_p * 291)()
library.libundumpi_clear_callbacks(callbacks)
callbacks[0] = ctypes.cast(on_send, c_void_p)
assert library.undumpi_read_stream(profile, callbacks, None, False) == 1
library.undumpi_close(profile)
