/* OTFAUX_Thumbnail.h: a trace at a glance: for each process the functions at equally spaced times, in the small text file
 * <namestub>.thumb. A thumbnail context is an OTFAUX_State under another name. */
#ifndef OTFAUX_THUMBNAIL_H
#define OTFAUX_THUMBNAIL_H

#include "otf.h"

#include "OTFAUX_State.h"

typedef OTFAUX_State OTFAUX_Thumbnail_Context;

typedef struct OTFAUX_ThumbnailReader OTFAUX_ThumbnailReader;

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Name of the thumbnail of a trace, <namestub>.thumb, for the caller to free; NULL for NULL. */
char *OTFAUX_Thumbnail_getFilename(const char *namestub);

/* ---- Writing ---- */

/* A new context for width samples, see OTFAUX_State_setupThumbnail; NULL on failure. */
OTFAUX_Thumbnail_Context *OTFAUX_Thumbnail_create(uint64_t minTime, uint64_t maxTime, uint32_t width);

/* Frees the context. */
void OTFAUX_Thumbnail_destroy(OTFAUX_Thumbnail_Context *tn_context);

/* Gives a process a line in the thumbnail. */
int OTFAUX_Thumbnail_declareProcess(OTFAUX_Thumbnail_Context *tn_context, uint64_t process);

/* As OTFAUX_State_processEnter and OTFAUX_State_processLeave. */
int OTFAUX_Thumbnail_handleEnter(OTFAUX_Thumbnail_Context *tn_context, uint64_t timestamp, uint64_t process,
                                 uint32_t function);
int OTFAUX_Thumbnail_handleLeave(OTFAUX_Thumbnail_Context *tn_context, uint64_t timestamp, uint64_t process);

/* Does nothing. Returns 1. */
int OTFAUX_Thumbnail_finalize(OTFAUX_Thumbnail_Context *tn_context);

/* As OTFAUX_State_writeThumbnail. */
int OTFAUX_Thumbnail_write(const OTFAUX_Thumbnail_Context *tn_context, const char *namestub, int create, ...);

/* ---- Reading ---- */

/* Opens <namestub>.thumb and reads its header; NULL on failure. */
OTFAUX_ThumbnailReader *OTFAUX_ThumbnailReader_open(const char *namestub);

/* Closes and frees the reader. Returns 0 for NULL. */
int OTFAUX_ThumbnailReader_close(OTFAUX_ThumbnailReader *tn_reader);

/* Number of processes and of samples a process, as the header says. Return 0 for NULL. */
int OTFAUX_ThumbnailReader_getNumberOfProcs(const OTFAUX_ThumbnailReader *tn_reader, uint32_t *nprocs);
int OTFAUX_ThumbnailReader_getWidth(const OTFAUX_ThumbnailReader *tn_reader, uint32_t *width);

/* Calls the handler with data, process and samples for every line. Returns 1 when there were exactly as many good lines as
 * the header says, else 0. */
int OTFAUX_ThumbnailReader_read(OTFAUX_ThumbnailReader *tn_reader,
                                void (*process_handler)(void *, uint64_t, const uint32_t *), void *data);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTFAUX_THUMBNAIL_H */
