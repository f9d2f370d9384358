/* rbuffer.c: the read buffer of one file: keeps complete lines at hand and applies state lines. Searching by
 * time is in search.c, reading single fields in fields.c. */
#include "rbuffer.h"

#include "formats/otf/lines.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_LEAST 100u
#define SIZE_MOST (100u * 1024 * 1024) /* doubling stops when this is reached */
#define JUMP_SIZE 1024u
#define ARRAY_SIZE 100u

/* clang-format off */
#define X 16
const uint8_t compat_hex_values[256] = {
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, 10, 11, 12, 13, 14, 15, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X};
#undef X
/* clang-format on */

/* ---- Life ---- */

int OTF_RBuffer_init(OTF_RBuffer *rbuffer) {
    *rbuffer = (OTF_RBuffer){.jumpsize = JUMP_SIZE,
                             .time = COMPAT_NO_TIME,
                             .process = COMPAT_NO_PROCESS,
                             .filesize = UINT64_MAX,
                             .firstTime = COMPAT_NO_TIME,
                             .lastTime = COMPAT_NO_TIME,
                             .zbuffersize = OTF_ZBUFFER_DEFAULTSIZE};
    return 1;
}

int OTF_RBuffer_finish(OTF_RBuffer *rbuffer) {
    const int fine = rbuffer->file ? OTF_File_close(rbuffer->file) : 1;
    free(rbuffer->buffer);
    free(rbuffer->array);
    if (rbuffer->list)
        OTF_KeyValueList_close(rbuffer->list);
    OTF_RBuffer_init(rbuffer);
    return fine;
}

/* Takes the file over, also on failure. */
static OTF_RBuffer *new_over(OTF_File *file) {
    struct compat_rbuffer *made = file ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        if (file)
            OTF_File_close(file);
        return NULL;
    }
    OTF_RBuffer_init(&made->head);
    quipu__memory_init(&made->memory, NULL, SIZE_MAX);
    quipu__scratch_init(&made->scratch, &made->memory);
    made->status_process = COMPAT_NO_PROCESS;
    made->head.file = file;
    made->head.list = OTF_KeyValueList_new();
    made->head.array = malloc(ARRAY_SIZE * sizeof *made->head.array);
    made->head.arraysize = made->head.array ? ARRAY_SIZE : 0;
    if (made->head.list && made->head.array)
        return &made->head;
    OTF_RBuffer_close(&made->head);
    return NULL;
}

OTF_RBuffer *OTF_RBuffer_open(const char *filename, OTF_FileManager *manager) {
    return new_over(OTF_File_open(filename, manager, OTF_FILEMODE_READ));
}

OTF_RBuffer *OTF_RBuffer_open_with_external_buffer(uint32_t len, const char *buffer, uint8_t is_compressed) {
    return new_over(OTF_File_open_with_external_buffer(len, buffer, is_compressed, OTF_FILEMODE_READ));
}

int OTF_RBuffer_close(OTF_RBuffer *rbuffer) {
    if (!rbuffer) {
        OTF_Error("no read buffer to close");
        return 0;
    }
    const int fine = OTF_RBuffer_finish(rbuffer);
    quipu__scratch_release(&compat_rbuffer_of(rbuffer)->scratch);
    free(compat_rbuffer_of(rbuffer));
    return fine;
}

/* ---- Sizes ---- */

int OTF_RBuffer_setSize(OTF_RBuffer *rbuffer, size_t size) {
    if (size < SIZE_LEAST || size < rbuffer->size || size > UINT32_MAX - 1) {
        OTF_Error("a read buffer of %u bytes cannot become one of %zu", rbuffer->size, size);
        return 0;
    }
    char *buffer = realloc(rbuffer->buffer, size + QUIPU__HEX_BYTES);
    if (!buffer) {
        OTF_Error("no memory for a read buffer of %zu bytes", size);
        return 0;
    }
    rbuffer->buffer = buffer;
    rbuffer->size = (uint32_t)size;
    if (rbuffer->jumpsize > size)
        rbuffer->jumpsize = (uint32_t)size;
    return 1;
}

int OTF_RBuffer_setJumpSize(OTF_RBuffer *rbuffer, size_t size) {
    if (size < SIZE_LEAST || size > rbuffer->size) {
        OTF_Error("%zu bytes cannot be read after a jump into a buffer of %u", size, rbuffer->size);
        return 0;
    }
    rbuffer->jumpsize = (uint32_t)size;
    return 1;
}

void OTF_RBuffer_setZBufferSize(OTF_RBuffer *rbuffer, uint32_t size) {
    if (size < COMPAT_ZBUFFER_SIZE_LEAST) {
        OTF_Error("%u bytes are too few for a buffer", size);
        return;
    }
    rbuffer->zbuffersize = size;
    OTF_File_setZBufferSize(rbuffer->file, size);
}

/* ---- Filling ---- */

/* Moves the rest to the front and makes room behind it; false when the buffer cannot grow any more. */
static bool make_room(OTF_RBuffer *rbuffer) {
    const uint32_t rest = rbuffer->end - rbuffer->pos;
    memmove(rbuffer->buffer, rbuffer->buffer + rbuffer->pos, rest);
    rbuffer->lastnewline = rbuffer->lastnewline > rbuffer->pos ? rbuffer->lastnewline - rbuffer->pos : 0;
    rbuffer->pos = 0;
    rbuffer->end = rest;
    if (rest < rbuffer->size)
        return true;
    if (rbuffer->size >= SIZE_MOST) {
        OTF_Error("a line of '%s' is longer than %u bytes", rbuffer->file->filename, rbuffer->size);
        return false;
    }
    return OTF_RBuffer_setSize(rbuffer, (size_t)rbuffer->size * 2);
}

size_t compat_read_ahead(OTF_RBuffer *rbuffer, size_t size) {
    const size_t got = OTF_File_read(rbuffer->file, rbuffer->buffer + rbuffer->end, size);
    const uint32_t before = rbuffer->end;
    rbuffer->end += (uint32_t)got;
    memset(rbuffer->buffer + rbuffer->end, 0, QUIPU__HEX_BYTES);
    for (uint32_t end = rbuffer->end; end > before; end--) {
        if (rbuffer->buffer[end - 1] == '\n') {
            rbuffer->lastnewline = end - 1;
            break;
        }
    }
    return got;
}

size_t OTF_RBuffer_advance(OTF_RBuffer *rbuffer) {
    if (rbuffer->size == 0 && !OTF_RBuffer_setSize(rbuffer, COMPAT_BUFFER_SIZE))
        return 0;
    return make_room(rbuffer) ? compat_read_ahead(rbuffer, rbuffer->size - rbuffer->end) : 0;
}

int OTF_RBuffer_guaranteeRecord(OTF_RBuffer *rbuffer) {
    while (!compat_has_line(rbuffer)) {
        if (OTF_RBuffer_advance(rbuffer) == 0)
            return 0;
    }
    return 1;
}

/* ---- Lines ---- */

void compat_skip_line(OTF_RBuffer *rbuffer) {
    const char *at = rbuffer->buffer + rbuffer->pos;
    const char *newline = memchr(at, '\n', rbuffer->end - rbuffer->pos);
    rbuffer->pos = newline ? (uint32_t)(newline + 1 - rbuffer->buffer) : rbuffer->end;
}

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static const char *take_hex(const char *at, uint64_t *value) {
    *value = 0;
    for (uint8_t digit; (digit = compat_hex_values[(uint8_t)*at]) < 16; at++)
        *value = *value << 4 | digit;
    return at;
}

/* Applies the line at the position when it is a state line. */
static bool apply_state(OTF_RBuffer *rbuffer) {
    const char *at = skip_blanks(rbuffer->buffer + rbuffer->pos);
    uint64_t value;
    if (compat_hex_values[(uint8_t)*at] < 16) {
        at = take_hex(at, &rbuffer->time);
    } else if (*at == QUIPU__OTF_PROCESS_MARK) {
        at = skip_blanks(at + 1);
        if (compat_hex_values[(uint8_t)*at] >= 16)
            return false;
        at = take_hex(at, &value);
        rbuffer->process = (uint32_t)value;
    } else {
        return false;
    }
    rbuffer->pos = (uint32_t)(at - rbuffer->buffer);
    compat_skip_line(rbuffer);
    return true;
}

bool compat_next_line(OTF_RBuffer *rbuffer) {
    do {
        if (!compat_has_line(rbuffer) && !OTF_RBuffer_guaranteeRecord(rbuffer))
            return false;
    } while (apply_state(rbuffer));
    return true;
}

char *OTF_RBuffer_getRecord(OTF_RBuffer *rbuffer) {
    return compat_next_line(rbuffer) ? rbuffer->buffer + rbuffer->pos : NULL;
}

char OTF_RBuffer_checkTimeRecord(OTF_RBuffer *rbuffer) {
    const char *at = skip_blanks(rbuffer->buffer + rbuffer->pos);
    return *at != QUIPU__OTF_PROCESS_MARK && apply_state(rbuffer);
}

char OTF_RBuffer_checkProcessRecord(OTF_RBuffer *rbuffer) {
    const char *at = skip_blanks(rbuffer->buffer + rbuffer->pos);
    return *at == QUIPU__OTF_PROCESS_MARK && apply_state(rbuffer);
}

/* ---- State ---- */

void OTF_RBuffer_setCurrentTime(OTF_RBuffer *rbuffer, uint64_t time) {
    rbuffer->time = time;
}

uint64_t OTF_RBuffer_getCurrentTime(OTF_RBuffer *rbuffer) {
    return rbuffer->time;
}

void OTF_RBuffer_setCurrentProcess(OTF_RBuffer *rbuffer, uint32_t process) {
    rbuffer->process = process;
}

uint32_t OTF_RBuffer_getCurrentProcess(OTF_RBuffer *rbuffer) {
    return rbuffer->process;
}

uint64_t OTF_RBuffer_getFileSize(OTF_RBuffer *rbuffer) {
    return OTF_File_size(rbuffer->file);
}

uint64_t OTF_RBuffer_getFilePos(OTF_RBuffer *rbuffer) {
    return OTF_File_tell(rbuffer->file);
}
