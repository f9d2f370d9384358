/* assets.h: the parts of pages (HTML, CSS, JavaScript), which are files of their own in page/ and lie in the library unchanged.
 *
 * assets.def lists them; a new one is a file and a line there.
 */
#ifndef QUIPU_PICTURE_ASSETS_H
#define QUIPU_PICTURE_ASSETS_H

#include "core/slice.h"

enum quipu__asset_id {
#define QUIPU_ASSET(name, path) QUIPU__ASSET_##name,
#include "picture/assets.def"
#undef QUIPU_ASSET
    QUIPU__ASSET_COUNT
};

/* Where the bytes of each are (assets.S). */
extern const struct { const uint8_t *begin, *end; } quipu__assets[];

/* The bytes of a file of page/. They are static, and a NUL follows them. */
static inline struct quipu__slice quipu__asset(enum quipu__asset_id id) {
    return (struct quipu__slice){quipu__assets[id].begin, quipu__assets[id].end, false};
}

#endif
