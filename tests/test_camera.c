/*  test_camera.c - the operators of examples/camera_isp.h that read raw frames: random samples, packed here, with random
    bytes in between, against what was packed. On CUDA the bodies of camera_isp.cu. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"
#include "../examples/camera_isp.h"

ISP_KERNEL(unpack)
ISP_KERNEL(balance)
ISP_STATISTICS_KERNEL

enum { MOST = 96, LINES = 2 * MOST };            /* pixels of a line; lines with the dark ones */

static sf_device *device;
static sf_stream *stream;
static uint8_t *frame;
static int16_t *plane;
static isp_statistics *counted;

static int open_all(void **state)
{
    (void)state;
    device = test_open();
    stream = test_stream(device);
    frame = test_memory(device, LINES * (2 * MOST + 32));
    plane = test_memory(device, 2 * MOST * MOST * sizeof *plane);
    counted = test_memory(device, sizeof *counted);
    return 0;
}
static int close_all(void **state)
{
    (void)state;
    CHECK_OK(sf_mem_free(device, frame));
    CHECK_OK(sf_mem_free(device, plane));
    CHECK_OK(sf_mem_free(device, counted));
    CHECK_OK(sf_stream_destroy(stream));
    test_close(device);
    return 0;
}

/* -- the model: the formats as their documents describe them, the other way round -- */

typedef struct shot { isp_args args; uint16_t samples[LINES][MOST + 3]; } shot;

static void set_bits(uint8_t *byte, int at, int bits, int value)
{
    *byte = (uint8_t)((*byte & ~(((1 << bits) - 1) << at)) | value << at);
}
static void pack_pixel(uint8_t *line, int format, int x, int v)
{
    switch (format) {
    case ISP_RAW8: line[x] = (uint8_t)v; break;
    case ISP_RAW10:
        line[x / 4 * 5 + x % 4] = (uint8_t)(v / 4);
        set_bits(&line[x / 4 * 5 + 4], 2 * (x % 4), 2, v % 4);
        break;
    case ISP_RAW12:
        line[x / 2 * 3 + x % 2] = (uint8_t)(v / 16);
        set_bits(&line[x / 2 * 3 + 2], 4 * (x % 2), 4, v % 16);
        break;
    case ISP_RAW16: line[2 * x] = (uint8_t)(v % 256), line[2 * x + 1] = (uint8_t)(v / 256); break;
    default: line[2 * x] = (uint8_t)v; break;
    }
}
static void make_shot(rng *r, shot *s)
{
    static const int32_t formats[][2] = { { ISP_RAW8, 8 }, { ISP_RAW10, 10 }, { ISP_RAW12, 12 }, { ISP_RAW16, 10 },
                                          { ISP_RAW16, 12 }, { ISP_RAW16, 15 }, { ISP_YUYV, 8 } };
    const int32_t *f = formats[rng_below(r, COUNT(formats))];
    isp_args *a = &s->args;
    memset(a, 0, sizeof *a);
    a->width = 1 + (int32_t)rng_below(r, MOST), a->height = 1 + (int32_t)rng_below(r, MOST);
    a->dark = rng_below(r, 2) ? (int32_t)rng_below(r, MOST) : 0;
    isp_set_format(a, f[0], f[1]);
    a->stride += rng_below(r, 2) ? (int32_t)rng_below(r, 30) : 0;
    rng_fill(r, frame, LINES * (2 * MOST + 32));
    uint32_t most = rng_below(r, 2) ? 1u << a->bits : 1 + rng_below(r, 1u << a->bits);
    for (int y = 0; y < a->dark + a->height; y++) {
        for (int x = 0; x < a->width; x++) {
            s->samples[y][x] = (uint16_t)rng_below(r, most);
            pack_pixel(frame + y * a->stride, a->format, x, s->samples[y][x]);
        }
    }
    a->src = frame + a->dark * a->stride;
}
static void launch(const sf_kernel *kernel, const isp_args *a)
{
    CHECK_OK(sf_launch(stream, kernel, a, sizeof *a));
    CHECK_OK(sf_stream_synchronize(stream, GUARD));
}

/* -- cases -- */

static void packed_lines_end_where_the_next_pixel_would_begin(void **state)
{
    (void)state;
    for (int32_t w = 1; w <= 9; w++) {
        CHECK_EQUAL(isp_line_bytes(ISP_RAW10, w), (w / 4 + (w % 4 != 0)) * 5);
        CHECK_EQUAL(isp_line_bytes(ISP_RAW12, w), (w / 2 + w % 2) * 3);
        CHECK_EQUAL(isp_line_bytes(ISP_RAW8, w), w);
        CHECK_EQUAL(isp_line_bytes(ISP_RAW16, w), 2 * w);
        CHECK_EQUAL(isp_line_bytes(ISP_YUYV, w), 2 * w);
    }
}
static void every_sample_is_unpacked(void **state)
{
    static shot s;
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 5) {
        rng r = rng_seed(seed);
        make_shot(&r, &s);
        s.args.dst = plane;
        launch(&unpack_kernel, &s.args);
        for (int y = 0; y < s.args.height; y++) {
            for (int x = 0; x < s.args.width; x++) {
                int got = plane[y * s.args.width + x], want = s.samples[s.args.dark + y][x];
                if (got != want) {
                    fail_msg("seed %u: format %d, pixel %d, %d is %d, not %d", seed, s.args.format, x, y, got, want);
                }
            }
        }
    }
}
static void every_sample_is_counted(void **state)
{
    static shot s;
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 5) {
        rng r = rng_seed(seed);
        isp_statistics want;
        make_shot(&r, &s);
        memset(&want, 0, sizeof want);
        for (int y = 0; y < s.args.dark + s.args.height; y++) {
            for (int x = 0; x < s.args.width; x++) {
                if (y < s.args.dark) { want.dark += s.samples[y][x]; continue; }
                want.bins[s.samples[y][x] * 256 >> s.args.bits]++;
                want.sum += s.samples[y][x];
            }
        }
        rng_fill(&r, counted, sizeof *counted);                  /* of the frame before */
        s.args.dst = counted;
        launch(&statistics_kernel, &s.args);
        CHECK_BYTES(counted, &want, sizeof want);
    }
}
/* balance takes the mean of the dark lines where there are some, else the level that it was given. */
static void black_is_measured_or_given(void **state)
{
    static shot s;
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 5) {
        rng r = rng_seed(seed);
        make_shot(&r, &s);
        isp_args a = s.args, count = s.args;
        bool measured = rng_below(&r, 2);
        double sum = 0, pixels = (double)a.dark * a.width;
        for (int y = 0; y < a.dark; y++) {
            for (int x = 0; x < a.width; x++) { sum += s.samples[y][x]; }
        }
        count.dst = counted;
        launch(&statistics_kernel, &count);
        a.dst = plane;
        launch(&unpack_kernel, &a);
        a.black = (int32_t)rng_below(&r, 1u << (a.bits - 3));
        int black = measured && a.dark ? (int)floor(sum / pixels + 0.5) : a.black;
        for (int c = 0; c < 3; c++) { a.gain[c] = isp_gain(&s.args, 0.1 + rng_below(&r, 100) / 10.0); }
        a.src = plane, a.dst = plane + MOST * MOST, a.aux = measured ? counted : NULL;
        launch(&balance_kernel, &a);
        for (int y = 0; y < a.height; y++) {
            for (int x = 0; x < a.width; x++) {
                int64_t light = (int64_t)(s.samples[a.dark + y][x] - black) * a.gain[x % 2 + y % 2] + ISP_TOE;
                int64_t root = light < 0 ? 0 : (int64_t)sqrt((double)light), got = plane[MOST * MOST + y * a.width + x];
                if (got != (root < INT16_MAX ? root : INT16_MAX)) {
                    fail_msg("seed %u: black %d, pixel %d, %d is %d, not %d", seed, black, x, y, (int)got, (int)root);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_lines_end_where_the_next_pixel_would_begin),
        cmocka_unit_test(every_sample_is_unpacked),
        cmocka_unit_test(every_sample_is_counted),
        cmocka_unit_test(black_is_measured_or_given),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("camera", tests, open_all, close_all);
}
