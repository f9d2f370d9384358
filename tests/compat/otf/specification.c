/* specification: the programs of the OTF specification in one, in its order: global writer, stream writer, global reader,
 * stream reader of events and of definitions, master control. As in that document, handlers leave out the list of
 * key-values; that it gives one argument too many to the definitions of a stream writer, no header of OTF allows.
 */
#include <assert.h>
#include <stdio.h>

#include <otf.h>

static int handle_enter(void *data, uint64_t time, uint32_t function, uint32_t process, uint32_t source) {
    (void)data, (void)source;
    printf("We just entered function %u on process %u at time %llu\n", function, process,
           (unsigned long long)time);
    return OTF_RETURN_OK;
}

static int handle_leave(void *data, uint64_t time, uint32_t function, uint32_t process, uint32_t source) {
    (void)data, (void)function, (void)source;
    printf("byebye of process %u at time %llu\n", process, (unsigned long long)time);
    return OTF_RETURN_OK;
}

static int handle_process(void *data, uint32_t stream, uint32_t process, const char *name, uint32_t parent) {
    (void)data;
    printf("stream %u process %u \"%s\" parent %u\n", stream, process, name, parent);
    return OTF_RETURN_OK;
}

static void write_globally(void) {
    OTF_FileManager *manager = OTF_FileManager_open(100);
    assert(manager);
    OTF_Writer *writer = OTF_Writer_open("mytrace", 1, manager);
    OTF_Writer_writeDefTimerResolution(writer, 0, 1000);
    OTF_Writer_writeDefProcess(writer, 0, 1, "proc one", 0);
    OTF_Writer_writeDefFunctionGroup(writer, 0, 1000, "all functions");
    OTF_Writer_writeDefFunction(writer, 0, 1, "main", 1000, 0);
    OTF_Writer_writeEnter(writer, 10000, 1, 1, 0);
    OTF_Writer_writeLeave(writer, 20000, 1, 1, 0);
    OTF_Writer_close(writer);
    OTF_FileManager_close(manager);
}

static void write_streams(void) {
    OTF_FileManager *manager = OTF_FileManager_open(100);
    OTF_WStream *global = OTF_WStream_open("streams", 0, manager),
                *local = OTF_WStream_open("streams", 1, manager);
    OTF_WStream_writeDefTimerResolution(global, 1000);
    OTF_WStream_writeDefProcess(global, 1, "proc one", 0);
    OTF_WStream_writeEnter(local, 10000, 1, 1, 0);
    OTF_WStream_writeLeave(local, 20000, 1, 1, 0);
    OTF_WStream_close(global);
    OTF_WStream_close(local);
    OTF_MasterControl *control = OTF_MasterControl_new(manager);
    OTF_MasterControl_append(control, 1, 1);
    OTF_MasterControl_write(control, "streams");
    OTF_MasterControl_close(control);
    OTF_FileManager_close(manager);
}

static void read_globally(const char *name) {
    OTF_FileManager *manager = OTF_FileManager_open(100);
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)handle_enter, OTF_ENTER_RECORD);
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)handle_leave, OTF_LEAVE_RECORD);
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)handle_process, OTF_DEFPROCESS_RECORD);
    OTF_Reader *reader = OTF_Reader_open(name, manager);
    assert(reader);
    printf("%llu definitions\n", (unsigned long long)OTF_Reader_readDefinitions(reader, handlers));
    printf("%llu events\n", (unsigned long long)OTF_Reader_readEvents(reader, handlers));
    OTF_Reader_close(reader);
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
}

static void read_stream(const char *name) {
    OTF_FileManager *manager = OTF_FileManager_open(100);
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)handle_enter, OTF_ENTER_RECORD);
    OTF_RStream *stream = OTF_RStream_open(name, 1, manager);
    printf("%llu events\n", (unsigned long long)OTF_RStream_readEvents(stream, handlers));
    OTF_RStream_close(stream);
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
}

/* The definitions of the global stream alone. */
static void read_definitions_of_stream(const char *name) {
    OTF_FileManager *manager = OTF_FileManager_open(100);
    OTF_HandlerArray *handlers = OTF_HandlerArray_open();
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer *)handle_process, OTF_DEFPROCESS_RECORD);
    OTF_RStream *stream = OTF_RStream_open(name, 0, manager);
    assert(stream);
    printf("%llu definitions\n", (unsigned long long)OTF_RStream_readDefinitions(stream, handlers));
    OTF_RStream_close(stream);
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
}

static void manage_streams(const char *name) {
    OTF_FileManager *manager = OTF_FileManager_open(100);
    OTF_MasterControl *control = OTF_MasterControl_new(manager);
    for (uint32_t process = 100; process < 104; process++)
        OTF_MasterControl_append(control, process < 102 ? 1 : 2, process);
    OTF_MasterControl_write(control, name);
    OTF_MasterControl_close(control);
    control = OTF_MasterControl_new(manager);
    OTF_MasterControl_read(control, name);
    for (uint32_t i = 0; i < OTF_MasterControl_getCount(control); i++) {
        const OTF_MapEntry *entry = OTF_MasterControl_getEntryByIndex(control, i);
        for (uint32_t k = 0; k < entry->n; k++)
            printf(" stream %u contains process %u\n", entry->argument, entry->values[k]);
    }
    OTF_MasterControl_close(control);
    OTF_FileManager_close(manager);
}

int main(void) {
    write_globally();
    write_streams();
    read_globally("mytrace");
    read_globally("streams.otf");
    read_stream("streams");
    read_definitions_of_stream("mytrace");
    manage_streams("managed");
    return 0;
}
