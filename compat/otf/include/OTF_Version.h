/* OTF_Version.h: the version of OTF that this library stands in for. Traces carry it in their DefVersion
 * record. */
#ifndef OTF_VERSION_H
#define OTF_VERSION_H

#define OTF_VERSION_MAJOR 1
#define OTF_VERSION_MAYOR OTF_VERSION_MAJOR
#define OTF_VERSION_MINOR 12
#define OTF_VERSION_SUB 5
#define OTF_VERSION_STRING "salmon"

#endif /* OTF_VERSION_H */
