/* OTF_KeyValue.h: lists of key-value pairs that may precede any record. A list owns a pool of nodes; emptying
 * it keeps them. Write functions empty the list that they are given; handlers get the list of their record,
 * valid during the call. A byte array of more than 100 bytes takes several pairs with the same key.
 *
 * Results of append functions: 0, 1 when the key is there already (list unchanged), 255 for a NULL list or when
 * memory is out. Results of get functions: 0, 1 when the key is absent, 2 when its type is another one, 255 for
 * a NULL list; the value is set only with 0. */
#ifndef OTF_KEYVALUE_H
#define OTF_KEYVALUE_H

#include "OTF_Definitions.h"
#include "OTF_inttypes.h"

/* One piece of a byte array. len counts the bytes from this piece to the end of the array: it exceeds 100 in
 * all pieces but the last. */
typedef struct byte_array_struct {
    uint8_t array[OTF_KEYVALUE_MAX_ARRAY_LEN];
    uint32_t len;
} byte_array;

typedef union OTF_Value_union {
    char otf_char;
    int8_t otf_int8;
    uint8_t otf_uint8;
    int16_t otf_int16;
    uint16_t otf_uint16;
    int32_t otf_int32;
    uint32_t otf_uint32;
    int64_t otf_int64;
    uint64_t otf_uint64;
    float otf_float;
    double otf_double;
    byte_array otf_byte_array;
} OTF_Value;

typedef struct OTF_KeyValuePair_struct {
    uint32_t key;
    OTF_Type type;
    OTF_Value value;
} OTF_KeyValuePair;

typedef struct OTF_KeyValuePairList_struct {
    OTF_KeyValuePair kvPair;
    struct OTF_KeyValuePairList_struct *kvNext;
    struct OTF_KeyValuePairList_struct *kvPrev;
} OTF_KeyValuePairList;

typedef struct OTF_KeyValueList_struct {
    uint32_t key_count; /* keys */
    uint32_t count;     /* pairs; an array may take several */
    uint32_t size;      /* nodes of the pool */
    OTF_KeyValuePairList *kvBegin;
    OTF_KeyValuePairList *kvEnd;     /* last node of the pool */
    OTF_KeyValuePairList *kvCurrent; /* first free node */
} OTF_KeyValueList;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Bits of a double. */
uint64_t OTF_DoubleToInt64(double value);

/* Bits of a float. */
uint32_t OTF_FloatToInt32(float value);

/* Bits to float. */
float OTF_Int32ToFloat(uint32_t value);

/* Bits to double. */
double OTF_Int64ToDouble(uint64_t value);

/* Appends key with len bytes, stored in chunks of at most 100; len 0 appends nothing. Returns 0; 1 when the
 * key is there already; 255 for NULL or when memory is out. */
uint8_t OTF_KeyValueList_appendByteArray(OTF_KeyValueList *list, uint32_t key, uint8_t *value, uint32_t len);

/* Appends a value of type char. */
uint8_t OTF_KeyValueList_appendChar(OTF_KeyValueList *list, uint32_t key, char value);

/* Appends a value of type double. */
uint8_t OTF_KeyValueList_appendDouble(OTF_KeyValueList *list, uint32_t key, double value);

/* Appends a value of type float. */
uint8_t OTF_KeyValueList_appendFloat(OTF_KeyValueList *list, uint32_t key, float value);

/* Appends a value of type int16. */
uint8_t OTF_KeyValueList_appendInt16(OTF_KeyValueList *list, uint32_t key, int16_t value);

/* Appends a value of type int32. */
uint8_t OTF_KeyValueList_appendInt32(OTF_KeyValueList *list, uint32_t key, int32_t value);

/* Appends a value of type int64. */
uint8_t OTF_KeyValueList_appendInt64(OTF_KeyValueList *list, uint32_t key, int64_t value);

/* Appends a value of type int8. */
uint8_t OTF_KeyValueList_appendInt8(OTF_KeyValueList *list, uint32_t key, int8_t value);

/* Appends all pairs of source to dest, skipping keys already there. Returns 0; 1 for a NULL source or no
 * memory. */
uint8_t OTF_KeyValueList_appendKeyValueList(OTF_KeyValueList *dest_list, OTF_KeyValueList *source_list);

/* Appends one pair (chunk) as it is; byte-array chunks may repeat their key. Returns 0; 1 duplicate; 255 for
 * NULL or when memory is out. */
uint8_t OTF_KeyValueList_appendPair(OTF_KeyValueList *list, OTF_KeyValuePair pair);

/* Appends a value of type uint16. */
uint8_t OTF_KeyValueList_appendUint16(OTF_KeyValueList *list, uint32_t key, uint16_t value);

/* Appends a value of type uint32. */
uint8_t OTF_KeyValueList_appendUint32(OTF_KeyValueList *list, uint32_t key, uint32_t value);

/* Appends a value of type uint64. */
uint8_t OTF_KeyValueList_appendUint64(OTF_KeyValueList *list, uint32_t key, uint64_t value);

/* Appends a value of type uint8. */
uint8_t OTF_KeyValueList_appendUint8(OTF_KeyValueList *list, uint32_t key, uint8_t value);

/* Copies a list; NULL gives a new empty list. Returns the list; NULL without memory. */
OTF_KeyValueList *OTF_KeyValueList_clone(OTF_KeyValueList *list);

/* Frees the list. Returns 0; 1 and error for NULL. */
uint8_t OTF_KeyValueList_close(OTF_KeyValueList *list);

/* Total length of a byte array. Returns 0; 1 absent; 2 other type; 255 NULL. */
uint8_t OTF_KeyValueList_getArrayLength(OTF_KeyValueList *list, uint32_t key, uint32_t *len);

/* Copies a byte array; *len in: room, out: bytes copied. Returns 0; 1 key absent; 2 other type; 255 too
 * little room (as much as fits is copied), broken chunks, or NULL. */
uint8_t OTF_KeyValueList_getByteArray(OTF_KeyValueList *list, uint32_t key, uint8_t *value, uint32_t *len);

/* Gets the value of a key whose type must be char. */
uint8_t OTF_KeyValueList_getChar(OTF_KeyValueList *list, uint32_t key, char *value);

/* Number of keys; the pieces of one array count once. */
uint32_t OTF_KeyValueList_getCount(OTF_KeyValueList *list);

/* Gets the value of a key whose type must be double. */
uint8_t OTF_KeyValueList_getDouble(OTF_KeyValueList *list, uint32_t key, double *value);

/* Gets the value of a key whose type must be float. */
uint8_t OTF_KeyValueList_getFloat(OTF_KeyValueList *list, uint32_t key, float *value);

/* Gets the value of a key whose type must be int16. */
uint8_t OTF_KeyValueList_getInt16(OTF_KeyValueList *list, uint32_t key, int16_t *value);

/* Gets the value of a key whose type must be int32. */
uint8_t OTF_KeyValueList_getInt32(OTF_KeyValueList *list, uint32_t key, int32_t *value);

/* Gets the value of a key whose type must be int64. */
uint8_t OTF_KeyValueList_getInt64(OTF_KeyValueList *list, uint32_t key, int64_t *value);

/* Gets the value of a key whose type must be int8. */
uint8_t OTF_KeyValueList_getInt8(OTF_KeyValueList *list, uint32_t key, int8_t *value);

/* Key number index in the order of appending. Returns 0; 1 index too large (*key untouched); 2 and error for
 * NULL. */
uint8_t OTF_KeyValueList_getKeyByIndex(OTF_KeyValueList *list, uint32_t index, uint32_t *key);

/* Pointer to pair number index (first chunk of an array). Returns 0; 1 index too large; 2 and error for NULL.
 */
uint8_t OTF_KeyValueList_getPairByIndex(OTF_KeyValueList *list, uint32_t index, OTF_KeyValuePair **pair);

/* Type of a key's value. Returns OTF_Type; OTF_UNKNOWN (-1) when absent or NULL. */
OTF_Type OTF_KeyValueList_getTypeForKey(OTF_KeyValueList *list, uint32_t key);

/* Gets the value of a key whose type must be uint16. */
uint8_t OTF_KeyValueList_getUint16(OTF_KeyValueList *list, uint32_t key, uint16_t *value);

/* Gets the value of a key whose type must be uint32. */
uint8_t OTF_KeyValueList_getUint32(OTF_KeyValueList *list, uint32_t key, uint32_t *value);

/* Gets the value of a key whose type must be uint64. */
uint8_t OTF_KeyValueList_getUint64(OTF_KeyValueList *list, uint32_t key, uint64_t *value);

/* Gets the value of a key whose type must be uint8. */
uint8_t OTF_KeyValueList_getUint8(OTF_KeyValueList *list, uint32_t key, uint8_t *value);

/* Is the key in the list. Returns 0 yes; 1 no; 2 and error for NULL. */
uint8_t OTF_KeyValueList_hasKey(OTF_KeyValueList *list, uint32_t key);

/* Empties list with room for 10 pairs. Returns the list; NULL without memory. */
OTF_KeyValueList *OTF_KeyValueList_new(void);

/* Makes room for num more pairs. Returns 0; 1 on failure or NULL. */
uint8_t OTF_KeyValueList_realloc(OTF_KeyValueList *list, uint32_t num);

/* Takes the key out. Returns 0; 1 when it is absent; 2 and error for NULL. */
uint8_t OTF_KeyValueList_removeKey(OTF_KeyValueList *list, uint32_t key);

/* Empties the list, keep its memory. Returns 0; 1 and error for NULL. */
uint8_t OTF_KeyValueList_reset(OTF_KeyValueList *list);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_KEYVALUE_H */
