#!/usr/bin/env python3
"""Packs the Python package as a wheel: wheel.py PACKAGE FOLDER, where PACKAGE is build/python/quipu; or its sources: wheel.py --sdist FOLDER. It prints the
path of what it wrote. pip builds wheels from the sources through the functions at the end.

The wheel is for all versions of Python from 3.9 on (abi3), and for systems whose C library is as new as the oldest that has all functions which the
extension uses: the extension itself says so. Shared libraries that the system does not promise lie beside it, stripped like it. With them come the licences
of what is linked in. Equal files give equal wheels and sources."""
import base64
import gzip
import hashlib
import io
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
SYSTEM = re.compile(r"^(lib(c|m|pthread|dl|rt)\.so|libc\.musl|ld-(linux|musl))")
LINKED = ("zlib1g-dev", "libzstd-dev", "libjansson-dev", "libpcre2-dev", "libsqlite3-dev", "libotf2-trace-dev", "libisal-dev")

METADATA = """\
Metadata-Version: 2.1
Name: quipu-trace
Version: {version}
Summary: Event traces of parallel programs: read, check, convert, analyse; in SQL, pandas, polars
License-File: LICENSE
Requires-Python: >=3.9
Classifier: Programming Language :: Python :: 3
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{description}"""


def metadata():
    return METADATA.format(version=version(), description=(SOURCE / "python/README.md").read_text()).encode()


def output_of(*command):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True, text=True).stdout


def version():
    text = (SOURCE / "include/quipu/base.h").read_text()
    return ".".join(re.search(rf"define QUIPU_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def shared_libraries(extension):
    """(name, path) of those that it needs and the system does not promise."""
    needed = [name for name in re.findall(r"NEEDED.*\[(.*)\]", output_of("readelf", "-d", extension)) if not SYSTEM.match(name)]
    found = dict(re.findall(r"(\S+) => (\S+)", output_of("ldd", extension))) if needed else {}  # ldd knows no other C library
    return [(name, found[name]) for name in needed]


def platform_tag(files):
    machine = platform.machine()
    names = "".join(output_of("readelf", "-d", "-V", file) for file in files)
    if "libc.musl" in names or "[libc.so]" in names:  # musl's own name is the latter
        return f"musllinux_1_2_{machine}"
    versions = [tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", names)]
    return f"manylinux_{max(versions)[0]}_{max(versions)[1]}_{machine}"


def stripped(path, name, folder):
    out = Path(folder, name)
    subprocess.run(["strip", "--strip-unneeded", "-o", out, path], check=True)
    return out


def contents(package, binaries):
    """{name in the wheel: bytes} of all but RECORD, and the tag."""
    files = {f"quipu/{path.name}": path.read_bytes() for path in [*package.glob("*.py"), *package.glob("*.pyi"), package / "py.typed", *binaries]}
    info = f"quipu_trace-{version()}.dist-info"
    tag = f"cp39-abi3-{platform_tag(binaries)}"
    files[f"{info}/METADATA"] = metadata()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: quipu\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/licenses/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    for name in LINKED:
        licence = Path("/usr/share/doc", name, "copyright")
        if licence.exists():
            files[f"{info}/licenses/{name}"] = licence.read_bytes()
    return files, info, tag


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def pack(package, folder):
    extension = package / "_quipu.abi3.so"
    with tempfile.TemporaryDirectory() as scratch:
        libraries = [(extension.name, extension), *shared_libraries(extension)]
        files, info, tag = contents(package, [stripped(path, name, scratch) for name, path in libraries])
    record = "".join(record_line(name, data) for name, data in sorted(files.items())) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"quipu_trace-{version()}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files, key=lambda each: (each.startswith(info), each)):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name])
    return wheel


def pack_sources(folder):
    """What is tracked but the tests, in the order of names, with no times and owners of this machine."""
    top = f"quipu_trace-{version()}"
    files = {name: SOURCE / name for name in output_of("git", "-C", SOURCE, "ls-files").splitlines() if not name.startswith(("tests/", ".ci/"))}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{top}.tar.gz"
    with open(path, "wb") as out, gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted([*files, "PKG-INFO"]):
            data = files[name].read_bytes() if name in files else metadata()
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size = len(data)
            member.mode = 0o755 if name in files and files[name].stat().st_mode & 0o100 else 0o644
            tar.addfile(member, io.BytesIO(data))
    return path


# What pip calls (PEP 517).


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without it pip builds the wheel twice."""
    info = Path(metadata_directory, f"quipu_trace-{version()}.dist-info")
    info.mkdir(parents=True)
    (info / "METADATA").write_bytes(metadata())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as build:
        subprocess.run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", build, "-DQUIPU_TESTS=OFF", "-DQUIPU_SQLITE_LINKED=ON", f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "quipu_python"], check=True)
        return pack(Path(build, "python/quipu"), Path(wheel_directory)).name


def build_sdist(sdist_directory, config_settings=None):
    return pack_sources(Path(sdist_directory)).name


if __name__ == "__main__":
    print(pack_sources(Path(sys.argv[2])) if sys.argv[1] == "--sdist" else pack(Path(sys.argv[1]).absolute(), Path(sys.argv[2])))
