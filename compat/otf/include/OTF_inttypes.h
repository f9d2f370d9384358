/* OTF_inttypes.h: integer types, and how the values of counters are stored: a counter's value is 64 bits that
 * the counter's definition says how to read (OTF_COUNTER_VARTYPE_...). */
#ifndef OTF_INTTYPES_H
#define OTF_INTTYPES_H

#include "OTF_inttypes_unix.h"

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Reinterpret a 64-bit counter value as double. */
double OTF_Counter2Double(uint64_t value);

/* Reinterpret the low 32 bits of a counter value (first 4 bytes in memory) as float. */
float OTF_Counter2Float(uint64_t value);

/* Reinterpret a counter value as signed. */
int64_t OTF_Counter2Signed(uint64_t value);

/* Identity. */
uint64_t OTF_Counter2Unsigned(uint64_t value);

/* The bits of a double as a counter value. */
uint64_t OTF_Double2Counter(double value);

/* The bits of a float as a counter value, upper half 0. */
uint64_t OTF_Float2Counter(float value);

/* The bits of a signed value. */
uint64_t OTF_Signed2Counter(int64_t value);

/* Identity. */
uint64_t OTF_Unsigned2Counter(uint64_t value);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_INTTYPES_H */
