/* Declarations only, first and alone. With SF_STATIC each file of a program has an implementation of its own. */
#ifdef SF_STATIC
    #define STREAMFLOW_IMPLEMENTATION
#endif
#include "streamflow.h"
#include "program.h"

#ifdef __cplusplus
extern "C" int use(void);
#else
int use(void);
#endif
int use(void) { return program(); }
