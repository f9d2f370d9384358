/* path_text.h: paths of calls as text: "main > solve > MPI_Recv". */
#ifndef QUIPU_ANALYSIS_SHARED_PATH_TEXT_H
#define QUIPU_ANALYSIS_SHARED_PATH_TEXT_H

#include "core/memory/buffer.h"
#include "state/call_path.h"

#include <quipu/model.h>

/* Replaces the contents of a buffer by the text of a path and a NUL. Of deep paths and long names only the
 * innermost calls are in it, behind "...". */
void quipu__path_text(const struct quipu__call_paths *paths, const struct quipu_definitions *definitions,
                      uint32_t path, struct quipu__buffer *out);

/* The positions of paths in the order of those texts, as lists of names (state/call_path.h). */
uint32_t *quipu__path_text_positions(const struct quipu__call_paths *paths,
                                     const struct quipu_definitions *definitions);

#endif
