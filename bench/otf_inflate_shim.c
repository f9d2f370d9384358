/* otf_inflate_shim.c: preloaded, lets OTF's library read compressed traces with zlib 1.2.12 and newer, to compare with.
 *
 * The library enters a stream at a flush point: it resets its decoder and calls inflateSync. Since 1.2.12 that makes a
 * decoder that has seen no header one of bare deflate data for good, and the library never reads the beginning of a
 * file again. So the decoder is shown a header first.
 */
#include <dlfcn.h>
#include <zlib.h>

typedef int sync_function(z_streamp stream);

static sync_function *real_sync(void) {
    static sync_function *function;
    if (!function)
        *(void **)&function = dlsym(dlopen("libz.so.1", RTLD_NOW), "inflateSync");
    return function;
}

static void show_header(z_streamp stream) {
    static unsigned char header[2] = {0x78, 0x01};
    const z_stream saved = *stream;
    unsigned char nothing;
    stream->next_in = header;
    stream->avail_in = sizeof header;
    stream->next_out = &nothing;
    stream->avail_out = sizeof nothing;
    inflate(stream, Z_SYNC_FLUSH);
    stream->next_in = saved.next_in;
    stream->avail_in = saved.avail_in;
    stream->next_out = saved.next_out;
    stream->avail_out = saved.avail_out;
}

int inflateSync(z_streamp stream) {
    if (stream->total_in == 0)
        show_header(stream);
    return real_sync()(stream);
}
