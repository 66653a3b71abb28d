/* The implementation and nothing else: what bare.py measures. */
#define STREAMFLOW_IMPLEMENTATION
#include "streamflow.h"
