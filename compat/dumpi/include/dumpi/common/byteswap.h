/* byteswap.h: numbers with their bytes in opposite order. */
#ifndef DUMPI_COMMON_BYTESWAP_H
#define DUMPI_COMMON_BYTESWAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint16_t dumpi_swap16(uint16_t val) {
    return (uint16_t)(val << 8 | val >> 8);
}

static inline uint32_t dumpi_swap32(uint32_t val) {
    return (uint32_t)dumpi_swap16((uint16_t)val) << 16 | dumpi_swap16((uint16_t)(val >> 16));
}

#ifdef __cplusplus
}
#endif
#endif
