/* Shared libraries of one process, each with an implementation; compiled as C and as C++. -DNAME=one: such a library,
   whose function runs flows. Without NAME: the program that calls both. -DCLIENT: a program that has no implementation
   and calls one that a shared library exports. */
#ifdef NAME
    #define STREAMFLOW_IMPLEMENTATION
#endif
#if defined(NAME) || defined(CLIENT)
    #include "streamflow.h"
    #include "program.h"
#endif
#include <dlfcn.h>
#include <stdio.h>
#ifdef __cplusplus
    #define C extern "C"
#else
    #define C extern
#endif

#ifdef NAME
C int NAME(void);
int NAME(void)                               /* the version that it reaches, or minus what does not work */
{
    static sf_flow_desc desc;
    static sf_device_desc host;
    sf_device *device = NULL;
    sf_flow *flow;
    int wrong = program();
    host.backend = desc.backend = SF_BACKEND_HOST;
#ifdef __cplusplus                           /* the inline functions, too, are those of this library */
    flow = sf_flow_create(desc);
    if (sf_device_open(host, &device) == SF_ERROR_NOT_SUPPORTED) { printf("refused\n"); }
#else
    flow = sf_flow_create(&desc);
    if (sf_device_open(&host, &device) == SF_ERROR_NOT_SUPPORTED) { printf("refused\n"); }
#endif
    if (!wrong && sf_flow_destroy(flow) < 0) { wrong = 100; }
    if (!wrong && sf_device_close(device, SF_FOREVER) < 0) { wrong = 101; }
    return wrong ? -wrong : (int)sf_version();
}
#elif defined(CLIENT)
int main(void) { return program(); }
#else
C int one(void);
C int two(void);
int main(int argc, char **argv)              /* with arguments: the paths of the two, opened at run time */
{
    if (argc < 3) { return printf("%d %d\n", one(), two()) < 0; }
    for (int i = 1; i < 3; i++) {
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL);
        union { void *ptr; int (*func)(void); } f;
        if (!library) { return printf("%s\n", dlerror()) < 0; }
        f.ptr = dlsym(library, i == 1 ? "one" : "two");
        printf("%d\n", f.ptr ? f.func() : -1);
    }
    return 0;
}
#endif
