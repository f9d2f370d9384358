/* guard.h: what another program does to a recorder's files does not end the program that is recorded: where the file of a buffer is cut short,
 * the system answers the next store into it with SIGBUS. No call can forbid that, and looking before each event would take a system call;
 * so that signal is looked at first, and is the program's own unless it is about a buffer (quipu__ring_rescue).
 *
 * The program sees and sets its own action for SIGBUS as ever. Where it ignores or blocks the signal, or sets its action by a system call
 * of its own, buffers are not guarded.
 */
#ifndef QUIPU_RECORD_GUARD_H
#define QUIPU_RECORD_GUARD_H

/* Once per process, when recording begins. NULL where it is not linked in, as in libraries that programs link with. */
void quipu__rescue_begin(void) __attribute__((weak, visibility("hidden")));

#endif
