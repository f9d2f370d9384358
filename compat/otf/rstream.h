/* rstream.h: what the readers share about streams. */
#ifndef COMPAT_OTF_RSTREAM_H
#define COMPAT_OTF_RSTREAM_H

#include "deliver.h"
#include "wstream.h"

/* Where a stream keeps the read buffer of a file, NULL when it is not open. */
OTF_RBuffer **compat_rstream_slot(OTF_RStream *rstream, enum quipu__otf_file file);

/* The read buffer of a file, opened when it is not; NULL, without an error, when the file is absent. */
OTF_RBuffer *compat_rstream_buffer(OTF_RStream *rstream, enum quipu__otf_file file);

/* A limit of records; OTF_READ_ERROR, with an error, becomes OTF_READ_MAXRECORDS. */
uint64_t compat_check_limit(uint64_t limit);

#endif
