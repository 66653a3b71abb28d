/* replay.c: a failure from the field becomes a test. A camera pushes frames; one in a while is dark, and tells the
   offset of the sensor. The operator measures that on a second stream, and its author forgot a wait. In the field that
   went wrong once. The run was recorded, so it can be played again, in virtual time, under as many orders of execution
   as one likes; then the operator alone, without and with the wait.

   cc -O2 -pthread -I. replay.c -lm */
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, FRAMES = 60, DARK = 23, SEEDS = 100 };
typedef struct { int32_t *offset; const int32_t *frame; } measure_args;
typedef struct { int32_t *picture; const int32_t *frame, *offset; } subtract_args;
static int measure_host(const sf_slice *slice, const void *args)
{
    const measure_args *a = args;
    (void)slice;
    *a->offset = a->frame[0];
    return 0;
}
static int subtract_host(const sf_slice *slice, const void *args)
{
    const subtract_args *a = args;
    for (ptrdiff_t i = sf_slice_begin(slice, N); i < sf_slice_end(slice, N); i++) {
        a->picture[i] = a->frame[i] - *a->offset;
    }
    return 0;
}
static const sf_kernel measure = { .name = "measure", .host = measure_host };
static const sf_kernel subtract = { .name = "subtract", .host = subtract_host };

/* What the camera sees: its level rises at frame DARK, which has no light. */
static int32_t level(int64_t n) { return n < DARK ? 0 : 9; }
static int32_t light(int64_t n) { return n == DARK ? 0 : (int32_t)(n % 7) + 1; }

static int32_t offset;
static bool waits;                                           /* the mistake is mended */
static sf_result correct(sf_context *ctx)
{
    sf_tensor *frame = sf_receive(ctx, 0), *picture = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    subtract_args args = { picture->data, frame->data, &offset };
    if (sf_get_timestamp(ctx, 0) == DARK) {
        sf_stream *second = sf_allocate_stream(ctx, "dark");
        measure_args m = { &offset, frame->data };
        sf_launch(second, &measure, &m, sizeof m);
        if (waits) { sf_synchronize_streams(ctx, &second, 1, s); }
    }
    sf_launch(s, &subtract, &args, sizeof args);
    return sf_emit(ctx, 0, picture);
}
static sf_result check(sf_context *ctx)
{
    const int32_t *picture = sf_receive(ctx, 0)->data;
    char why[64];
    int64_t n = sf_get_timestamp(ctx, 0);
    if (picture[0] == light(n)) { return SF_OK; }
    snprintf(why, sizeof why, "picture %d is %d, not %d", (int)n, (int)picture[0], (int)light(n));
    return sf_fail(ctx, SF_ERROR_USER, why);
}

static const sf_op_desc correct_desc = {
    .name = "correct", .compute = correct, .in = {{ .name = "frame", .external = true, .bytes = N * sizeof(int32_t) }},
    .out = {{ .name = "picture", .bytes = N * sizeof(int32_t), .memory = SF_MEMORY_PINNED }},
};
static sf_device *open_order(sf_order order, uint64_t seed)
{
    sf_device *device;
    sf_device_desc d = { .backend = SF_BACKEND_HOST, .host = { .order = order, .seed = seed } };
    offset = 0;
    return sf_device_open(&d, &device) < 0 ? (exit(1), NULL) : device;
}
static sf_flow *build(sf_device *device, bool simulated, sf_op *input)
{
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = simulated });
    sf_op b;
    *input = sf_flow_add(flow, &correct_desc);
    b = sf_flow_add(flow, &(sf_op_desc){ .name = "check", .compute = check, .in = {{ .name = "picture" }},
                                         .when = {{ .kind = SF_CONDITION_STREAM }} });
    sf_flow_connect(flow, *input, "picture", b, "picture", NULL);
    return flow;
}
static void release(void *data, void *user) { (void)user, free(data); }

/* In the field: an order in which what was enqueued last runs first. */
static void field(FILE *file)
{
    sf_op input;
    sf_device *device = open_order(SF_ORDER_REVERSE, 0);
    sf_flow *flow = build(device, false, &input);
    sf_result r = sf_flow_record(flow, NULL, 0, sf_record_file, file);
    for (int n = 0; n < FRAMES && r >= 0 && r != SF_DONE; n++) {
        int32_t *data = malloc(N * sizeof *data);
        sf_message m = { .time = n };
        for (int i = 0; i < N; i++) { data[i] = level(n) + light(n); }
        do { r = sf_flow_step(flow, NULL); } while (r == SF_OK);
        m.tensor = sf_tensor_wrap(flow, &(sf_tensor_desc){ .shape = { N * sizeof(int32_t) }, .data = data,
                                  .memory = SF_MEMORY_PINNED, .release = release });
        if (r < 0 || sf_flow_push_message(flow, input, 0, &m) != SF_OK) { sf_tensor_release(m.tensor); }
        for (int64_t wake = 0; r >= 0 && r != SF_DONE && wake >= 0;) { r = sf_flow_step(flow, &wake); }
    }
    printf("field: %s\n", sf_flow_failure(flow)->text);
    sf_flow_destroy(flow);
    sf_device_close(device, SF_FOREVER);
}
static bool fails_again(const void *recording, size_t bytes, uint64_t seed)
{
    static bool told;
    sf_op input;
    sf_device *device = open_order(SF_ORDER_RANDOM, seed);
    sf_flow *flow = build(device, true, &input);
    sf_result r = sf_flow_replay(flow, recording, bytes, false);
    if (r >= 0) { r = sf_flow_run(flow); }
    if (r < 0 && !told) { printf("replay, seed %d: %s\n", (int)seed, sf_flow_failure(flow)->text); }
    told = told || r < 0;
    sf_flow_destroy(flow);
    sf_device_close(device, SF_FOREVER);
    return r < 0;
}

static int wrong;
static void got(void *user, const sf_record *picture)
{
    (void)user;
    wrong += *(const int32_t *)picture->data != light(picture->time);
}
static int alone(bool with_wait)                             /* in how many orders it is wrong */
{
    int32_t dark[N], bright[N];
    sf_record feed[] = {
        { .port = "frame", .data = dark, .bytes = sizeof dark, .memory = SF_MEMORY_PINNED, .time = DARK },
        { .port = "frame", .data = bright, .bytes = sizeof bright, .memory = SF_MEMORY_PINNED, .time = DARK + 1,
          .at = SF_MS(1) },
    };
    int orders = 0;
    waits = with_wait;
    for (int i = 0; i < N; i++) {
        dark[i] = level(DARK);
        bright[i] = level(DARK + 1) + light(DARK + 1);
    }
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sf_device *device = open_order(SF_ORDER_RANDOM, seed);
        wrong = 0;
        sf_op_try(&correct_desc, &(sf_try_desc){ .device = device, .feed = feed, .count = 2, .got = got });
        sf_device_close(device, SF_FOREVER);
        orders += wrong > 0;
    }
    return orders;
}

int main(void)
{
    FILE *file = tmpfile();
    static char recording[1 << 16];
    size_t bytes;
    int failed = 0;
    if (!file) { return 1; }
    field(file);
    rewind(file);
    bytes = fread(recording, 1, sizeof recording, file);
    fclose(file);
    for (uint64_t seed = 0; seed < SEEDS; seed++) { failed += fails_again(recording, bytes, seed); }
    printf("replay: fails under %d of %d seeds\n", failed, (int)SEEDS);
    printf("alone: wrong under %d of %d seeds", alone(false), (int)SEEDS);
    printf(", with the wait under %d\n", alone(true));
    return 0;
}
