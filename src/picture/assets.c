/* assets.c: where the bytes of each asset are, as assets.S says. */
#include "picture/assets.h"

extern const struct { const uint8_t *begin, *end; } quipu__assets[];

struct quipu__slice quipu__asset(enum quipu__asset_id id) {
    return (struct quipu__slice){quipu__assets[id].begin, quipu__assets[id].end, false};
}
