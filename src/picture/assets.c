/* assets.c: where the bytes of each asset begin and end, as assets.S has put them into the library. */
#include "picture/assets.h"

#define QUIPU_ASSET(name, path) extern const uint8_t quipu__asset_##name[], quipu__asset_end_##name[];
#include "picture/assets.def"
#undef QUIPU_ASSET

static const struct {
    const uint8_t *begin, *end;
} assets[] = {
#define QUIPU_ASSET(name, path) {quipu__asset_##name, quipu__asset_end_##name},
#include "picture/assets.def"
#undef QUIPU_ASSET
};

struct quipu__slice quipu__asset(enum quipu__asset_id id) {
    return (struct quipu__slice){assets[id].begin, assets[id].end, false};
}
