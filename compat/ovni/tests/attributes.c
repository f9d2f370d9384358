/* attributes.c: every function of attributes, ranks and requirements; exits with 1 when one gives back something else. */
#include "common.h"

static bool gives_back_what_was_set(void) {
    char *json = ovni_attr_get_json("app.list");
    const bool is_same = ovni_attr_get_double("app.number") == 0.1 && ovni_attr_get_boolean("app.flag") == 1 &&
                         strcmp(ovni_attr_get_str("app.text"), "a/b \"c\" \xc3\xa9") == 0 &&
                         strcmp(json, "[1,{\"a\":null},\"\\u0001x\",-1500]") == 0;
    free(json);
    return is_same && ovni_attr_has("app") && ovni_attr_has("ovni.require.nosv") && !ovni_attr_has("app.none");
}

int main(void) {
    ovni_proc_init(2, "attributes.0", 50);
    ovni_thread_init(50);
    ovni_thread_require("nosv", "2.6.0");
    ovni_thread_require("nosv", "2.7.0");
    ovni_attr_set_double("app.number", 0.1);
    ovni_attr_set_boolean("app.flag", 7);
    ovni_attr_set_str("app.text", "first");
    ovni_attr_set_str("app.text", "a/b \"c\" \xc3\xa9");
    ovni_attr_set_json("app.list", " [1, {\"a\": null}, \"\\u0001x\", -1.5e3] ");
    ovni_attr_flush();
    ovni_proc_set_rank(0, 2);
    ovni_proc_set_rank(1, 2);
    ovni_add_cpu(0, 4);
    execute(0, -1, 0);
    const bool is_fine = gives_back_what_was_set();
    leave();
    ovni_proc_fini();
    return is_fine ? 0 : 1;
}
