/* filemanager.c: how many files are open at a time.
 *
 * Open files form a ring; list points at its head, the file used last, and head->prev is the one to suspend
 * when room is needed. A suspended file is opened again by its next use. The manager also holds the IOFSL
 * parameters of the trace.
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_NUMBER 10u

struct struct_OTF_FileList {
    OTF_File *file;
    OTF_FileList *next, *prev;
};

struct struct_OTF_FileManager {
    uint32_t count;
    uint32_t number;
    OTF_FileList *list;
    OTF_IofslMode iofsl_mode;
    uint32_t iofsl_server_num;
    char **iofsl_server_list;
    uint32_t iofsl_flags;
    uint32_t iofsl_index_buffer_length;
    uint32_t iofsl_streamid_bits;
};

/* ---- The ring ---- */

int OTF_FileManager_listInsertAtHead(OTF_FileList **list, OTF_File *entry) {
    OTF_FileList *node = malloc(sizeof *node);
    if (!node)
        return 0;
    node->file = entry;
    node->next = *list ? *list : node;
    node->prev = *list ? (*list)->prev : node;
    node->next->prev = node;
    node->prev->next = node;
    *list = node;
    return 1;
}

static void unlink_node(OTF_FileList **list, OTF_FileList *node) {
    if (node->next == node)
        *list = NULL;
    else if (*list == node)
        *list = node->next;
    node->next->prev = node->prev;
    node->prev->next = node->next;
    free(node);
}

int OTF_FileManager_listUnlinkAtHead(OTF_FileList **list, OTF_File *entry) {
    OTF_FileList *node = *list;
    if (!node)
        return 0;
    do {
        if (node->file == entry) {
            unlink_node(list, node);
            return 1;
        }
        node = node->next;
    } while (node != *list);
    return 0;
}

int OTF_FileManager_listUnlinkAtTail(OTF_FileList **list, OTF_File *entry) {
    OTF_FileList *node = *list ? (*list)->prev : NULL;
    if (!node)
        return 0;
    OTF_FileList *const tail = node;
    do {
        if (node->file == entry) {
            unlink_node(list, node);
            return 1;
        }
        node = node->prev;
    } while (node != tail);
    return 0;
}

void OTF_FileManager_listPrint(OTF_FileList **list) {
    OTF_FileList *node = *list;
    while (node) {
        fprintf(stderr, " %s", node->file->filename);
        node = node->next == *list ? NULL : node->next;
    }
    fprintf(stderr, "\n");
}

/* ---- Life ---- */

void OTF_FileManager_init(OTF_FileManager *manager) {
    *manager = (OTF_FileManager){.number = DEFAULT_NUMBER};
}

void OTF_FileManager_finalize(OTF_FileManager *manager) {
    while (manager->list)
        unlink_node(&manager->list, manager->list);
    manager->count = 0;
}

OTF_FileManager *OTF_FileManager_open(uint32_t number) {
    OTF_FileManager *manager = malloc(sizeof *manager);
    if (!manager) {
        OTF_Error("no memory for a file manager");
        return NULL;
    }
    OTF_FileManager_init(manager);
    if (number > 0)
        manager->number = number;
    return manager;
}

void OTF_FileManager_close(OTF_FileManager *m) {
    if (!m)
        return;
    OTF_FileManager_finalize(m);
    free(m);
}

/* ---- Room ---- */

uint32_t OTF_FileManager_getCount(OTF_FileManager *m) {
    return m->count;
}

uint32_t OTF_FileManager_getNumber(OTF_FileManager *m) {
    return m->number;
}

/* Suspends the files not used for the longest time until at most limit are open. */
static int shrink(OTF_FileManager *m, uint32_t limit) {
    while (m->count > limit) {
        if (!OTF_FileManager_suspendFile(m, m->list->prev->file))
            return 0;
    }
    return 1;
}

uint32_t OTF_FileManager_setNumber(OTF_FileManager *m, uint32_t number) {
    if (number == 0) {
        OTF_Error("a file manager needs at least one file");
        return m->number;
    }
    shrink(m, number);
    m->number = number;
    return number;
}

int OTF_FileManager_guaranteeFile(OTF_FileManager *m) {
    return shrink(m, m->number - 1);
}

int OTF_FileManager_registerFile(OTF_FileManager *m, OTF_File *file) {
    if (m->count >= m->number || !OTF_FileManager_listInsertAtHead(&m->list, file)) {
        OTF_Error("there is no room for one more open file");
        return 0;
    }
    m->count++;
    return 1;
}

int OTF_FileManager_touchFile(OTF_FileManager *m, OTF_File *file) {
    if (m->list && m->list->file == file)
        return 1;
    return OTF_FileManager_listUnlinkAtHead(&m->list, file) && OTF_FileManager_listInsertAtHead(&m->list, file);
}

int OTF_FileManager_suspendFile(OTF_FileManager *m, OTF_File *file) {
    if (!OTF_FileManager_listUnlinkAtTail(&m->list, file)) {
        OTF_Error("the file '%s' is not open", file->filename ? file->filename : "");
        return 0;
    }
    m->count--;
    OTF_File_suspend(file);
    return 1;
}

/* ---- IOFSL ---- */

int OTF_FileManager_isIofsl(OTF_FileManager *m) {
    return m->iofsl_mode != OTF_IOFSL_DISABLED;
}

int OTF_FileManager_setIofsl(OTF_FileManager *m, uint32_t server_num, char **server_list, OTF_IofslMode mode,
                             uint32_t flags, uint32_t index_buffer_length, uint32_t streamid_bits) {
    if (mode != OTF_IOFSL_MULTIFILE && mode != OTF_IOFSL_MULTIFILE_SPLIT) {
        OTF_Error("there is no IOFSL mode %d", (int)mode);
        return 0;
    }
    m->iofsl_mode = mode;
    m->iofsl_server_num = server_num;
    m->iofsl_server_list = server_list;
    m->iofsl_flags = flags;
    m->iofsl_index_buffer_length = index_buffer_length;
    m->iofsl_streamid_bits = streamid_bits;
    return 1;
}

int OTF_FileManager_getIofsl(OTF_FileManager *m, uint32_t *server_num, char ***server_list, OTF_IofslMode *mode,
                             uint32_t *flags, uint32_t *index_buffer_length, uint32_t *streamid_bits) {
    if (!OTF_FileManager_isIofsl(m))
        return 0;
    if (server_num)
        *server_num = m->iofsl_server_num;
    if (server_list)
        *server_list = m->iofsl_server_list;
    if (mode)
        *mode = m->iofsl_mode;
    if (flags)
        *flags = m->iofsl_flags;
    if (index_buffer_length)
        *index_buffer_length = m->iofsl_index_buffer_length;
    if (streamid_bits)
        *streamid_bits = m->iofsl_streamid_bits;
    return 1;
}
