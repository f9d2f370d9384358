/* specification: the programs of the OTF specification in one: a global writer, a stream writer with a master
 * control, a global reader and a stream reader. As in that document, handlers leave out the list of key-values.
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

int main(void) {
    write_globally();
    write_streams();
    read_globally("mytrace.otf");
    read_globally("streams.otf");
    read_stream("streams");
    return 0;
}
