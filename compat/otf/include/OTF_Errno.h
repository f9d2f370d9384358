/* OTF_Errno.h: the library's one error: a number and a text. */
#ifndef OTF_ERRNO_H
#define OTF_ERRNO_H

#define OTF_ERR_LEN 1000
#define OTF_NO_ERROR 0
#define OTF_ERROR -1

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* The last error. The library sets otf_errno to OTF_ERROR and never back to OTF_NO_ERROR; callers may. While it
 * is set, write functions return 0 although they write. */
extern int otf_errno;
extern char otf_strerr[1000];

/* Stores a message, formatted as by printf, in otf_strerr and sets otf_errno to OTF_ERROR. Prints nothing. */
void OTF_Error(const char *format, ...);

/* Does nothing. */
void OTF_Warning(const char *format, ...);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_ERRNO_H */
