/* The implementation, as the first and only include of a program. */
#define STREAMFLOW_IMPLEMENTATION
#include "streamflow.h"
#include "program.h"

int main(void) { return program(); }
