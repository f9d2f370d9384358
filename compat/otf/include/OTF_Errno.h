/* OTF_Errno.h: storing and showing the library's one error, whose number and text are in OTF_Definitions.h. */
#ifndef OTF_ERRNO_H
#define OTF_ERRNO_H

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/* Stores a message, formatted as by printf, in otf_strerr and sets otf_errno to OTF_ERROR. Prints nothing. */
void OTF_Error(const char *format, ...);

/* Does nothing. */
void OTF_Warning(const char *format, ...);

#ifdef __cplusplus
}
#endif /* __cplusplus */

#endif /* OTF_ERRNO_H */
