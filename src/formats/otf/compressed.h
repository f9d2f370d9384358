/* compressed.h: what reads compressed parts: zlib streams in pieces that end in full flushes, without a last block.
 * The drop-in library, which opens its files itself, takes the decoder from here. */
#ifndef QUIPU_OTF_COMPRESSED_H
#define QUIPU_OTF_COMPRESSED_H

#include "core/files/inflate.h"

#endif
