/*  fuzz.h - what fuzz_flow and fuzz_link share: a string of bytes is one program. Replays files and random strings;
    libFuzzer and AFL++ call the same function. Includes test.h, whose checks name the string that failed. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <dirent.h>
static char playing[256];                    /* which string it is */
static int loud;                             /* --loud: says what it does */
#define fail_msg(...) (printf("Bail out! %s: ", playing), printf(__VA_ARGS__), putchar('\n'), fflush(stdout), abort())
#include "test.h"

enum { STRING = 512 };                       /* bytes of a random string, at most */

typedef struct bytes { const uint8_t *at, *end; } bytes;
static uint8_t take(bytes *b) { return b->at < b->end ? *b->at++ : 0; }      /* zeros behind the end: defaults */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void replay(const char *path)         /* "-": standard input */
{
    static uint8_t data[1 << 16];
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t n = file ? fread(data, 1, sizeof data, file) : 0;
    snprintf(playing, sizeof playing, "%s", path);
    CHECK(file != NULL);
    if (file != stdin) { fclose(file); }
    LLVMFuzzerTestOneInput(data, n);
}
static uint32_t replay_all(const char *path) /* a file, or all files of a folder; returns how many */
{
    char name[4096];
    struct dirent **list;
    int n = scandir(path, &list, NULL, alphasort);
    uint32_t files = 0;
    if (n < 0) { return replay(path), 1; }
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
        if (list[i]->d_name[0] != '.') { replay(name), files++; }
        free(list[i]);
    }
    free(list);
    return files;
}
static size_t random_string(rng *r, uint8_t *data, uint32_t most)    /* returns its bytes: 1..most */
{
    size_t n = 1 + rng_below(r, most);
    for (size_t i = 0; i < n; i++) { data[i] = (uint8_t)rng_below(r, rng_below(r, 3) ? 256 : 16); }
    return n;
}
/* [FOLDER or FILE]... [--seed N] [--loud]. string(): the bytes of a seed; returns how many. TAP. */
static int fuzz_main(int argc, char **argv, size_t (*string)(uint64_t seed, uint8_t data[STRING]))
{
    uint8_t data[STRING];
    uint32_t files = 0;
    uint64_t first = 0, end = (test_seeds() + 4) / 5;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--loud")) { loud = 1; }
    }
    printf("1..2\n");
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--seed") && i + 1 < argc) {
            first = strtoull(argv[++i], NULL, 10), end = first + 1;
        } else if (strncmp(argv[i], "--", 2) != 0) {
            files += replay_all(argv[i]);
        }
    }
    printf("ok 1 - %u files\n", files);
    for (uint64_t seed = first; seed < end; seed++) {
        snprintf(playing, sizeof playing, "--seed %llu", (unsigned long long)seed);
        LLVMFuzzerTestOneInput(data, string(seed, data));
    }
    printf("ok 2 - %llu random strings\n", (unsigned long long)(end - first));
    return 0;
}
#endif /* FUZZ_H */
