/* compressed.h: reading compressed files: zlib streams of blocks that end in full flushes, without a last block.
 * The drop-in library, which opens its files itself, also uses this decoder. */
#ifndef QUIPU_OTF_COMPRESSED_H
#define QUIPU_OTF_COMPRESSED_H

#include "core/files/inflate.h"

#endif
