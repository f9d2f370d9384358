/* layout.h: names and fixed numbers of OTF 1.x: kinds of files, suffixes, and values for "not known". */
#ifndef QUIPU_OTF_LAYOUT_H
#define QUIPU_OTF_LAYOUT_H

#include <stdint.h>

/* Kinds of files; also the group of a record type. The first five exist per stream. */
enum quipu__otf_file {
    QUIPU__OTF_DEFINITIONS,
    QUIPU__OTF_EVENTS,
    QUIPU__OTF_SNAPSHOTS,
    QUIPU__OTF_STATISTICS,
    QUIPU__OTF_MARKERS,
    QUIPU__OTF_MASTER,
    QUIPU__OTF_ANY /* unknown lines */
};
#define QUIPU__OTF_STREAM_FILES 5

#define QUIPU__OTF_MASTER_SUFFIX ".otf"
#define QUIPU__OTF_COMPRESSED_SUFFIX ".z"

#define QUIPU__OTF_PROCESS_MARK '*' /* what a process line begins with */

#define QUIPU__OTF_GLOBAL_STREAM 0 /* stream of the global definitions and markers */
#define QUIPU__OTF_LAST_STREAM UINT32_C(0xfffffffe)

/* The version that the writer writes: OTF 1.12.5 "salmon". */
#define QUIPU__OTF_VERSION_MAJOR 1
#define QUIPU__OTF_VERSION_MINOR 12
#define QUIPU__OTF_VERSION_SUB 5
#define QUIPU__OTF_VERSION_NAME "salmon"

/* These bits say what a file operation is; flags are above them. */
#define QUIPU__OTF_OPERATION_BITS UINT32_C(0x1f)

/* Bytes of a byte array in one key-value line. */
#define QUIPU__OTF_CHUNK 100

/* The key-value of a group that is one side of an inter-communicator: the group of the other side. */
#define QUIPU__OTF_REMOTE_GROUP "remote_group"

/* Those of a source location: the function that it lies in, a text, and the source location of the call that led there. */
#define QUIPU__OTF_FUNCTION "function"
#define QUIPU__OTF_CALLER "caller"

/* That of a process: the name of the host that it and its threads run on, a text. */
#define QUIPU__OTF_HOST "host"

/* The description of a key whose byte arrays are texts ends so. */
#define QUIPU__OTF_TEXT " [text]"

#endif
