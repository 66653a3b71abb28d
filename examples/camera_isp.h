/*  camera_isp.h - the arithmetic, written once: camera_isp.c loops over it, camera_isp.cu spreads it

    All of it is in integers, so every compiler and every GPU comes to the same picture, to the last bit.

    From balance to combine a sample is the square root of its light. On that scale the noise of counted
    photons is as strong in the light as in the shade, so one threshold fits both; and it is close to how the
    eye sees, so an error weighs the same in both: 2 dB better than the same steps on the light itself. On the
    way a colour picture is three planes of samples: red, green, blue. */
#ifndef CAMERA_ISP_H
#define CAMERA_ISP_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
    #define PIXEL static inline __host__ __device__
#else
    #define PIXEL static inline
#endif

/* one kernel each: isp_unpack(args, x, y) makes pixel x, y of its output. A kernel of another form: isp_count() */
#define ISP_KERNELS(X)                                                                                      \
    X(unpack) X(balance) X(bilinear) X(differences) X(green) X(chroma)                                      \
    X(denoise) X(sharpness) X(combine) X(colour)

/* How samples lie in a line of bytes. RAW10, RAW12: MIPI's packing. RAW16: up to 16 bits, of which unpack keeps 15, the
   low byte first. YUYV: the luma, every other byte. */
typedef enum isp_format { ISP_RAW8, ISP_RAW10, ISP_RAW12, ISP_RAW16, ISP_YUYV } isp_format;

enum {
    ISP_BLACK = 64,                              /* the sensor's black level, in samples of 10 bits */
    ISP_LIGHT = 1 << 26,                         /* full light; the sample of it is 1 << 13 */
    ISP_TOE = ISP_LIGHT / 256,                   /* added under the root: noise around black keeps its mean */
    ISP_NOISE = 800,                             /* samples that differ more show different things */
    ISP_DETAIL = 160                             /* of 256: the most that combine brings back */
};
enum { ISP_RED, ISP_GREEN, ISP_BLUE, ISP_TAKEN };     /* planes; and the colours of sites */

typedef struct isp_statistics {                  /* of a raw frame */
    uint32_t bins[256];                          /* pixels by the upper eight bits of their sample */
    uint64_t sum, dark;                          /* of the samples of all pixels; of those in the dark lines */
} isp_statistics;

typedef struct isp_args {
    void *dst;
    const void *src, *aux;                       /* aux: the second input of combine; of balance isp_statistics, or
                                                    NULL */
    int32_t width, height;
    int32_t format, bits, stride;                /* of a raw frame: isp_format; bits of a sample; bytes from a line's
                                                    begin to that of the next */
    int32_t dark;                                /* lines above the picture that get no light: src is behind them */
    int32_t black;                               /* the sample of no light, where the dark lines do not tell */
    int32_t gain[3];                             /* light per step of the sensor, of each colour */
    uint16_t srgb[256];                          /* [n]: the least sample that is shown as n */
} isp_args;

PIXEL int isp_abs(int v) { return v < 0 ? -v : v; }
PIXEL int isp_min(int v, int w) { return v < w ? v : w; }
PIXEL int isp_max(int v, int w) { return v > w ? v : w; }

/* RGGB: red where both are even, blue where both are odd */
PIXEL int isp_site(int x, int y) { return (x & 1) + (y & 1); }

/* mirrored at the border, which keeps the phase of the mosaic */
PIXEL int isp_index(const isp_args *a, int x, int y)
{
    x = x < 0 ? -x : x >= a->width ? 2 * a->width - 2 - x : x;
    y = y < 0 ? -y : y >= a->height ? 2 * a->height - 2 - y : y;
    return y * a->width + x;
}
PIXEL int isp_at(const isp_args *a, const int16_t *plane, int x, int y) { return plane[isp_index(a, x, y)]; }

PIXEL const int16_t *isp_plane(const isp_args *a, const void *picture, int colour)
{
    return (const int16_t *)picture + (ptrdiff_t)colour * a->width * a->height;
}
PIXEL void isp_put(const isp_args *a, int colour, int x, int y, int v)
{
    v = isp_max(INT16_MIN, isp_min(v, INT16_MAX));
    ((int16_t *)a->dst)[(colour * a->height + y) * a->width + x] = (int16_t)v;
}
PIXEL int isp_sqrt(uint32_t v)
{
    uint32_t root = 0;
    for (uint32_t bit = 1u << 15; bit; bit >>= 1) {
        if ((root | bit) * (root | bit) <= v) { root |= bit; }
    }
    return (int)root;
}

/* The sample of a pixel of a raw frame. RAW10: four pixels in five bytes, the high parts, then the low two bits of
   each, first pixel lowest. RAW12: two pixels in three bytes, likewise. */
PIXEL int isp_raw(const isp_args *a, int x, int y)
{
    const uint8_t *line = (const uint8_t *)a->src + (ptrdiff_t)y * a->stride;
    switch (a->format) {
    case ISP_RAW10: line += x / 4 * 5; return line[x % 4] << 2 | (line[4] >> x % 4 * 2 & 3);
    case ISP_RAW12: line += x / 2 * 3; return line[x % 2] << 4 | (line[2] >> x % 2 * 4 & 15);
    case ISP_RAW16: return line[2 * x] | line[2 * x + 1] << 8;
    case ISP_YUYV: return line[2 * x];
    default: return line[x];
    }
}
PIXEL void isp_unpack(const isp_args *a, int x, int y) { isp_put(a, 0, x, y, isp_raw(a, x, y)); }

PIXEL int isp_bin(const isp_args *a, int sample) { return isp_min(sample >> (a->bits - 8), 255); }

/* given, or the mean of the dark lines */
PIXEL int isp_black(const isp_args *a)
{
    const isp_statistics *s = (const isp_statistics *)a->aux;
    uint64_t count = (uint64_t)a->dark * (uint64_t)a->width;
    return s && count ? (int)((s->dark + count / 2) / count) : a->black;
}
PIXEL void isp_balance(const isp_args *a, int x, int y)
{
    int steps = isp_at(a, (const int16_t *)a->src, x, y) - isp_black(a);
    int light = steps * a->gain[isp_site(x, y)] + ISP_TOE;
    isp_put(a, 0, x, y, light < 0 ? 0 : isp_sqrt((uint32_t)light));
}

/* The mean of one colour at its sites around x, y; or, given all of green, of the difference to that. */
PIXEL int isp_around(const isp_args *a, const int16_t *green, int colour, int x, int y)
{
    const int16_t *mosaic = (const int16_t *)a->src;
    int sum = 0, count = 0;
    for (int v = y - 1; v <= y + 1; v++) {
        for (int u = x - 1; u <= x + 1; u++) {
            if (isp_site(u, v) == colour) {
                int i = isp_index(a, u, v);
                sum += mosaic[i] - (green ? green[i] : 0);
                count++;
            }
        }
    }
    return sum / count;
}

/* The demosaic that everybody starts with: blind to edges, which fray and turn to colour. */
PIXEL void isp_bilinear(const isp_args *a, int x, int y)
{
    for (int c = ISP_RED; c <= ISP_BLUE; c++) {
        int own = isp_site(x, y) == c;
        isp_put(a, c, x, y, own ? isp_at(a, (const int16_t *)a->src, x, y) : isp_around(a, NULL, c, x, y));
    }
}

/* The one that looks at gradients is three kernels. First: along an edge, green minus the other colour hardly
   changes. One of the two is measured, the other is the mean of two neighbours, corrected by the curvature of
   the first (Hamilton and Adams): a guess along the row, and one along the column. */
PIXEL int isp_difference(const isp_args *a, int x, int y, int dx, int dy)
{
    const int16_t *mosaic = (const int16_t *)a->src;
    int own = isp_at(a, mosaic, x, y);
    int near = isp_at(a, mosaic, x - dx, y - dy) + isp_at(a, mosaic, x + dx, y + dy);
    int far = isp_at(a, mosaic, x - 2 * dx, y - 2 * dy) + isp_at(a, mosaic, x + 2 * dx, y + 2 * dy);
    int other = (2 * near + 2 * own - far) / 4;
    return isp_site(x, y) == ISP_GREEN ? own - other : other - own;
}
PIXEL void isp_differences(const isp_args *a, int x, int y)
{
    isp_put(a, ISP_RED, x, y, isp_difference(a, x, y, 1, 0));    /* room lent by planes to come */
    isp_put(a, ISP_BLUE, x, y, isp_difference(a, x, y, 0, 1));
}

/* Second, green, where it was not measured: from both guesses, each smoothed along its direction. The one
   that changes less around here weighs more, by the square. */
PIXEL void isp_green(const isp_args *a, int x, int y)
{
    const int16_t *row = isp_plane(a, a->dst, ISP_RED), *col = isp_plane(a, a->dst, ISP_BLUE);
    int green = isp_at(a, (const int16_t *)a->src, x, y);
    if (isp_site(x, y) != ISP_GREEN) {
        int64_t across = 1, down = 1;
        for (int v = y - 1; v <= y + 1; v++) {
            for (int u = x - 1; u <= x + 1; u++) {
                across += isp_abs(isp_at(a, row, u + 1, v) - isp_at(a, row, u - 1, v));
                down += isp_abs(isp_at(a, col, u, v + 1) - isp_at(a, col, u, v - 1));
            }
        }
        int by_row = isp_at(a, row, x - 1, y) + 2 * isp_at(a, row, x, y) + isp_at(a, row, x + 1, y);
        int by_column = isp_at(a, col, x, y - 1) + 2 * isp_at(a, col, x, y) + isp_at(a, col, x, y + 1);
        across *= across;
        down *= down;
        green += (int)((by_row * down + by_column * across) / (4 * (across + down)));
    }
    isp_put(a, ISP_GREEN, x, y, green);
}

/* Third, red and blue: green is known everywhere now, and the difference to it is smooth. */
PIXEL void isp_chroma(const isp_args *a, int x, int y)
{
    const int16_t *green = isp_plane(a, a->dst, ISP_GREEN);
    for (int c = ISP_RED; c <= ISP_BLUE; c += ISP_BLUE - ISP_RED) {
        isp_put(a, c, x, y, isp_at(a, green, x, y) + isp_around(a, green, c, x, y));
    }
}

/* The mean of 5 x 5 pixels, of which those of another colour count less, or not at all. What that took from
   green goes to a fourth plane. */
PIXEL void isp_denoise(const isp_args *a, int x, int y)
{
    const int16_t *red = isp_plane(a, a->src, ISP_RED), *green = isp_plane(a, a->src, ISP_GREEN);
    const int16_t *blue = isp_plane(a, a->src, ISP_BLUE);
    int centre = isp_index(a, x, y), r = 0, g = 0, b = 0, sum = 0;
    for (int v = y - 2; v <= y + 2; v++) {
        for (int u = x - 2; u <= x + 2; u++) {
            int i = isp_index(a, u, v);
            int dr = red[i] - red[centre], dg = green[i] - green[centre], db = blue[i] - blue[centre];
            int weight = ISP_NOISE - isp_abs(dg) - (isp_abs(dr) + isp_abs(db)) / 2;
            weight = isp_max(weight, 0);
            r += weight * dr, g += weight * dg, b += weight * db, sum += weight;
        }
    }
    isp_put(a, ISP_RED, x, y, red[centre] + r / sum);
    isp_put(a, ISP_GREEN, x, y, green[centre] + g / sum);
    isp_put(a, ISP_BLUE, x, y, blue[centre] + b / sum);
    isp_put(a, ISP_TAKEN, x, y, -(g / sum));
}

/* By the gradient of green: how much of what denoise takes here is detail, not noise. A share of 256. */
PIXEL void isp_sharpness(const isp_args *a, int x, int y)
{
    const int16_t *green = isp_plane(a, a->src, ISP_GREEN);
    int detail = 0;
    for (int d = -1; d <= 1; d++) {
        detail += isp_abs(isp_at(a, green, x + 1, y + d) - isp_at(a, green, x - 1, y + d));
        detail += isp_abs(isp_at(a, green, x + d, y + 1) - isp_at(a, green, x + d, y - 1));
    }
    isp_put(a, 0, x, y, isp_min(detail / 16, ISP_DETAIL));
}

/* Gives that back, to all three: the fine detail of a scene is grey. */
PIXEL void isp_combine(const isp_args *a, int x, int y)
{
    int share = isp_at(a, (const int16_t *)a->aux, x, y);
    int detail = isp_at(a, isp_plane(a, a->src, ISP_TAKEN), x, y) * share / 256;
    for (int c = ISP_RED; c <= ISP_BLUE; c++) {
        isp_put(a, c, x, y, isp_at(a, isp_plane(a, a->src, c), x, y) + detail);
    }
}

/* The code of a sample is the last one whose least sample it reaches, found in eight steps. The sensor's
   colours pass for sRGB's; one that has a colour matrix applies it here. */
PIXEL void isp_colour(const isp_args *a, int x, int y)
{
    uint8_t *pixel = (uint8_t *)a->dst + 3 * (y * a->width + x);
    for (int c = ISP_RED; c <= ISP_BLUE; c++) {
        int sample = isp_at(a, isp_plane(a, a->src, c), x, y), code = 0;
        for (int bit = 128; bit; bit >>= 1) {
            if (sample >= a->srgb[code | bit]) { code |= bit; }
        }
        pixel[c] = (uint8_t)code;
    }
}

/* one name, a body for the host that loops over its slice's rows, and a body in camera_isp.cu */
#define ISP_KERNEL(kernel)                                                                            \
    int kernel##_cuda(void *stream, const void *args);                                                \
    static int kernel##_host(const sf_slice *slice, const void *args)                                 \
    {                                                                                                 \
        const isp_args *a = args;                                                                     \
        ptrdiff_t end = sf_slice_end(slice, a->height);                                               \
        for (ptrdiff_t y = sf_slice_begin(slice, a->height); y < end; y++) {                          \
            for (int x = 0; x < a->width; x++) { isp_##kernel(a, x, (int)y); }                        \
        }                                                                                             \
        return 0;                                                                                     \
    }                                                                                                 \
    static const sf_kernel kernel##_kernel = {                                                        \
        .name = #kernel, .host = kernel##_host, .cuda = SF_CUDA_BODY(kernel##_cuda), .slices = 8,     \
    };

/* The kernel that counts: isp_statistics of a raw frame. On the host in one slice, as slices would share the bins. */
static inline int isp_count(const isp_args *a)
{
    isp_statistics *s = (isp_statistics *)a->dst;
    memset(s, 0, sizeof *s);
    for (int y = -a->dark; y < a->height; y++) {
        for (int x = 0; x < a->width; x++) {
            int sample = isp_raw(a, x, y);
            if (y < 0) { s->dark += (uint32_t)sample; continue; }
            s->bins[isp_bin(a, sample)]++;
            s->sum += (uint32_t)sample;
        }
    }
    return 0;
}
#define ISP_STATISTICS_KERNEL                                                                         \
    int statistics_cuda(void *stream, const void *args);                                              \
    static int statistics_host(const sf_slice *slice, const void *args)                               \
    {                                                                                                 \
        (void)slice;                                                                                  \
        return isp_count(args);                                                                       \
    }                                                                                                 \
    static const sf_kernel statistics_kernel = {                                                      \
        .name = "statistics", .host = statistics_host, .cuda = SF_CUDA_BODY(statistics_cuda),         \
    };

/* The arguments, made once, on the host. */
static inline int32_t isp_line_bytes(int32_t format, int32_t width)  /* without padding */
{
    return format == ISP_RAW10 ? (width + 3) / 4 * 5 : format == ISP_RAW12 ? (width + 1) / 2 * 3
         : format == ISP_RAW8 ? width : 2 * width;
}
static inline void isp_set_format(isp_args *a, int32_t format, int32_t bits)         /* of a frame as wide as *a */
{
    a->format = format, a->bits = bits, a->stride = isp_line_bytes(format, a->width);
    a->black = bits < 10 ? ISP_BLACK >> (10 - bits) : ISP_BLACK << (bits - 10);
}
static inline int32_t isp_gain(const isp_args *a, double gain)       /* of isp_args.gain */
{
    int32_t white = (1 << a->bits) - 1;
    return (int32_t)floor(fmin(fmax(gain, 0.125), 8) * ISP_LIGHT / (white - a->black) + 0.5);
}
/* The samples where sRGB's codes begin: halfway between two codes, back through its curve to light. */
static inline void isp_make_srgb(uint16_t *least)
{
    for (int n = 1; n < 256; n++) {
        double code = (n - 0.5) / 255;
        double light = code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4);
        least[n] = (uint16_t)ceil(sqrt(light * ISP_LIGHT + ISP_TOE));
    }
}
#endif
