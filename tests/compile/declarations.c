/* Declarations only; -fsyntax-only or -c. */
#include "streamflow.h"
#include "streamflow.h"

int declarations(const sf_context *ctx);
int declarations(const sf_context *ctx) { return ctx->run == 0 ? SF_OK : SF_ERROR_USER; }
