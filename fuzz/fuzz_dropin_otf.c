/* fuzz_dropin_otf.c: a program of OTF's own library copies any trace, or a part of it, by its copy handlers: it neither
 * crashes nor leaves memory behind. What is in the copy is for the tests that compare with the original. */
#include "support.h"

#include <OTF_CopyHandler.h>
#include <otf.h>

#include <string.h>

static void copy(const char *from, const char *to, uint64_t least, uint64_t most) {
    OTF_FileManager *manager = OTF_FileManager_open(4);
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    OTF_Reader *reader = OTF_Reader_open(from, manager);
    if (reader) {
        OTF_Writer *writer = OTF_Writer_open(to, 3, manager);
        OTF_HandlerArray_getCopyHandler(handlers, writer);
        OTF_Reader_readDefinitions(reader, handlers);
        OTF_Reader_setTimeInterval(reader, least, most);
        OTF_Reader_readEvents(reader, handlers);
        OTF_Reader_readStatistics(reader, handlers);
        OTF_Reader_readSnapshots(reader, handlers);
        OTF_Reader_readMarkers(reader, handlers);
        OTF_Writer_close(writer);
        OTF_Reader_close(reader);
    }
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    const char *suffix = strrchr(fuzz->path, '.');
    if (!suffix || strcmp(suffix, ".otf") != 0)
        return;
    const bool is_part = fuzz_choose(fuzz, 70, 3) == 0;
    const uint64_t least = is_part ? fuzz_choose(fuzz, 71, 2000) : 0;
    copy(fuzz->path, fuzz_out(0, ""), least, is_part ? least + fuzz_choose(fuzz, 72, 100000) : UINT64_MAX);
}
