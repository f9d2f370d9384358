/* dictionary.c: prints libFuzzer's dictionary of all formats, from their record tables: keywords of text formats, the
 * records' numbers of binary ones, events of ovni and the keys of its metadata, and the container's header. fuzz/quipu.dict is its
 * output; a test compares them. */
#include "formats/ovni/models.h"

#include <quipu/quipu.h>

#include <stdio.h>
#include <string.h>

#define WORDS 4096

static const char *words[WORDS];
static size_t word_count;

static void print_word(const char *word) {
    if (!word || !word[0] || word_count == WORDS)
        return;
    for (size_t i = 0; i < word_count; i++)
        if (strcmp(words[i], word) == 0)
            return;
    words[word_count++] = word;
    printf("\"%s\"\n", word);
}

static void print_number(uint32_t number) {
    if (number <= UINT16_MAX)
        printf("\"\\x%02x\\x%02x\"\n", (unsigned)(number >> 8), (unsigned)(number & 0xff));
}

static bool has_keywords(const struct quipu_schema *schema) {
    for (size_t i = 0; i < schema->type_count; i++)
        if (schema->types[i].key && schema->types[i].key[0])
            return true;
    return false;
}

static void print_type(const struct quipu_record_type *type, bool is_text) {
    if (!is_text) {
        print_number(type->id);
        return;
    }
    print_word(type->key);
    print_word(type->key_long);
    for (size_t i = 0; i < type->field_count; i++) {
        print_word(type->fields[i].key);
        print_word(type->fields[i].key_long);
    }
}

/* What the records of ovni hold is said by three characters, and beside the stream in JSON. */
static void print_ovni(void) {
    static const char *const texts[] = {"ovni\\x01\\x00\\x00\\x00",
                                        "\\x13", /* the beginnings of a stream and of a jumbo event */
                                        "\\\"require\\\"",
                                        "\\\"loom_cpus\\\"",
                                        "\\\"phyid\\\"",
                                        "\\\"nranks\\\"",
                                        "\\\"mark\\\"",
                                        "\\\"chan_type\\\"",
                                        "\\\"labels\\\"",
                                        "\\\"hwc\\\"",
                                        "\\\"finished\\\"",
                                        "\\\"region_mark\\\""};
    printf("\n# events and metadata of ovni\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        print_word(texts[i]);
    for (size_t i = 0; i < quipu__ovni_event_count + quipu__ovni_old_event_count; i++)
        print_word(quipu__ovni_events[i].code);
}

int main(void) {
    printf("# Made by fuzz/dictionary.c from the record tables.\n\"\\x0a=== \"\n");
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu_format *format = quipu_format_at(i);
        if (!format->schema)
            continue;
        printf("\n# %s\n", format->title);
        for (size_t k = 0; k < format->schema->type_count; k++)
            print_type(&format->schema->types[k], has_keywords(format->schema));
    }
    print_ovni();
    return 0;
}
