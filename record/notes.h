/* notes.h: what a recorder has to say of its process is noted by empty files beside its streams; where none can be made any more, because the
 * process has no descriptor left, has become another user, or has another root, by numbers in a file that it has mapped before.
 *
 *     struct quipu__notes *notes = quipu__notes_open("/folder/process.notes");
 *     quipu__notes_add(notes, KIND, 1);
 *
 * Children of fork add to the numbers of their parent. */
#ifndef QUIPU_RECORD_NOTES_H
#define QUIPU_RECORD_NOTES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define QUIPU__NOTES_SUFFIX ".notes"
#define QUIPU__NOTE_KINDS 8

struct quipu__notes {
    uint64_t counts[QUIPU__NOTE_KINDS];
};

/* NULL: it cannot be made, and nothing is added. */
struct quipu__notes *quipu__notes_open(const char *path);
void quipu__notes_add(struct quipu__notes *notes, unsigned kind, int64_t amount);

/* For who collects, who is not linked with recorders. */
static inline struct quipu__notes quipu__notes_read(const char *path) {
    struct quipu__notes notes;
    FILE *file = fopen(path, "re");
    if (!file || fread(&notes, sizeof notes, 1, file) != 1)
        memset(&notes, 0, sizeof notes);
    if (file)
        fclose(file);
    return notes;
}

#endif
