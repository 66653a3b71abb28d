/* Declarations only; -fsyntax-only or -c. The public macros stand in code of a user's. */
#include "streamflow.h"
#include "streamflow.h"
#include "streamflow_gpu_resident.h"
#include "streamflow_gpu_resident.h"

static const int64_t times[] = { SF_FOREVER, SF_US(20), SF_MS(3), SF_HZ(50) };

sf_result declarations(const sf_context *ctx, sf_kernel *kernel);
sf_result declarations(const sf_context *ctx, sf_kernel *kernel)
{
    kernel->cuda = SF_CUDA_BODY(NULL);
    kernel->host_ns = times[1];
    return ctx->run == 0 && times[0] < 0 && times[2] == 3000000 && times[3] == 20000000 ? SF_OK : SF_ERROR_USER;
}
