/* The implementation after <stdio.h> and the declarations, as tests and larger programs do; a third time is harmless. */
#include <stdio.h>
#include "streamflow.h"
#include "program.h"
#define STREAMFLOW_IMPLEMENTATION
#include "streamflow.h"
#include "streamflow.h"

int main(void) { return program() + (printf("ran\n") < 0); }
