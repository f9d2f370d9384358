/* system_calls.c: system calls that programs make by number, and those after which the recorder can make none. */
#include "record/io/recorder.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARGUMENTS 6

#define READ_ARGUMENTS(last, arguments)                                                                        \
    do {                                                                                                       \
        va_list list;                                                                                          \
        va_start(list, last);                                                                                  \
        for (unsigned i = 0; i < sizeof(arguments) / sizeof *(arguments); i++)                                 \
            (arguments)[i] = va_arg(list, long);                                                               \
        va_end(list);                                                                                          \
    } while (0)

static long call(long number, const long arguments[ARGUMENTS]) {
    return REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                         arguments[5]);
}

/* Some close descriptors by number, so as not to be cancelled meanwhile. */
static long close_by_number(const long arguments[ARGUMENTS]) {
    const int fd = (int)arguments[0];
    if (!recorder_enter_own())
        return call(SYS_close, arguments);
    const struct closing closing = descriptor_closing(fd);
    const long result = call(SYS_close, arguments);
    recorder_save_errno();
    descriptor_closed(fd, &closing);
    recorder_leave();
    return result;
}

static bool confines(long number, const long arguments[ARGUMENTS]) {
    return number == SYS_seccomp &&
           (arguments[0] == SECCOMP_SET_MODE_STRICT || arguments[0] == SECCOMP_SET_MODE_FILTER);
}

/* With io_uring, requests are put into memory that the kernel shares, so that no call is seen; only that a ring is made. */
QUIPU_EXPORT long syscall(long number, ...) {
    long arguments[ARGUMENTS];
    READ_ARGUMENTS(number, arguments);
    if (number == SYS_close)
        return close_by_number(arguments);
    if (number == SYS_io_uring_setup)
        recorder_note(RECORDER_NOTE_URING);
    if (!confines(number, arguments) || !recorder_confining())
        return call(number, arguments);
    const long result = call(number, arguments);
    recorder_confined(result >= 0);
    return result;
}

QUIPU_EXPORT int prctl(int option, ...) {
    long arguments[4];
    READ_ARGUMENTS(option, arguments);
    const bool is_recorded = option == PR_SET_SECCOMP && recorder_confining();
    const int result = REAL(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
    if (is_recorded)
        recorder_confined(result >= 0);
    return result;
}
