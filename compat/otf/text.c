/* text.c: copies of text and formatted text, exported because OTF 1.12.5 exports them. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *OTF_strdup(const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* The part after the last slash; "/" when nothing follows it, "." for no path at all. */
char *OTF_basename(char *path) {
    static char current[] = ".";
    static char root[] = "/";

    if (!path || !*path)
        return current;
    char *slash = strrchr(path, '/');
    if (!slash)
        return path;
    return slash[1] ? slash + 1 : root;
}

int OTF_vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
    return vsnprintf(text, size, format, arguments);
}

int OTF_snprintf(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}

int OTF_vasprintf(char **text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (*text)
        vsnprintf(*text, (size_t)length + 1, format, again);
    va_end(again);
    return *text ? length : -1;
}

int OTF_asprintf(char **text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = OTF_vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}
