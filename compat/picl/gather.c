/* gather.c: the traces of all nodes in the end. What goes into the same file as node 0's trace is put there in the order of time, as
 * ParaGraph wants it; nodes that have another file write it one after another, each sorted by time. */
#include "library.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, CHUNK_BYTES = 1 << 30 };

/* ---- Between nodes ---- */

static void give_text(const char *text, uint64_t size) {
    picl_session.transport->send_to(&size, sizeof size, 0);
    for (uint64_t offset = 0; offset < size; offset += CHUNK_BYTES)
        picl_session.transport->send_to(text + offset,
                                        (int)(size - offset < CHUNK_BYTES ? size - offset : CHUNK_BYTES), 0);
}

/* Behind the text that is there. */
static void take_text(char **text, size_t *size, int node) {
    uint64_t more;
    picl_session.transport->receive_from(&more, sizeof more, node);
    char *grown = realloc(*text, *size + more + 1);
    if (!grown)
        picl_fail("no memory for the trace of node %d", node);
    *text = grown;
    for (uint64_t offset = 0; offset < more; offset += CHUNK_BYTES)
        picl_session.transport->receive_from(
            grown + *size + offset, (int)(more - offset < CHUNK_BYTES ? more - offset : CHUNK_BYTES), node);
    *size += more;
}

/* The text of a node: its records, and messages as they have been written ahead of them. */
struct texts {
    char *records, *early;
    size_t records_size, early_size;
};

static struct texts take_texts(void) {
    struct texts texts;
    texts.early = picl_output_insert_messages(&texts.early_size);
    texts.records = picl_output_take(&texts.records_size);
    return texts;
}

/* Messages leave the places that they had in the file for those by time. */
static void write_sorted(struct texts *texts) {
    picl_lines_sort(texts->records, texts->records_size);
    picl_output_remove(texts->early, texts->early_size);
    picl_output_append(texts->records, texts->records_size);
}

static void release(struct texts *texts) {
    free(texts->records);
    free(texts->early);
}

/* Whether this node's trace goes where node 0's goes, which gets to know it. */
static bool shares_file(void) {
    char path[PATH_BYTES] = "";
    if (picl_session.me == 0 && picl_output_path() && strlen(picl_output_path()) < sizeof path)
        memcpy(path, picl_output_path(), strlen(picl_output_path()) + 1);
    picl_session.transport->broadcast(path, sizeof path, 0);
    return *path && picl_output_path() && strcmp(path, picl_output_path()) == 0;
}

static void collect(struct texts *texts) {
    for (int node = 1; node < picl_session.nodes; node++) {
        take_text(&texts->records, &texts->records_size, node);
        take_text(&texts->early, &texts->early_size, node);
    }
    write_sorted(texts);
}

void picl_gather(void) {
    const struct picl_transport *transport = picl_session.transport;
    const bool shares = shares_file();
    char token = 0;
    struct texts texts = take_texts();
    if (picl_session.me == 0) {
        collect(&texts);
    } else {
        give_text(texts.records, shares ? texts.records_size : 0);
        give_text(texts.early, shares ? texts.early_size : 0);
        transport->receive_from(&token, 1, picl_session.me - 1);
        if (!shares)
            write_sorted(&texts);
    }
    release(&texts);
    if (picl_session.me + 1 < picl_session.nodes)
        transport->send_to(&token, 1, picl_session.me + 1);
    transport->barrier();
}
