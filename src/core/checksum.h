/* checksum.h: the CRC-32 of gzip (RFC 1952, section 8), by the fastest library that was built in. */
#ifndef QUIPU_CORE_CHECKSUM_H
#define QUIPU_CORE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of bytes that follow others with the checksum before; 0 when nothing precedes them. */
uint32_t quipu__crc32(uint32_t before, const void *data, size_t size);

#endif
