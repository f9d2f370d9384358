/* search.c: finding a time in a file. Offsets are those of the file on disk; a compressed file can be entered
 * at its flush points only, which a jump to an offset finds.
 *
 * A jump drops everything up to the first time line after the next newline, then everything up to a process
 * line: from there on both are known. Times are in order, so that a bisection over offsets finds the first
 * record of a time.
 */
#include "rbuffer.h"

#define TAIL_BYTES 4096u /* where the last time is looked for first, when the buffer is not smaller */
#define TAIL_STEPS 64u   /* so often it is looked for as much further in front as the first time */
#define NEAR_BYTES 1024u /* a bisection ends at this distance */

/* ---- Jumping ---- */

/* Drops lines until a time line has been applied, and then until a process line has been. */
static bool find_state(OTF_RBuffer *rbuffer) {
    while (rbuffer->time == COMPAT_NO_TIME) {
        if (!OTF_RBuffer_guaranteeRecord(rbuffer))
            return false;
        if (!OTF_RBuffer_checkTimeRecord(rbuffer))
            compat_skip_line(rbuffer);
    }
    while (rbuffer->process == COMPAT_NO_PROCESS) {
        if (!OTF_RBuffer_guaranteeRecord(rbuffer))
            return false;
        if (!OTF_RBuffer_checkProcessRecord(rbuffer))
            compat_skip_line(rbuffer);
    }
    return true;
}

/* Empties the buffer and reads on from an offset. */
static bool go(OTF_RBuffer *rbuffer, uint64_t offset) {
    rbuffer->pos = rbuffer->end = rbuffer->lastnewline = 0;
    rbuffer->time = COMPAT_NO_TIME;
    rbuffer->process = COMPAT_NO_PROCESS;
    compat_drop_items(rbuffer);
    return OTF_File_seek(rbuffer->file, offset) == 0;
}

int OTF_RBuffer_jump(OTF_RBuffer *rbuffer, uint64_t filepos) {
    if (rbuffer->size == 0 && !OTF_RBuffer_setSize(rbuffer, COMPAT_BUFFER_SIZE))
        return 0;
    if (!go(rbuffer, filepos))
        return 0;
    compat_read_ahead(rbuffer, rbuffer->jumpsize);
    if (filepos != 0) {
        if (!OTF_RBuffer_guaranteeRecord(rbuffer))
            return 0;
        compat_skip_line(rbuffer);
    }
    return find_state(rbuffer);
}

/* ---- First and last time ---- */

static bool find_first_time(OTF_RBuffer *rbuffer) {
    if (!OTF_RBuffer_jump(rbuffer, 0))
        return false;
    rbuffer->firstTime = rbuffer->time;
    return true;
}

/* Applies all state lines up to the end of the file. */
static void read_to_end(OTF_RBuffer *rbuffer) {
    while (compat_next_line(rbuffer))
        compat_skip_line(rbuffer);
}

/* The last time is near the end; when it is not, more of the file is tried. How much decides whether the buffer has to grow,
 * which progress in bytes shows, so the steps are those of the original as far as they cost little. Then the tail
 * is doubled. */
static bool find_last_time(OTF_RBuffer *rbuffer) {
    if (rbuffer->size == 0 && !OTF_RBuffer_setSize(rbuffer, COMPAT_BUFFER_SIZE))
        return false;
    const uint64_t step = rbuffer->size < TAIL_BYTES ? rbuffer->size : TAIL_BYTES;
    for (uint64_t tail = step;; tail += tail < TAIL_STEPS * step ? step : tail) {
        const uint64_t offset = tail < rbuffer->filesize ? rbuffer->filesize - tail : 0;
        if (OTF_RBuffer_jump(rbuffer, offset)) {
            read_to_end(rbuffer);
            rbuffer->lastTime = rbuffer->time;
            return true;
        }
        if (offset == 0)
            return false;
    }
}

static void find_size(OTF_RBuffer *rbuffer) {
    if (rbuffer->filesize == UINT64_MAX)
        rbuffer->filesize = OTF_File_size(rbuffer->file);
}

bool compat_enter(OTF_RBuffer *rbuffer) {
    find_size(rbuffer);
    return find_first_time(rbuffer);
}

bool compat_find_end(OTF_RBuffer *rbuffer) {
    if (rbuffer->lastTime != COMPAT_NO_TIME)
        return true;
    OTF_RBuffer *other = OTF_RBuffer_open(rbuffer->file->filename, rbuffer->file->manager);
    if (!other)
        return false;
    other->filesize = rbuffer->filesize;
    const bool found = find_last_time(other);
    rbuffer->lastTime = other->lastTime;
    OTF_RBuffer_close(other);
    return found;
}

int OTF_RBuffer_getFileProperties(OTF_RBuffer *rbuffer) {
    find_size(rbuffer);
    if (rbuffer->firstTime == COMPAT_NO_TIME && !find_first_time(rbuffer))
        return 0;
    return rbuffer->lastTime != COMPAT_NO_TIME || find_last_time(rbuffer);
}

/* ---- Searching ---- */

/* An offset from which the first record of the time is ahead, and not far. */
static uint64_t offset_before(OTF_RBuffer *rbuffer, uint64_t time) {
    uint64_t low = 0, high = rbuffer->filesize;
    while (high - low > NEAR_BYTES) {
        const uint64_t middle = low + (high - low) / 2;
        if (OTF_RBuffer_jump(rbuffer, middle) && rbuffer->time < time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static const char *name_of(const OTF_RBuffer *rbuffer) {
    return rbuffer->file->filename ? rbuffer->file->filename : "";
}

/* Reads lines until one is at the time or later; false when there is none, although a state line at the end may say
 * this time. OTF takes the line behind the state lines of a jump for a record, and drops it, whatever it is. */
static bool read_up_to(OTF_RBuffer *rbuffer, uint64_t time) {
    while (rbuffer->time < time) {
        compat_skip_line(rbuffer);
        if (!compat_next_line(rbuffer)) {
            OTF_Error("no record of '%s' is at the time or later", name_of(rbuffer));
            return false;
        }
    }
    return true;
}

int OTF_RBuffer_searchTime(OTF_RBuffer *rbuffer, uint64_t time) {
    if (!OTF_RBuffer_getFileProperties(rbuffer)) {
        OTF_Error("no time and process are found in '%s'", name_of(rbuffer));
        return 0;
    }
    if (time <= rbuffer->firstTime)
        return OTF_RBuffer_jump(rbuffer, 0);
    if (time > rbuffer->lastTime) {
        go(rbuffer, rbuffer->filesize); /* nothing is left there; a compressed file has no place to enter it */
        return 1;
    }
    return OTF_RBuffer_jump(rbuffer, offset_before(rbuffer, time)) && read_up_to(rbuffer, time);
}
