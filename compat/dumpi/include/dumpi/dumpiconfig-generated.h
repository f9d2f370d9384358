/* dumpiconfig-generated.h: the version of the library, and what the system has. */
#ifndef DUMPI_DUMPICONFIG_GENERATED_H
#define DUMPI_DUMPICONFIG_GENERATED_H

#define DUMPI_VERSION 13
#define DUMPI_SUBVERSION 0
#define DUMPI_SUBSUBVERSION 0

/* A function that calls of instrumented programs are not traced in. */
#if defined(__GNUC__)
#define DUMPI_SKIP_INSTRUMENTING __attribute__((no_instrument_function))
#else
#define DUMPI_SKIP_INSTRUMENTING
#endif

#ifndef HAVE_INTTYPES_H
#define HAVE_INTTYPES_H 1
#endif
#ifndef HAVE_STDINT_H
#define HAVE_STDINT_H 1
#endif
#ifndef HAVE_UNISTD_H
#define HAVE_UNISTD_H 1
#endif
#ifndef HAVE_CLOCK_GETTIME
#define HAVE_CLOCK_GETTIME 1
#endif

#endif
