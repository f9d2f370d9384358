/* notes.c: see notes.h. */
#include "record/notes.h"

#include "record/ring.h"
#include "record/silence.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

struct quipu__notes *quipu__notes_open(const char *path) {
    const struct quipu__silence silence = quipu__silence_begin();
    struct quipu__notes *notes = quipu__ring_map_file(path, sizeof *notes);
    quipu__silence_end(&silence);
    return notes;
}

/* Where another program has cut the file short, a store would end the program; these calls fail then. They may be forbidden altogether, as in
 * some containers: then it is stored. */
void quipu__notes_add(struct quipu__notes *notes, unsigned kind, int64_t amount) {
    uint64_t count;
    const struct iovec here = {&count, sizeof count};
    if (!notes)
        return;
    const struct iovec there = {&notes->counts[kind], sizeof count};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != sizeof count) {
        if (errno != EFAULT)
            notes->counts[kind] += (uint64_t)amount;
        return;
    }
    count += (uint64_t)amount;
    (void)!process_vm_writev(getpid(), &here, 1, &there, 1, 0);
}
