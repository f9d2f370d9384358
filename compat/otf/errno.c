/* errno.c: the one error of the library. It is set and never reset: clients look at it after the fact, and
 * write functions return 0 for as long as it is set. */
#include "internal.h"

#include <stdio.h>

int otf_errno = OTF_NO_ERROR;
char otf_strerr[OTF_ERR_LEN] = "No errors occurred.";

void OTF_Error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(otf_strerr, sizeof otf_strerr, format, arguments);
    va_end(arguments);
    otf_errno = OTF_ERROR;
}

void OTF_Warning(const char *format, ...) {
    (void)format;
}
