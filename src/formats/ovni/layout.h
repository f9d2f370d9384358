/* layout.h: names and fixed numbers of ovni traces (README.md says which layout has what). */
#ifndef QUIPU_OVNI_LAYOUT_H
#define QUIPU_OVNI_LAYOUT_H

#include <stdint.h>

/* ---- Streams ---- */

#define QUIPU__OVNI_MAGIC "ovni"
#define QUIPU__OVNI_MAGIC_BYTES 4
#define QUIPU__OVNI_HEADER_BYTES 8 /* magic, then the version as a number of 32 bits */
#define QUIPU__OVNI_STREAM_VERSION 1

#define QUIPU__OVNI_EVENT_BYTES 12 /* flags and size, model, category, value, clock */
#define QUIPU__OVNI_CLOCK_OFFSET 4
#define QUIPU__OVNI_PAYLOAD_MOST 16
#define QUIPU__OVNI_SIZE_MASK 0x0f
#define QUIPU__OVNI_JUMBO 0x10
#define QUIPU__OVNI_JUMBO_CODE 0x13 /* first byte of a jumbo event, as written */
#define QUIPU__OVNI_JUMBO_SIZE_BYTES 4

/* ---- Names ---- */

#define QUIPU__OVNI_SUFFIX ".ovni"
#define QUIPU__OVNI_STREAM_FILE "stream.obs"
#define QUIPU__OVNI_STREAM_METADATA "stream.json"
#define QUIPU__OVNI_PROCESS_METADATA "metadata.json"
#define QUIPU__OVNI_OFFSETS_FILE "clock-offsets.txt"
#define QUIPU__OVNI_LOOM_PREFIX "loom."
#define QUIPU__OVNI_PROCESS_PREFIX "proc."
#define QUIPU__OVNI_THREAD_PREFIX "thread."

/* Our own key of metadata: the type of marks that stands for regions of another format. */
#define QUIPU__OVNI_OWN_KEY "quipu"
#define QUIPU__OVNI_NAME_KEY "name" /* in it: names of thread and process in the original trace */
#define QUIPU__OVNI_PROCESS_NAME_KEY "process_name"
#define QUIPU__OVNI_REGION_MARK_KEY "region_mark"
#define QUIPU__OVNI_OLD_STREAM_SUFFIX ".obs"
#define QUIPU__OVNI_OLD_METADATA_SUFFIX ".json"

/* ---- Metadata ---- */

#define QUIPU__OVNI_METADATA_VERSION 3
#define QUIPU__OVNI_PART "thread"
#define QUIPU__OVNI_UNKNOWN_LIBRARY "0.0.0" /* for traces that do not say what wrote them */
#define QUIPU__OVNI_UNKNOWN_COMMIT "unknown"
#define QUIPU__OVNI_LABEL_MOST 511
#define QUIPU__OVNI_MARK_TYPES 100
#define QUIPU__OVNI_COUNTERS_MOST 100

/* ---- Emulation ---- */

#define QUIPU__OVNI_STACK_MOST 512
#define QUIPU__OVNI_CLOCK_GAP_MOST INT64_C(3600000000000) /* between the first events of two streams */

#endif
