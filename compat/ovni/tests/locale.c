/* locale.c: attributes of a program whose locale is that of its environment. */
#include "common.h"

#include <locale.h>

int main(void) {
    setlocale(LC_ALL, "");
    ovni_proc_init(1, "node.0", 31);
    ovni_thread_init(31);
    ovni_attr_set_double("solver.tolerance", 0.5);
    ovni_attr_set_json("solver.settings", "{\"alpha\": 0.25}");
    ovni_add_cpu(0, 0);
    execute(0, -1, 0);
    leave();
    ovni_proc_fini();
    return 0;
}
