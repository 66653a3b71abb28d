/* board.h: what firmware_loop.c asks of a board. A Cortex-M3: startup_lm3s6965.c. A PC: simulated, here. */
#include <stdint.h>

void SysTick_Handler(void);                      /* the application's */
void board_start(void);                          /* SysTick_Handler runs every millisecond from now on */
void board_sleep(void);                          /* until an interrupt */
void board_print(const char *text, int64_t number);      /* the number, too, unless it is negative */

#if __STDC_HOSTED__
#include <stdio.h>

void board_start(void) {}
void board_sleep(void) { SysTick_Handler(); }    /* simulated time passes while the CPU sleeps */
void board_print(const char *text, int64_t number)
{
    fputs(text, stdout);
    if (number >= 0) { printf("%lld", (long long)number); }
}
#endif
