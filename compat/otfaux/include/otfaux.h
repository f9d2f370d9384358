/* otfaux.h: auxiliary library of the Open Trace Format 1.x: what is open at a time of a trace (snapshots), which receive
 * belongs to which send, and thumbnails. Link with -lotfaux; the library needs no other. */
#ifndef OTFAUX_H
#define OTFAUX_H

#include "otf.h"

#include "OTFAUX_State.h"
#include "OTFAUX_MsgMatching.h"
#include "OTFAUX_Thumbnail.h"

#endif /* OTFAUX_H */
