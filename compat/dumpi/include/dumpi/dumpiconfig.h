/* dumpiconfig.h: what the library is and was made with. */
#ifndef DUMPI_DUMPICONFIG_H
#define DUMPI_DUMPICONFIG_H

#include <arpa/inet.h>

#include <dumpi/dumpiconfig-generated.h>

/* Some systems have these as functions only. */
#ifndef htonl
#define htonl htonl
#endif
#ifndef htons
#define htons htons
#endif
#ifndef ntohl
#define ntohl ntohl
#endif
#ifndef ntohs
#define ntohs ntohs
#endif

#endif
