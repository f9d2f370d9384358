/* mastercontrol.c: which stream holds which processes, as two sorted tables, and the master file that says so.
 *
 *     map   stream -> its processes       both ascending, both found by bisection
 *     rmap  process -> its stream
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "formats/otf/lines.h"

#define ROOM_AT_FIRST 10u
#define NO_STREAM 0u
#define LAST_STREAM UINT32_C(0xfffffffe)

/* ---- Tables ---- */

/* Makes room for one more element: false, with an error, when memory is out. */
static bool grow(void **table, uint32_t count, uint32_t *room, size_t size) {
    if (count < *room)
        return true;
    const uint32_t more = *room ? *room * 2 : ROOM_AT_FIRST;
    void *grown = realloc(*table, more * size);
    if (!grown) {
        OTF_Error("no memory for the map of processes");
        return false;
    }
    *table = grown;
    *room = more;
    return true;
}

/* Opens a gap for one element in a table. */
static void *open_gap(void *table, uint32_t count, uint32_t index, size_t size) {
    char *at = (char *)table + index * size;
    memmove(at + size, at, (count - index) * size);
    return at;
}

static uint32_t stream_index(const OTF_MasterControl *mc, uint32_t stream) {
    uint32_t low = 0, high = mc->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (mc->map[middle].argument < stream)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t process_index(const OTF_MasterControl *mc, uint32_t process) {
    uint32_t low = 0, high = mc->rn;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (mc->rmap[middle].argument < process)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int OTF_MapEntry_insertValue(OTF_MapEntry *entry, uint32_t value) {
    uint32_t low = 0, high = entry->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (entry->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < entry->n && entry->values[low] == value)
        return 0;
    if (!grow((void **)&entry->values, entry->n, &entry->s, sizeof *entry->values))
        return 0;
    *(uint32_t *)open_gap(entry->values, entry->n++, low, sizeof *entry->values) = value;
    return 1;
}

OTF_MapEntry *OTF_MasterControl_insertMapEntry(OTF_MasterControl *mc, uint32_t argument, uint32_t pos) {
    if (!grow((void **)&mc->map, mc->n, &mc->s, sizeof *mc->map))
        return NULL;
    OTF_MapEntry *entry = open_gap(mc->map, mc->n++, pos, sizeof *mc->map);
    *entry = (OTF_MapEntry){.argument = argument};
    return entry;
}

OTF_MapEntry *OTF_MasterControl_getMapEntry(OTF_MasterControl *mc, uint32_t argument) {
    const uint32_t index = stream_index(mc, argument);
    if (index < mc->n && mc->map[index].argument == argument)
        return &mc->map[index];
    return OTF_MasterControl_insertMapEntry(mc, argument, index);
}

int OTF_MasterControl_insertRMapEntry(OTF_MasterControl *mc, uint32_t value, uint32_t argument) {
    const uint32_t index = process_index(mc, value);
    if (index < mc->rn && mc->rmap[index].argument == value)
        return 0;
    if (!grow((void **)&mc->rmap, mc->rn, &mc->rs, sizeof *mc->rmap))
        return 0;
    *(OTF_Pair *)open_gap(mc->rmap, mc->rn++, index, sizeof *mc->rmap) = (OTF_Pair){value, argument};
    return 1;
}

/* ---- Life ---- */

int OTF_MasterControl_init(OTF_MasterControl *mc) {
    *mc = (OTF_MasterControl){0};
    return 1;
}

void OTF_MasterControl_reset(OTF_MasterControl *mc) {
    OTF_FileManager *manager = mc->manager;
    for (uint32_t i = 0; i < mc->n; i++)
        free(mc->map[i].values);
    free(mc->map);
    free(mc->rmap);
    OTF_MasterControl_init(mc);
    mc->manager = manager;
}

void OTF_MasterControl_finish(OTF_MasterControl *mc) {
    OTF_MasterControl_reset(mc);
}

void OTF_MasterControl_finalize(OTF_MasterControl *mc) {
    OTF_MasterControl_reset(mc);
}

OTF_MasterControl *OTF_MasterControl_new(OTF_FileManager *manager) {
    if (!manager) {
        OTF_Error("a master control needs a file manager");
        return NULL;
    }
    OTF_MasterControl *mc = malloc(sizeof *mc);
    if (!mc)
        return NULL;
    OTF_MasterControl_init(mc);
    mc->manager = manager;
    return mc;
}

OTF_MasterControl *OTF_MasterControl_clone(OTF_MasterControl *mc, OTF_FileManager *manager) {
    OTF_MasterControl *copy = OTF_MasterControl_new(manager);
    for (uint32_t i = 0; copy && i < mc->n; i++) {
        if (OTF_MasterControl_appendList(copy, mc->map[i].argument, mc->map[i].n, mc->map[i].values))
            continue;
        OTF_MasterControl_close(copy);
        return NULL;
    }
    return copy;
}

void OTF_MasterControl_close(OTF_MasterControl *mc) {
    if (!mc)
        return;
    OTF_MasterControl_reset(mc);
    free(mc);
}

/* ---- Mapping ---- */

int OTF_MasterControl_append(OTF_MasterControl *mc, uint32_t argument, uint32_t value) {
    if (argument == NO_STREAM || argument > LAST_STREAM) {
        OTF_Error("process %u cannot be in stream %u", value, argument);
        return 0;
    }
    if (!OTF_MasterControl_insertRMapEntry(mc, value, argument)) {
        OTF_Error("process %u is in a stream already", value);
        return 0;
    }
    OTF_MapEntry *entry = OTF_MasterControl_getMapEntry(mc, argument);
    return entry ? OTF_MapEntry_insertValue(entry, value) : 0;
}

int OTF_MasterControl_appendList(OTF_MasterControl *mc, uint32_t argument, uint32_t l, uint32_t *values) {
    int fine = 1;
    for (uint32_t i = 0; i < l; i++)
        fine &= OTF_MasterControl_append(mc, argument, values[i]);
    return fine;
}

OTF_MapEntry *OTF_MasterControl_getEntry(OTF_MasterControl *mc, uint32_t argument) {
    const uint32_t index = stream_index(mc, argument);
    return index < mc->n && mc->map[index].argument == argument ? &mc->map[index] : NULL;
}

OTF_MapEntry *OTF_MasterControl_getEntryByIndex(OTF_MasterControl *mc, uint32_t index) {
    return index < mc->n ? &mc->map[index] : NULL;
}

OTF_Pair *OTF_MasterControl_getREntryByIndex(OTF_MasterControl *mc, uint32_t index) {
    return index < mc->rn ? &mc->rmap[index] : NULL;
}

uint32_t OTF_MasterControl_mapReverse(OTF_MasterControl *mc, uint32_t value) {
    const uint32_t index = process_index(mc, value);
    return index < mc->rn && mc->rmap[index].argument == value ? mc->rmap[index].value : NO_STREAM;
}

uint32_t OTF_MasterControl_getCount(OTF_MasterControl *mc) {
    return mc->n;
}

uint32_t OTF_MasterControl_getrCount(OTF_MasterControl *mc) {
    return mc->rn;
}

uint32_t OTF_MasterControl_getValueCount(OTF_MasterControl *mc, uint32_t argument) {
    const OTF_MapEntry *entry = OTF_MasterControl_getEntry(mc, argument);
    return entry ? entry->n : 0;
}

uint32_t *OTF_MasterControl_getValues(OTF_MasterControl *mc, uint32_t argument) {
    const OTF_MapEntry *entry = OTF_MasterControl_getEntry(mc, argument);
    return entry ? entry->values : NULL;
}

uint32_t OTF_MasterControl_getNewStreamId(OTF_MasterControl *mc) {
    const uint32_t last = mc->n ? mc->map[mc->n - 1].argument : 0;
    return last < LAST_STREAM ? last + 1 : 1;
}

/* Every process of the one table must be in the other, with the same stream. */
int OTF_MasterControl_check(OTF_MasterControl *mc) {
    uint32_t processes = 0;
    for (uint32_t i = 0; i < mc->n; i++) {
        const OTF_MapEntry *entry = &mc->map[i];
        processes += entry->n;
        for (uint32_t k = 0; k < entry->n; k++) {
            if (OTF_MasterControl_mapReverse(mc, entry->values[k]) != entry->argument)
                return 0;
        }
    }
    return processes == mc->rn;
}

void OTF_MasterControl_print(OTF_MasterControl *mc) {
    for (uint32_t i = 0; i < mc->n; i++) {
        fprintf(stderr, "stream %x:", mc->map[i].argument);
        for (uint32_t k = 0; k < mc->map[i].n; k++)
            fprintf(stderr, " %x", mc->map[i].values[k]);
        fprintf(stderr, "\n");
    }
}

/* ---- Reading the master file ---- */

static FILE *open_master(const char *namestub, const char *mode) {
    char *name = OTF_getFilename(namestub, 0, OTF_FILETYPE_MASTER, 0, NULL);
    FILE *file = name ? fopen(name, mode) : NULL;
    if (!file)
        OTF_Error("cannot open the master file '%s'", name ? name : namestub);
    free(name);
    return file;
}

/* All bytes of a file; NULL without memory. */
static uint8_t *read_all(FILE *file, size_t *size) {
    size_t room = 4096;
    uint8_t *data = malloc(room);
    *size = 0;
    while (data) {
        const size_t got = fread(data + *size, 1, room - *size, file);
        *size += got;
        if (*size < room)
            break;
        uint8_t *grown = realloc(data, room *= 2);
        if (!grown)
            free(data);
        data = grown;
    }
    return data;
}

static int apply_servers(OTF_MasterControl *mc, const struct quipu__otf_MasterServers *servers) {
    return OTF_FileManager_setIofsl(mc->manager, servers->servers, NULL, (OTF_IofslMode)servers->mode, 0,
                                    OTF_IOFSL_INDEX_BUFFER_DEFAULTLENGTH, servers->streamBits);
}

/* A process that is in a stream already is an error that is noted, and reading goes on. */
static void apply_stream(OTF_MasterControl *mc, const struct quipu__otf_MasterStream *stream) {
    for (uint32_t i = 0; i < quipu_sized_count(stream->processes); i++)
        OTF_MasterControl_append(mc, stream->stream, stream->processes[i]);
}

static int apply_lines(OTF_MasterControl *mc, struct quipu__keyed_lines *lines,
                       struct quipu__scratch *scratch) {
    union quipu__otf_any record;
    while (lines->p < lines->end && memchr(lines->p, '\n', (size_t)(lines->end - lines->p))) {
        quipu__scratch_reset(scratch);
        switch (quipu__otf_parse_master(lines, scratch, &record)) {
        case QUIPU__OTF_MASTER_STREAM:
            apply_stream(mc, &record.MasterStream);
            break;
        case QUIPU__OTF_MASTER_SERVERS:
            if (!apply_servers(mc, &record.MasterServers))
                return 0;
            break;
        case QUIPU__OTF_MASTER_MALFORMED:
            OTF_Error("the line about shared files in the master file is malformed");
            return 0;
        case QUIPU__OTF_MASTER_NO_ROOM:
            OTF_Error("no memory for a line of the master file");
            return 0;
        case QUIPU__OTF_MASTER_OTHER:
            break;
        }
    }
    return 1;
}

int OTF_MasterControl_read(OTF_MasterControl *mc, const char *namestub) {
    OTF_MasterControl_reset(mc);
    FILE *file = open_master(namestub, "rb");
    if (!file)
        return 0;
    size_t size;
    uint8_t *data = read_all(file, &size);
    fclose(file);
    if (!data)
        return 0;
    struct quipu__memory memory;
    struct quipu__scratch scratch;
    quipu__memory_init(&memory, NULL, SIZE_MAX);
    quipu__scratch_init(&scratch, &memory);
    struct quipu__keyed_lines lines = {.grammar = &quipu__otf_grammar,
                                       .kind = QUIPU__OTF_MASTER,
                                       .p = data,
                                       .end = data + size,
                                       .ended = true,
                                       .state = QUIPU__KEYED_STATE_INIT};
    const int fine = apply_lines(mc, &lines, &scratch);
    quipu__scratch_release(&scratch);
    free(data);
    return fine;
}

/* ---- Writing it ---- */

static void write_iofsl(const OTF_MasterControl *mc, FILE *file) {
    uint32_t servers, bits;
    OTF_IofslMode mode;
    if (OTF_FileManager_getIofsl(mc->manager, &servers, NULL, &mode, NULL, NULL, &bits))
        fprintf(file, "i%x:%x:%x\n", servers, (unsigned int)mode, bits);
}

int OTF_MasterControl_write(OTF_MasterControl *mc, const char *namestub) {
    FILE *file = open_master(namestub, "wb");
    if (!file)
        return 0;
    for (uint32_t i = 0; i < mc->n; i++) {
        const OTF_MapEntry *entry = &mc->map[i];
        fprintf(file, "%x:", entry->argument);
        for (uint32_t k = 0; k < entry->n; k++)
            fprintf(file, k ? ",%x" : "%x", entry->values[k]);
        fputc('\n', file);
    }
    write_iofsl(mc, file);
    if (fclose(file) == 0)
        return 1;
    OTF_Error("cannot write the master file of '%s'", namestub);
    return 0;
}
