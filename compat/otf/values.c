/* values.c: the bits of numbers: counters keep every kind of value in 64 bits. */
#include "internal.h"

#include <string.h>

uint64_t OTF_Unsigned2Counter(uint64_t value) {
    return value;
}

uint64_t OTF_Signed2Counter(int64_t value) {
    return (uint64_t)value;
}

uint64_t OTF_Float2Counter(float value) {
    return OTF_FloatToInt32(value);
}

uint64_t OTF_Double2Counter(double value) {
    return OTF_DoubleToInt64(value);
}

uint64_t OTF_Counter2Unsigned(uint64_t value) {
    return value;
}

int64_t OTF_Counter2Signed(uint64_t value) {
    return (int64_t)value;
}

float OTF_Counter2Float(uint64_t value) {
    return OTF_Int32ToFloat((uint32_t)value);
}

double OTF_Counter2Double(uint64_t value) {
    return OTF_Int64ToDouble(value);
}

uint32_t OTF_FloatToInt32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float OTF_Int32ToFloat(uint32_t value) {
    float number;
    memcpy(&number, &value, sizeof number);
    return number;
}

uint64_t OTF_DoubleToInt64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double OTF_Int64ToDouble(uint64_t value) {
    double number;
    memcpy(&number, &value, sizeof number);
    return number;
}
