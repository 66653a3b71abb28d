/* How much stack a program takes: for tests/firmware.sh, linked with -Wl,--wrap=main and board.h's board. */
#include <stdint.h>
#include "../../examples/firmware/board.h"

extern uint32_t bss_end[], stack_top[];
int __real_main(void);
int __wrap_main(void);
int __wrap_main(void)
{
    uint32_t *p, *end = (uint32_t *)__builtin_frame_address(0) - 32;
    int status;
    for (p = bss_end; p < end; p++) { *p = 0xa5a5a5a5; }
    status = __real_main();
    for (p = bss_end; p < stack_top && *p == 0xa5a5a5a5; p++) {}
    board_print("stack ", (stack_top - p) * (int64_t)sizeof *p), board_print("\n", -1);
    return status;
}
