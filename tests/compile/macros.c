/* Behind macros of other headers whose names are words. A name that the library used would become an error here. The
   declarations are behind all of them. -DIMPLEMENTATION: the implementation is behind those of the first part. Headers
   of the system cannot stand behind such macros, so those that the implementation includes come first. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef IMPLEMENTATION
    #include <dlfcn.h>
    #include <errno.h>
    #include <pthread.h>
    #include <sched.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/eventfd.h>
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>
    #ifdef __cplusplus
        #include <cxxabi.h>
        #include <exception>
    #endif
#endif
#define BAD @

/* Qt. The values are not Qt's where an empty one could pass unseen. */
#define emit BAD
#define slots BAD
#define signals BAD
#define foreach BAD
#define forever BAD
#define Q_EMIT BAD
/* X11 */
#define None BAD
#define Bool BAD
#define Status BAD
#define True BAD
#define False BAD
#define Always BAD
#define Success BAD
#define Complex BAD
#define Unsorted BAD
#define Expose BAD
#define KeyPress BAD
#define CursorShape BAD
#define GrayScale BAD
#define InputOnly BAD
#define NoSymbol BAD
/* Arduino, termios.h */
#define B0 BAD
#define B1 BAD
#define B110 BAD
#define HIGH BAD
#define LOW BAD
#define INPUT BAD
#define OUTPUT BAD
#define DEFAULT BAD
#define EXTERNAL BAD
#define INTERNAL BAD
#define CHANGE BAD
#define RISING BAD
#define SERIAL BAD
#define DISPLAY BAD
#define PI BAD
#define DEC BAD
#define HEX BAD
#define BIN BAD
#undef ECHO
#define ECHO BAD
#define F(text) BAD
#define abs(x) BAD
#define round(x) BAD
#define sq(x) BAD
#define bit(b) BAD
#define word(...) BAD
#define constrain(x, low, high) BAD
#define interrupts() BAD
#define min(a, b) BAD
#define max(a, b) BAD
/* complex.h, sys/sysmacros.h, curses.h, and what gnu11 defines */
#define I BAD
#define complex BAD
#define imaginary BAD
#define major(device) BAD
#define minor(device) BAD
#define makedev(major, minor) BAD
#define OK BAD
#define ERR BAD
#define timeout(ms) BAD
#define clear() BAD
#define erase() BAD
#define move(y, x) BAD
#define refresh() BAD
#define box(w, v, h) BAD
#define scroll(w) BAD
#define border(a, b, c, d, e, f, g, h) BAD
#undef linux
#undef unix
#define linux BAD
#define unix BAD
/* glib.h, Linux, log and test libraries */
#define MIN(a, b) BAD
#define MAX(a, b) BAD
#define ABS(a) BAD
#define CLAMP(x, low, high) BAD
#undef TRUE
#undef FALSE
#define TRUE BAD
#define FALSE BAD
#define likely(x) BAD
#define unlikely(x) BAD
#define container_of(ptr, type, member) BAD
#define ARRAY_SIZE(x) BAD
#define UNUSED(x) BAD
#define DEBUG BAD
#define INFO BAD
#define WARNING BAD
#define FATAL BAD
#define ASSERT(x) BAD
#define CHECK(x) BAD
#define LOG(x) BAD
#define EXPECT(x) BAD

#ifdef IMPLEMENTATION
    #define STREAMFLOW_IMPLEMENTATION
    #define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#else                                        /* windows.h, AssertMacros.h, tables of X */
    #define near BAD
    #define far BAD
    #define small BAD
    #define interface BAD
    #define ERROR BAD
    #define NO_ERROR BAD
    #define IN BAD
    #define OUT BAD
    #define OPTIONAL BAD
    #define DELETE BAD
    #define IGNORE BAD
    #define INFINITE BAD
    #define VOID BAD
    #define STRICT BAD
    #define THIS BAD
    #define OPAQUE BAD
    #define TRANSPARENT BAD
    #define RELATIVE BAD
    #define ABSOLUTE BAD
    #define WAIT_TIMEOUT BAD
    #define CALLBACK BAD
    #define CreateEvent BAD
    #define GetMessage BAD
    #define check(x) BAD
    #define verify(x) BAD
    #define require(x, label) BAD
    #define X(x) BAD
#endif
#include "streamflow.h"
#include "streamflow_gpu_resident.h"

#ifdef IMPLEMENTATION
#include "program.h"
int main(void)
{
    #define TEXT(x) #x
    #define AS_TEXT(x) TEXT(x)
    return program() || AS_TEXT(slots)[0] != '@';        /* it is defined again */
}
#else
size_t size(void);
size_t size(void) { return sizeof(sf_op_desc) + sizeof(sf_resident_desc); }
#endif
