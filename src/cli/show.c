/* show.c: see show.h. */
#include "show.h"

#include "terminal.h"

struct quipu_render_options render_options_of(const struct arguments *arguments) {
    struct quipu_render_options render = QUIPU_RENDER_OPTIONS_INIT;
    render.allocator = quipu_budget_allocator(arguments->budget);
    if (option_given(arguments, OPTION_json))
        render.style = QUIPU_STYLE_JSON;
    else if (option_given(arguments, OPTION_csv))
        render.style = QUIPU_STYLE_CSV;
    render.row_limit = (size_t)option_number(arguments, OPTION_limit, 0);
    render.width =
        prints_on_terminal(arguments) && !option_given(arguments, OPTION_wide) ? terminal_width() : 0;
    render.colour = use_color(arguments);
    return render;
}
