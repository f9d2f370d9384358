# A recipe for Spack 1.0 and newer. Names, versions and variants of what it depends on were compared with Spack's package repository of July 2026, options
# with CMakeLists.txt by a test. Spack itself was not run: it was not to be had where this was written. No release is on the network yet, so there is neither
# a url nor a checksum:
#
#     spack repo create . local && mkdir -p spack_repo/local/packages/quipu && cp package.py spack_repo/local/packages/quipu
#     spack repo add spack_repo/local && spack dev-build quipu@0.1.0
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Quipu(CMakePackage):
    """Records, reads, checks, repairs, converts and analyses event traces of parallel programs."""

    license("BSD-3-Clause")

    version("0.1.0")

    variant("mpi", default=True, description="Recorder of MPI, quipu-mpi, libpicl and ovnisync")
    variant("otf2", default=True, description="Read OTF2 traces")
    variant("sql", default=True, description="quipu sql")
    variant("view", default=True, description="quipu view")
    variant("edit", default=True, description="History and completion at the prompt of quipu sql")
    variant("isal", default=True, description="Inflate with ISA-L")
    variant("callsites", default=True, description="Lines of source code in quipu record --callsites")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("jansson")
    depends_on("pcre2")
    depends_on("isa-l", when="+isal target=x86_64:")
    depends_on("isa-l", when="+isal target=aarch64:")
    depends_on("otf2@3:", when="+otf2")
    depends_on("sqlite@3.38:", when="+sql")
    depends_on("civetweb@1.15: +shared", when="+view")
    depends_on("libedit", when="+edit")
    depends_on("elfutils", when="+callsites")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("QUIPU_TESTS", False),
            self.define_from_variant("QUIPU_OTF2", "otf2"),
            self.define_from_variant("QUIPU_SQL", "sql"),
            self.define_from_variant("QUIPU_VIEW", "view"),
            self.define_from_variant("QUIPU_EDIT", "edit"),
            self.define_from_variant("QUIPU_ISAL", "isal"),
        ]
