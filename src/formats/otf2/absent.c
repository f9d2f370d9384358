/* absent.c: in place of what reads OTF2, where the library was built without libotf2. */
#include "formats/otf2/format.h"

#include "core/error.h"

static enum quipu_status open_trace(struct quipu__trace *trace, struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED, "OTF2 traces are not read by this build, which has no libotf2");
    quipu__at(err, trace->path, QUIPU_UNKNOWN);
    quipu__advise(err, "install libotf2-trace-dev (or OTF2 3.0) and build again");
    return QUIPU_UNSUPPORTED;
}

static void close_trace(struct quipu__trace *trace) {
    (void)trace;
}

const struct quipu__reading quipu__otf2_reading = {
    .probe = quipu__otf2_probe, .open = open_trace, .close = close_trace, .mapping = quipu__otf2_mapping};
