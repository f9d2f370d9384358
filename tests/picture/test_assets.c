/* test_assets.c: what the library holds is what lies in page/. */
#include "harness.h"

#include "picture/assets.h"

static const char *const paths[] = {
#define QUIPU_ASSET(name, path) path,
#include "picture/assets.def"
#undef QUIPU_ASSET
};

static void test_assets_are_the_files_that_they_are_made_of(void **state) {
    (void)state;
    for (size_t i = 0; i < QUIPU__ASSET_COUNT; i++) {
        size_t size;
        const char *file = harness_read(harness_data(harness_text("../../src/%s", paths[i])), &size);
        const struct quipu__slice asset = quipu__asset((enum quipu__asset_id)i);
        assert_int_equal(quipu__slice_left(&asset), size);
        assert_memory_equal(asset.at, file, size);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_assets_are_the_files_that_they_are_made_of))
