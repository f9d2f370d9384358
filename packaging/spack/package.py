# A recipe for Spack. It was compiled by Python and not run: Spack is not in Debian, and no release is on the network, so there is no checksum
# and no url yet. Names of dependencies are those of Spack's built-in repository as its documents list them.
#
#     spack repo create local && mkdir -p local/packages/quipu && cp package.py local/packages/quipu
#     spack repo add local && spack dev-build quipu@0.1.0
from spack.package import *


class Quipu(CMakePackage):
    """Records, reads, checks, repairs, converts and analyses event traces of parallel programs."""

    license("BSD-3-Clause")

    version("0.1.0")

    variant("mpi", default=True, description="Recorder of MPI, libpicl and ovnisync")
    variant("otf2", default=True, description="Read OTF2 traces")
    variant("sql", default=True, description="quipu sql")
    variant("isal", default=True, description="Inflate with ISA-L")
    variant("callsites", default=True, description="Lines of source code in quipu record --callsites")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("jansson")
    depends_on("pcre2")
    depends_on("isa-l", when="+isal target=x86_64:")
    depends_on("isa-l", when="+isal target=aarch64:")
    depends_on("otf2@3:", when="+otf2")
    depends_on("sqlite@3.38:", when="+sql")
    depends_on("elfutils", when="+callsites")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("QUIPU_TESTS", False),
            self.define_from_variant("QUIPU_OTF2", "otf2"),
            self.define_from_variant("QUIPU_SQL", "sql"),
            self.define_from_variant("QUIPU_ISAL", "isal"),
        ]
