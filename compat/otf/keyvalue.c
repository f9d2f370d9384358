/* keyvalue.c: lists of key-value pairs.
 *
 *     kvBegin ─ used ─ used ─ kvCurrent ─ free ─ … ─ kvEnd
 *
 * A list is a chain of nodes that only grows; count of them are in use. One free node is always left, so that
 * kvCurrent is never NULL. A byte array takes a node for each 100 bytes, all with the same key.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define NODES_AT_FIRST 10u
#define NODES_MORE 10u

enum { DONE = 0, DUPLICATE = 1, ABSENT = 1, OTHER_TYPE = 2, FAILED = 255 };

static uint8_t fail(uint8_t status, const char *what) {
    OTF_Error("key-value list: %s", what);
    return status;
}

/* ---- The pool ---- */

/* Adds one free node at the end. */
static bool add_node(OTF_KeyValueList *list) {
    OTF_KeyValuePairList *node = calloc(1, sizeof *node);
    if (!node)
        return false;
    node->kvPrev = list->kvEnd;
    if (list->kvEnd)
        list->kvEnd->kvNext = node;
    else
        list->kvBegin = list->kvCurrent = node;
    list->kvEnd = node;
    list->size++;
    return true;
}

uint8_t OTF_KeyValueList_realloc(OTF_KeyValueList *list, uint32_t num) {
    if (!list)
        return 1;
    while (num-- > 0) {
        if (!add_node(list))
            return fail(1, "no memory");
    }
    return 0;
}

OTF_KeyValueList *OTF_KeyValueList_new(void) {
    OTF_KeyValueList *list = calloc(1, sizeof *list);
    if (list && OTF_KeyValueList_realloc(list, NODES_AT_FIRST) == 0)
        return list;
    if (list)
        OTF_KeyValueList_close(list);
    return NULL;
}

uint8_t OTF_KeyValueList_close(OTF_KeyValueList *list) {
    if (!list)
        return fail(1, "nothing to close");
    for (OTF_KeyValuePairList *node = list->kvBegin, *next; node; node = next) {
        next = node->kvNext;
        free(node);
    }
    free(list);
    return 0;
}

uint8_t OTF_KeyValueList_reset(OTF_KeyValueList *list) {
    if (!list)
        return fail(1, "nothing to empty");
    list->key_count = 0;
    list->count = 0;
    list->kvCurrent = list->kvBegin;
    return 0;
}

/* ---- Finding ---- */

/* The first pair with the key, or NULL. */
static OTF_KeyValuePairList *find(const OTF_KeyValueList *list, uint32_t key) {
    for (OTF_KeyValuePairList *node = list->kvBegin; node != list->kvCurrent; node = node->kvNext) {
        if (node->kvPair.key == key)
            return node;
    }
    return NULL;
}

/* True when a node continues the array of the node before it. */
static bool continues(const OTF_KeyValueList *list, const OTF_KeyValuePairList *node) {
    return node != list->kvBegin && node->kvPrev->kvPair.key == node->kvPair.key;
}

static OTF_KeyValuePairList *find_index(const OTF_KeyValueList *list, uint32_t index) {
    for (OTF_KeyValuePairList *node = list->kvBegin; node != list->kvCurrent; node = node->kvNext) {
        if (continues(list, node))
            continue;
        if (index-- == 0)
            return node;
    }
    return NULL;
}

uint8_t OTF_KeyValueList_hasKey(OTF_KeyValueList *list, uint32_t key) {
    if (!list)
        return fail(2, "no list to search");
    return find(list, key) ? 0 : 1;
}

uint32_t OTF_KeyValueList_getCount(OTF_KeyValueList *list) {
    return list->key_count;
}

OTF_Type OTF_KeyValueList_getTypeForKey(OTF_KeyValueList *list, uint32_t key) {
    const OTF_KeyValuePairList *node = list ? find(list, key) : NULL;
    return node ? node->kvPair.type : OTF_UNKNOWN;
}

uint8_t OTF_KeyValueList_getKeyByIndex(OTF_KeyValueList *list, uint32_t index, uint32_t *key) {
    OTF_KeyValuePair *pair;
    const uint8_t status = OTF_KeyValueList_getPairByIndex(list, index, &pair);
    if (status == 0)
        *key = pair->key;
    return status;
}

uint8_t OTF_KeyValueList_getPairByIndex(OTF_KeyValueList *list, uint32_t index, OTF_KeyValuePair **pair) {
    if (!list)
        return fail(2, "no list to search");
    OTF_KeyValuePairList *node = find_index(list, index);
    if (!node)
        return 1;
    *pair = &node->kvPair;
    return 0;
}

/* ---- Appending ---- */

/* Copies a pair into the next free node. */
static uint8_t append(OTF_KeyValueList *list, const OTF_KeyValuePair *pair) {
    if (list->kvCurrent == list->kvEnd && OTF_KeyValueList_realloc(list, NODES_MORE) != 0)
        return FAILED;
    OTF_KeyValuePairList *node = list->kvCurrent;
    node->kvPair = *pair;
    if (!continues(list, node))
        list->key_count++;
    list->count++;
    list->kvCurrent = node->kvNext;
    return DONE;
}

uint8_t OTF_KeyValueList_appendPair(OTF_KeyValueList *list, OTF_KeyValuePair pair) {
    if (!list)
        return fail(FAILED, "no list to append to");
    if (pair.type != OTF_BYTE_ARRAY && find(list, pair.key))
        return DUPLICATE;
    return append(list, &pair);
}

uint8_t OTF_KeyValueList_appendByteArray(OTF_KeyValueList *list, uint32_t key, uint8_t *value, uint32_t len) {
    if (!list)
        return fail(FAILED, "no list to append to");
    if (find(list, key))
        return DUPLICATE;
    uint8_t status = DONE;
    while (len > 0 && status == DONE) {
        const uint32_t size = len < OTF_KEYVALUE_MAX_ARRAY_LEN ? len : OTF_KEYVALUE_MAX_ARRAY_LEN;
        OTF_KeyValuePair pair = {key, OTF_BYTE_ARRAY, {0}};
        memcpy(pair.value.otf_byte_array.array, value, size);
        pair.value.otf_byte_array.len = len;
        status = append(list, &pair);
        value += size;
        len -= size;
    }
    return status;
}

uint8_t OTF_KeyValueList_appendKeyValueList(OTF_KeyValueList *dest_list, OTF_KeyValueList *source_list) {
    if (!dest_list || !source_list)
        return 1;
    for (const OTF_KeyValuePairList *node = source_list->kvBegin; node != source_list->kvCurrent;
         node = node->kvNext) {
        if (OTF_KeyValueList_appendPair(dest_list, node->kvPair) == FAILED)
            return 1;
    }
    return 0;
}

OTF_KeyValueList *OTF_KeyValueList_clone(OTF_KeyValueList *list) {
    OTF_KeyValueList *copy = OTF_KeyValueList_new();
    if (!copy || !list)
        return copy;
    for (const OTF_KeyValuePairList *node = list->kvBegin; node != list->kvCurrent; node = node->kvNext) {
        if (append(copy, &node->kvPair) != DONE) {
            OTF_KeyValueList_close(copy);
            return NULL;
        }
    }
    return copy;
}

/* ---- Removing ---- */

/* Moves a used node behind the last one: it becomes free. */
static void release(OTF_KeyValueList *list, OTF_KeyValuePairList *node) {
    if (node->kvPrev)
        node->kvPrev->kvNext = node->kvNext;
    else
        list->kvBegin = node->kvNext;
    node->kvNext->kvPrev = node->kvPrev; /* a used node is never the last one */
    list->kvEnd->kvNext = node;
    node->kvPrev = list->kvEnd;
    node->kvNext = NULL;
    list->kvEnd = node;
    list->count--;
}

uint8_t OTF_KeyValueList_removeKey(OTF_KeyValueList *list, uint32_t key) {
    if (!list)
        return fail(2, "no list to remove from");
    OTF_KeyValuePairList *node = find(list, key);
    if (!node)
        return 1;
    list->key_count--;
    while (node != list->kvCurrent && node->kvPair.key == key) {
        OTF_KeyValuePairList *next = node->kvNext;
        release(list, node);
        node = next;
    }
    return 0;
}

/* ---- Values ---- */

uint8_t OTF_KeyValueList_getValue(OTF_KeyValueList *list, uint32_t key, OTF_Type type, OTF_Value *value) {
    if (!list)
        return fail(FAILED, "no list to search");
    const OTF_KeyValuePairList *node = find(list, key);
    if (!node)
        return ABSENT;
    if (node->kvPair.type != type)
        return OTHER_TYPE;
    *value = node->kvPair.value;
    return DONE;
}

#define OTF_VALUE(name, c_type, number, member)                                                                \
    uint8_t OTF_KeyValueList_append##name(OTF_KeyValueList *list, uint32_t key, c_type value) {                \
        OTF_KeyValuePair pair = {key, number, {0}};                                                            \
        pair.value.member = value;                                                                             \
        return OTF_KeyValueList_appendPair(list, pair);                                                        \
    }                                                                                                          \
    uint8_t OTF_KeyValueList_get##name(OTF_KeyValueList *list, uint32_t key, c_type *value) {                  \
        OTF_Value found;                                                                                       \
        const uint8_t status = OTF_KeyValueList_getValue(list, key, number, &found);                           \
        if (status == DONE)                                                                                    \
            *value = found.member;                                                                             \
        return status;                                                                                         \
    }
#include "values.def"
#undef OTF_VALUE

uint8_t OTF_KeyValueList_getArrayLength(OTF_KeyValueList *list, uint32_t key, uint32_t *len) {
    OTF_Value value;
    const uint8_t status = OTF_KeyValueList_getValue(list, key, OTF_BYTE_ARRAY, &value);
    if (status == DONE)
        *len = value.otf_byte_array.len;
    return status;
}

/* Each piece says how many bytes follow from its beginning on; one that fits into a piece is the last, whatever the
 * pieces before it said. */
uint8_t OTF_KeyValueList_getByteArray(OTF_KeyValueList *list, uint32_t key, uint8_t *value, uint32_t *len) {
    uint32_t left;
    const uint8_t status = OTF_KeyValueList_getArrayLength(list, key, &left);
    const uint32_t room = *len;
    *len = 0;
    if (status != DONE)
        return status;
    for (const OTF_KeyValuePairList *node = find(list, key);; node = node->kvNext) {
        if (node == list->kvCurrent)
            return ABSENT;
        if (node->kvPair.key != key)
            return FAILED;
        left = node->kvPair.value.otf_byte_array.len;
        const uint32_t chunk = left < OTF_KEYVALUE_MAX_ARRAY_LEN ? left : OTF_KEYVALUE_MAX_ARRAY_LEN;
        const uint32_t size = chunk < room - *len ? chunk : room - *len;
        memcpy(value + *len, node->kvPair.value.otf_byte_array.array, size);
        *len += size;
        if (size < chunk)
            return FAILED;
        if (chunk == left)
            return DONE;
    }
}
