/* keyvals.c: records of keys with values. */
#include <dumpi/common/types.h>

#include <stdlib.h>
#include <string.h>

dumpi_keyval_record *dumpi_alloc_keyval_record(void) {
    return calloc(1, sizeof(dumpi_keyval_record));
}

static void free_entry(dumpi_keyval_entry *entry) {
    free(entry->key);
    free(entry->val);
    free(entry);
}

void dumpi_clear_keyval_record(dumpi_keyval_record *record) {
    if (!record)
        return;
    for (dumpi_keyval_entry *entry = record->head, *next; entry; entry = next) {
        next = entry->next;
        free_entry(entry);
    }
    *record = (dumpi_keyval_record){0, NULL, NULL};
}

void dumpi_free_keyval_record(dumpi_keyval_record *record) {
    dumpi_clear_keyval_record(record);
    free(record);
}

static char *copy_of(const char *text) {
    const size_t size = text ? strlen(text) + 1 : 1;
    char *copy = calloc(1, size);
    if (copy && text)
        memcpy(copy, text, size);
    return copy;
}

void dumpi_push_keyval_entry(dumpi_keyval_record *record, const char *key, const char *value) {
    dumpi_keyval_entry *entry = record ? calloc(1, sizeof *entry) : NULL;
    if (!entry)
        return;
    entry->key = copy_of(key);
    entry->val = copy_of(value);
    if (!entry->key || !entry->val) {
        free_entry(entry);
        return;
    }
    if (record->tail)
        record->tail->next = entry;
    else
        record->head = entry;
    record->tail = entry;
    record->count++;
}

int dumpi_erase_keyval_entry(dumpi_keyval_record *record, dumpi_keyval_entry *entry) {
    dumpi_keyval_entry *before = NULL, *at = record ? record->head : NULL;
    for (; at && at != entry; at = at->next)
        before = at;
    if (!at)
        return 0;
    if (before)
        before->next = at->next;
    else
        record->head = at->next;
    if (record->tail == at)
        record->tail = before;
    record->count--;
    free_entry(at);
    return 1;
}
