/* The implementation for use.c, and a user of it as well. */
#define STREAMFLOW_IMPLEMENTATION
#include "streamflow.h"
#include "program.h"

#ifdef __cplusplus
extern "C" int use(void);
#else
int use(void);
#endif
int main(void) { return program() + use(); }
