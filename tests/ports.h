/*  ports.h - free ports of the loopback for suites that run beside each other: below those that the system gives to
    connections, chosen at random, as another suite may take one between the look and the use. Comes after test.h. */
#ifndef PORTS_H
#define PORTS_H

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static inline bool port_is_free(int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool free = bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return free;
}
/* Free is the port `beside` above it, too; 0: no other. */
static inline int port_choose(int beside)
{
    static rng r;
    int port;
    if (!r.state) { r = rng_seed((uint64_t)getpid() * 7919 + (uint64_t)sf_flow_now(NULL)); }
    do { port = 20000 + (int)rng_below(&r, 12000); } while (!port_is_free(port) || !port_is_free(port + beside));
    return port;
}
#endif /* PORTS_H */
