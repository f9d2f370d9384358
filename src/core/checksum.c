/* checksum.c: ISA-L takes an eighth of zlib's time, and may be missing. */
#include "core/checksum.h"

#if defined(QUIPU_HAS_ISAL)
#include <isa-l/crc.h>

uint32_t quipu__crc32(uint32_t before, const void *data, size_t size) {
    return crc32_gzip_refl(before, data, size);
}
#else
#include <zlib.h>

uint32_t quipu__crc32(uint32_t before, const void *data, size_t size) {
    return (uint32_t)crc32_z(before, data, size);
}
#endif
