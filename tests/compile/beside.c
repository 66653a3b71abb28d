/* Beside libsndfile, whose names begin with sf_ too, and DLPack, whose struct streamflow.h names; -DAFTER: behind it. */
#define STREAMFLOW_IMPLEMENTATION
#ifdef AFTER
    #include "streamflow.h"
    #include "program.h"
#endif
#include <sndfile.h>
#include <dlpack/dlpack.h>
#ifndef AFTER
    #include "streamflow.h"
    #include "program.h"
#endif

int main(void)
{
    sf_tensor tensor;
    return program() + ((DLTensor *)&tensor != (DLTensor *)(void *)&tensor.data);
}
