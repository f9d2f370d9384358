/* ban.h: functions that our code must not call, each for a reason. The build includes it before every source of the
 * library, the command and the drop-in libraries (CMakeLists.txt), so a call does not compile; the error names the
 * function, and this table says what to use instead. A file that needs a feature macro also gets it from
 * CMakeLists.txt, since the headers that declare these functions are read here.
 */
#ifndef QUIPU_CORE_BAN_H
#define QUIPU_CORE_BAN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUIPU__BANNED(function) function##_is_banned_see_core_ban_h

/* They write without knowing how much room there is: memcpy with a length, snprintf, quipu__buffer. */
#undef strcpy
#undef strcat
#undef sprintf
#undef vsprintf
#undef gets
#define strcpy(...) QUIPU__BANNED(strcpy)
#define strcat(...) QUIPU__BANNED(strcat)
#define sprintf(...) QUIPU__BANNED(sprintf)
#define vsprintf(...) QUIPU__BANNED(vsprintf)
#define gets(...) QUIPU__BANNED(gets)

/* They may leave out the NUL, or take a length that is rarely the one meant: as above. */
#undef strncpy
#undef strncat
#define strncpy(...) QUIPU__BANNED(strncpy)
#define strncat(...) QUIPU__BANNED(strncat)

/* They take memory that cannot be refused, of a size that comes from outside: the memory gate. */
#undef alloca
#define alloca(...) QUIPU__BANNED(alloca)

/* They keep state that threads share: strspn and strcspn, gmtime_r, localtime_r, strftime. */
#undef strtok
#undef asctime
#undef ctime
#undef gmtime
#undef localtime
#define strtok(...) QUIPU__BANNED(strtok)
#define asctime(...) QUIPU__BANNED(asctime)
#define ctime(...) QUIPU__BANNED(ctime)
#define gmtime(...) QUIPU__BANNED(gmtime)
#define localtime(...) QUIPU__BANNED(localtime)

/* They silently accept anything as a number: quipu__parse_u64, strtol with its end checked. */
#undef atoi
#undef atol
#undef atoll
#undef atof
#define atoi(...) QUIPU__BANNED(atoi)
#define atol(...) QUIPU__BANNED(atol)
#define atoll(...) QUIPU__BANNED(atoll)
#define atof(...) QUIPU__BANNED(atof)

/* They name a file that someone else may create first: quipu__outputs, mkstemp. */
#undef tmpnam
#undef tempnam
#undef mktemp
#define tmpnam(...) QUIPU__BANNED(tmpnam)
#define tempnam(...) QUIPU__BANNED(tempnam)
#define mktemp(...) QUIPU__BANNED(mktemp)

#endif
