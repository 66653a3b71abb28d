#!/usr/bin/env python3
"""compile_matrix.py [WORD...]: the headers under each compiler and dialect that they promise, with warnings as errors;
what links is run, too. Words select combinations whose names contain one of them."""
import functools, glob, os, re, shutil, sys, tempfile, threading, zipfile
import tap
from tap import ROOT, Failed, need, sh

HERE = ROOT + '/tests/compile/'
C11 = ['-x', 'c', '-std=c11', '-D_DEFAULT_SOURCE']
GNU11 = ['-x', 'c', '-std=gnu11']
GNU17 = ['-x', 'c', '-std=gnu17']
CXX = {year: ['-x', 'c++', f'-std=c++{year}'] for year in (11, 14, 17, 20)}
# Each dialect once with each kind of compiler for the declarations, once at all for the implementation. gcc -O2 with
# these warnings is the library `plain` of meson.build.
DECLARATIONS = [(cc, flags) for cc in ('gcc', 'clang') for flags in (C11, GNU11, GNU17)] + \
               [(cc, flags) for cc in ('g++', 'clang++') for flags in CXX.values()]
IMPLEMENTATION = [('gcc', C11), ('gcc', GNU11), ('clang', GNU17), ('clang', GNU11), ('g++', CXX[11]),
                  ('g++', CXX[20]), ('clang++', CXX[14]), ('clang++', CXX[17] + ['-O2'])]
MACROS = ['-DSF_NO_THREADS', '-DSF_NO_STDLIB', '-DSF_NO_CUDA']
WARN = ['-pedantic', '-Wall', '-Wextra', '-Werror']
LIBS = ['-x', 'none', '-pthread', '-ldl']
# clang knows of undefined behaviour that gcc has no check for; trapping needs none of its libraries.
TRAP = GNU11 + ['-fsanitize=undefined', '-fsanitize-trap=undefined']
NVCC = shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'
NVCC_WARN = ['-Werror', 'all-warnings', '-Xcompiler=-Wall,-Wextra,-Werror']
NVCC_CXX = ['-x', 'cu', '-std=c++17', '-arch=sm_90'] + NVCC_WARN
CUDA_H = next((folder for folder in (os.path.dirname(os.path.dirname(NVCC)) + '/include', '/usr/local/cuda/include',
                                     '/usr/include') if os.path.exists(folder + '/cuda.h')), None)


def output():
    """The path of a new file; main() removes them all."""
    return tempfile.mktemp(dir=tempfile.tempdir)


def title(cc, flags):
    return ' '.join([cc] + [f for f in flags if f.startswith(('-std', '-D', '-O', '-U'))])


def program(cc, flags, *sources, libs=()):
    """Compiles, links and runs."""
    need(cc)
    exe = output()
    sh(cc, *flags, *WARN, '-I', ROOT, *[HERE + s for s in sources], *LIBS, *libs, '-o', exe)
    sh(exe, timeout=60)


def syntax(cc, flags, source):
    need(cc)
    sh(cc, *flags, *WARN, '-I', ROOT, '-fsyntax-only', HERE + source)


def nvcc(*arguments):
    need(NVCC, always_optional=True)
    sh(NVCC, *arguments)


def nvcc_program(*sources, flags=()):
    exe = output()
    nvcc(*NVCC_CXX, *flags, '-I', ROOT, *[HERE + s for s in sources], '-o', exe)
    sh(exe, timeout=60)


objects_lock = threading.Lock()


@functools.lru_cache(maxsize=None)
def compiled(source, *flags):
    """By gcc as C, without optimization."""
    path = output() + '.o'
    sh('gcc', *GNU11, *WARN, '-I', ROOT, *flags, '-c', source, '-o', path)
    return path


def c_object(source, *flags):
    """An object that several cases link."""
    need('gcc')
    with objects_lock:
        return compiled(source, *flags)


def library_object():
    return c_object(ROOT + '/streamflow.h', '-DSTREAMFLOW_IMPLEMENTATION')


def two_files_c():
    exe = output()
    sh('gcc', *GNU11, *WARN, '-I', ROOT, HERE + 'use.c', '-x', 'none', c_object(HERE + 'main.c'), *LIBS, '-o', exe)
    sh(exe, timeout=60)


def c_implementation_cxx_user():
    need('g++')
    a, b, exe = c_object(HERE + 'main.c'), output() + '.o', output()
    sh('g++', '-x', 'c++', '-std=c++11', *WARN, '-I', ROOT, '-c', HERE + 'use.c', '-o', b)
    sh('g++', a, b, '-pthread', '-ldl', '-o', exe)
    sh(exe, timeout=60)


def c_implementation_exceptions():
    need('g++')
    a, b, exe = library_object(), output() + '.o', output()
    sh('g++', '-x', 'c++', '-std=c++11', *WARN, '-I', ROOT, '-DC_IMPLEMENTATION', '-c', HERE + 'exceptions.cc', '-o', b)
    sh('g++', a, b, '-pthread', '-ldl', '-o', exe)
    sh(exe, timeout=60)


def c_implementation_cuda_user():
    need(NVCC, always_optional=True)
    a, b, exe = c_object(HERE + 'main.c'), output() + '.o', output()
    nvcc(*NVCC_CXX, '-I', ROOT, '-c', HERE + 'use.c', '-o', b)
    nvcc(a, b, '-Xcompiler=-pthread', '-ldl', '-o', exe)
    sh(exe, timeout=60)


def strict(cc, source):
    """It works, or one sentence names -D_DEFAULT_SOURCE. Compiled alone, too: with -pthread glibc declares more."""
    need(cc)
    exe = output()
    flags = ['-std=c11', *WARN, '-I', ROOT, HERE + source]
    status, text = sh(cc, *flags, '-fsyntax-only', fails=True)
    if status == 0:
        sh(cc, *flags, *LIBS, '-o', exe)
        sh(exe, timeout=60)
        return 'it works'
    errors = [line for line in text.splitlines() if re.search(r'\berror:', line)]
    if len(errors) != 1 or '#error' not in text or '-D_DEFAULT_SOURCE' not in errors[0]:
        raise Failed(f'{len(errors)} errors\n{text}')
    return errors[0]


def bare_needs_macros(cc):
    """Without a way to mask interrupts a sentence names both ways out; with the macros, it compiles."""
    need(cc)
    flags = ['-fsyntax-only', '-I', ROOT, *(CXX[11] if cc.endswith('++') else GNU11), *MACROS, HERE + 'implementation.c']
    status, text = sh(cc, *flags, fails=True)
    if status == 0 or 'SF_CRITICAL_ENTER' not in text or 'SF_NO_INTERRUPTS' not in text:
        raise Failed(text or 'it compiles')
    status, text = sh(cc, *flags, '-DSF_CRITICAL_ENTER()=((void)0)', fails=True)
    if status == 0 or 'both, or neither' not in text:
        raise Failed(text or 'one of the two is enough')
    sh(cc, *flags, *WARN, '-DSF_CRITICAL_ENTER()=((void)0)', '-DSF_CRITICAL_EXIT()=((void)0)')


def no_device(cc, flags):
    """Another file that opens a device does not link, and the linker names the function."""
    need(cc)
    a = output() + '.o'
    sh(cc, *flags, *WARN, '-I', ROOT, '-DSF_NO_DEVICE', '-c', HERE + 'main.c', '-o', a)
    status, text = sh(cc, *flags, *WARN, '-I', ROOT, HERE + 'use.c', '-x', 'none', a, *LIBS, '-o', output(), fails=True)
    if status == 0 or 'sf_device_open' not in text or 'sf_flow_create' in text:
        raise Failed(text or 'it links')


def old_style_cast(cc, flags):
    """What users with -Wold-style-cast compile: the declarations, and all public macros in code of theirs."""
    need(cc)
    sh(cc, *flags, *WARN, '-Wold-style-cast', '-I', ROOT, '-fsyntax-only', HERE + 'declarations.c')


def names_of(word):
    """The functions that are declared with the word, in both headers."""
    return sorted(set(re.findall(rf'^{word}\b\(?[^(;]*?\b(sf_\w+)(?:, )?\(', ''.join(
        re.split(r'^#if.*_IMPLEMENTATION\b.*_IMPLEMENTED', tap.read(header), flags=re.M)[0]
        for header in ('streamflow.h', 'streamflow_gpu_resident.h')), re.M)))


def module():
    """A C++20 module that exports every function that takes a reference, and a program that imports it."""
    need('clang++')
    folder = output()
    os.mkdir(folder)
    names = names_of('SFI_(?:BY_)?REFERENCE')
    if len(names) < 28:
        raise Failed(f'only {len(names)} functions found')
    with open(folder + '/flow.cppm', 'w', encoding='utf-8') as file:
        file.write('module;\n#include "streamflow.h"\n#include "streamflow_gpu_resident.h"\nexport module flow;\n' +
                   ''.join(f'export using ::{name};\n' for name in names))
    cxx = ['clang++', *CXX[20][2:], *WARN, '-I', ROOT]
    sh(*cxx, '--precompile', '-x', 'c++-module', folder + '/flow.cppm', '-o', folder + '/flow.pcm')
    sh(*cxx[:2], '-c', folder + '/flow.pcm', '-o', folder + '/flow.o')
    sh(*cxx, f'-fprebuilt-module-path={folder}', '-Wno-missing-field-initializers', '-c', HERE + 'module.cc', '-o',
       folder + '/user.o')
    sh('clang++', folder + '/user.o', folder + '/flow.o', library_object(), *LIBS, '-o', folder + '/program')
    sh(folder + '/program', timeout=60)
    return f'{len(names)} functions'


def other_version():
    """A folder with a header of version 200, in which two structs begin with one more field."""
    folder = output()
    os.mkdir(folder)
    text = tap.read('streamflow.h')
    for old, new in ((r'(#define SF_VERSION) \d+', r'\1 200'),
                     (r'(typedef struct sf_(?:flow|op)_desc \{)', r'\1 void *more;')):
        text = re.sub(old, new, text)
    with open(folder + '/streamflow.h', 'w', encoding='utf-8') as file:
        file.write(text)
    return folder


def shared(cc, x, *more):
    """A program, and shared libraries `one` of this version and `two` of another."""
    need(cc)
    flags = [cc, '-x', x, *WARN, '-fPIC', '-O0', *more]
    exe, one, two = output(), output() + '.so', output() + '.so'
    sh(*flags, '-I', ROOT, '-shared', '-DNAME=one', HERE + 'shared.c', *LIBS, '-o', one)
    sh(*flags, '-I', other_version(), '-shared', '-DNAME=two', HERE + 'shared.c', *LIBS, '-o', two)
    sh(*flags, HERE + 'shared.c', '-x', 'none', one, two, *LIBS, '-o', exe)
    return exe, one, two


def versions_side_by_side(cc, x):
    version = int(re.search(r'#define SF_VERSION (\d+)', tap.read('streamflow.h'))[1])
    exe, one, two = shared(cc, x)
    for arguments in ([], [one, two]):
        text = sh(exe, *arguments, timeout=60)
        if text.split() != [str(version), '200']:
            raise Failed(text)


def exported_versions(cc, x):
    """Both libraries export their functions: the second one refuses, and says why. A program calls what the first one
    exports; with the header of another version it does not link."""
    exe, one, two = shared(cc, x, '-DSF_API=extern')
    told = 'the header here is version 200, but calls from here reach version'
    for arguments in ([], [one, two]):
        text = sh(exe, *arguments, timeout=60)
        if f'sf_flow_create: {told}' not in text or f'sf_device_open: {told}' not in text or 'refused' not in text:
            raise Failed(text)
    client = [cc, '-x', x, '-DCLIENT', '-DSF_API=extern', HERE + 'shared.c', '-x', 'none', one, *LIBS, '-o', exe]
    sh(*client, '-I', ROOT)
    sh(exe, timeout=60)
    status, text = sh(*client, '-I', other_version(), fails=True)
    if status == 0 or 'sf_flow_create_in_version_200' not in text:
        raise Failed(text or 'it links')


def lto(cc, flags, user_cc, user_flags):
    """The implementation in one file, calls from another, optimized as one program."""
    need(cc, user_cc)
    a, b, exe = output() + '.o', output() + '.o', output()
    options = ['-O1', '-flto', *WARN, '-I', ROOT]
    linker = ['-fuse-ld=lld'] if 'clang' in cc else []
    if linker:
        need('ld.lld', always_optional=True)
    sh(cc, *flags, *options, '-c', HERE + 'main.c', '-o', a)
    sh(user_cc, *user_flags, *options, '-c', HERE + 'use.c', '-o', b)
    sh(user_cc, '-O1', '-flto', *linker, *([] if linker else ['-Wlto-type-mismatch', '-Wodr', '-Werror']), a, b,
       '-pthread', '-ldl', '-o', exe)
    sh(exe, timeout=60)


# Releases of CUDA that no driver at hand has: their headers are in NVIDIA's wheels, 2.5 MB each.
WHEELS = {13000: '13.0.96', 13010: '13.1.80', 13020: '13.2.86', 13030: '13.3.29', 13040: '13.4.92', 13050: '13.5.37'}
# Of the entry points those that are younger than CUDA 13.0, and where they came with.
YOUNGER = {'cuDevSmResourceSplit': 13010, 'cuLaunchHostFunc_v2': 13020, 'cuGraphNodeGetParams': 13020,
           'cuStreamBeginRecaptureToGraph': 13030}
# The types of nodes that the library shows as OTHER, by the release that they came with. 15 is free, so far.
OTHERS = {13000: {8, 9}, 13030: {16}, 13050: {14, 17, 18}}
release_locks = {release: threading.Lock() for release in WHEELS}


def headers_of(release):
    """The folder of that release's cuda.h and cudaTypedefs.h, downloaded once and kept in build/."""
    folder = f'{ROOT}/build/cuda-headers/{WHEELS[release]}'
    with release_locks[release]:
        if not os.path.exists(folder + '/cudaTypedefs.h'):
            os.makedirs(folder, exist_ok=True)
            got, text = sh(sys.executable, '-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--no-deps',
                           '--only-binary', ':all:', '--retries', '1', '--timeout', '15', '-d', folder,
                           f'nvidia-cuda-runtime=={WHEELS[release]}', fails=True)
            wheels = glob.glob(folder + '/*.whl')
            if got != 0 or not wheels:
                reason = text.strip().splitlines()
                raise tap.Skipped(f'pip cannot download nvidia-cuda-runtime {WHEELS[release]}'
                                  f'{": " + reason[-1] if reason else ""}')
            with zipfile.ZipFile(wheels[0]) as wheel:
                for name in ('cuda.h', 'cudaTypedefs.h'):
                    with open(f'{folder}/{name}', 'wb') as file:
                        file.write(wheel.read(f'nvidia/cu13/include/{name}'))
            os.remove(wheels[0])
    return folder


def cuda_layout(cc, release=None):
    """The newest release, and the one that is installed, are also run: main() compares tables."""
    folder = headers_of(release) if release else CUDA_H
    if not folder:
        raise tap.Skipped('cuda.h not found')
    flags = GNU11 + ['-isystem', folder]
    if release and release != max(WHEELS):
        syntax(cc, flags, 'cuda_layout.c')
    else:
        program(cc, flags, 'cuda_layout.c')


def node_types(release):
    """Each type that cuda.h has is one of sf_node_type, or known to have no name there."""
    listed = re.search(r'sfi_cuda_node_types\[\] = \{([^}]*)\}', tap.read('streamflow.h'))
    body = re.search(r'enum CUgraphNodeType_enum \{(.*?)\} CUgraphNodeType;', tap.read(headers_of(release) + '/cuda.h'),
                     re.S)
    ours = {int(number) for number in re.findall(r'\d+', listed[1])}
    theirs = {int(number) for number in re.findall(r'CU_GRAPH_NODE_TYPE_\w+\s*=\s*(\d+)', body[1])}
    others = set().union(*(types for since, types in OTHERS.items() if since <= release))
    if theirs - ours != others or ours - theirs:
        raise Failed(f'types without a name: {sorted(theirs - ours)}, expected {sorted(others)}; names without a type: '
                     f'{sorted(ours - theirs)}')
    return f'{len(ours)} types, and OTHER for {sorted(others)}'


def entry_points(release=None):
    """By name, version and all: cuda.h redirects many a plain name to a later version with other parameters."""
    folder = headers_of(release) if release else CUDA_H
    if not folder:
        raise tap.Skipped('cuda.h not found')
    need('g++')
    header = tap.read('streamflow.h')
    listed = re.findall(r'\bX\(\w+, "(cu\w+)",[\s\\\\]*(\((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*\))\)', header)
    declared, typedefs = (tap.read(f'{folder}/{name}') for name in ('cuda.h', 'cudaTypedefs.h'))
    version = int(re.search(r'#define CUDA_VERSION (\d+)', declared)[1])
    if release and version != release:
        raise Failed(f'the header says {version}')
    if len(listed) != len(re.findall(r'\bX\(\w+, "cu\w+",', header)) or len(listed) < 90:
        raise Failed(f'only {len(listed)} entry points found')
    lines = ['#define STREAMFLOW_IMPLEMENTATION', '#include "streamflow.h"', '#include <cudaTypedefs.h>',
             '#include <type_traits>', 'template <class A, class B> struct same : std::false_type {};',
             'template <class A, class B> struct alike : std::integral_constant<bool, sizeof(A) == sizeof(B) &&'
             ' std::is_pointer<A>::value == std::is_pointer<B>::value> {};',
             'template <> struct same<int (*)(), CUresult (*)()> : std::true_type {};',
             'template <class A, class... As, class B, class... Bs>',
             'struct same<int (*)(A, As...), CUresult (*)(B, Bs...)> : std::integral_constant<bool,',
             '    alike<A, B>::value && same<int (*)(As...), CUresult (*)(Bs...)>::value> {};']
    count = 0
    for symbol, params in listed:
        if YOUNGER.get(symbol, 0) > version:
            if re.search(rf'\b{symbol}\(', declared):
                raise Failed(f'{symbol} is there before {YOUNGER[symbol]}')
            continue
        count += 1
        params = re.sub(r'\\\n\s*', '', params)
        versions = re.findall(rf'\(CUDAAPI \*(PFN_{symbol}_v(\d+))\)', typedefs)
        redirected = re.search(rf'#define {symbol}\s+(?:__CUDA_API_PTSZ\()?{symbol}_v\d', declared)
        theirs = min(versions, key=lambda v: int(v[1]))[0] if redirected and versions else f'decltype(&{symbol})'
        lines.append(f'static_assert(same<int (*){params}, {theirs}>::value, "{symbol}");')
    source = output() + '.cc'
    with open(source, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')
    sh('g++', '-std=c++17', '-fsyntax-only', '-I', ROOT, '-isystem', folder, source)
    stub = os.path.dirname(folder) + '/lib64/stubs/libcuda.so'
    if release or not os.path.exists(stub):
        return f'{count} entry points' + ('' if release else '; no stub library to find them in')
    need('nm')
    exported = set(re.findall(r' T (\w+)', sh('nm', '-D', stub)))
    missing = [symbol for symbol, _ in listed if symbol not in exported and symbol not in YOUNGER]
    if missing:
        raise Failed(f'not in {stub}: {" ".join(missing)}')
    return f'{len(listed)} entry points'


def cases():
    found = []

    def add(name, function, *arguments, **more):
        found.append((name, lambda: function(*arguments, **more)))

    for cc, flags in DECLARATIONS:
        add(f'{title(cc, flags)}: declarations', syntax, cc, flags, 'declarations.c')
    for cc, flags in IMPLEMENTATION:
        add(f'{title(cc, flags)}: both headers', program, cc, flags, 'resident.c')
    for cc, flags in [('gcc', GNU11), ('clang++', CXX[20])]:
        add(f'{title(cc, flags)}: implementation after declarations', program, cc, flags, 'after.c')
        if cc == 'gcc':
            add(f'{title(cc, flags)}: two files', two_files_c)
        else:
            add(f'{title(cc, flags)}: two files', program, cc, flags, 'main.c', 'use.c')
        add(f'{title(cc, flags)}: behind sndfile.h and dlpack.h', program, cc, flags, 'beside.c')
    for cc, flags in [('clang', GNU11), ('g++', CXX[11])]:
        add(f'{title(cc, flags)}: two files, each with its own', program, cc, flags + ['-DSF_STATIC'], 'main.c', 'use.c')
        add(f'{title(cc, flags)}: before sndfile.h and dlpack.h', program, cc, flags + ['-DAFTER'], 'beside.c')
    for cc, flags in [('gcc', GNU11), ('clang++', CXX[11])]:
        for chosen in range(1, 8):
            more = flags + [m for i, m in enumerate(MACROS) if chosen >> i & 1]
            if chosen & 3 == 3:                         # bare, and nobody knows this processor's interrupts
                more = more + ['-DSF_NO_INTERRUPTS']
            add(f'{title(cc, more)}: implementation', program if chosen == 7 else syntax, cc, more, 'first.c')
        for more in (['-DSF_STATIC', '-DSF_NO_THREADS'], ['-U__linux__'], ['-DSF_NO_TEXT', '-DSF_NO_THREADS']):
            add(f'{title(cc, flags + more)}: implementation', syntax, cc, flags + more, 'first.c')
        add(f'{title(cc, flags)} -DSF_NO_TEXT: both headers', program, cc, flags + ['-DSF_NO_TEXT'], 'resident.c')
    for cc, flags in [('gcc', GNU11), ('clang', GNU17), ('g++', CXX[11]), ('clang++', CXX[20])]:
        add(f'{title(cc, flags)}: declarations behind the macros of other headers', syntax, cc, flags, 'macros.c')
    for cc, flags in [('gcc', GNU11), ('clang++', CXX[17])]:
        add(f'{title(cc, flags)}: both headers behind the macros of other headers', program, cc,
            flags + ['-DIMPLEMENTATION'], 'macros.c')
    for cc in ('g++', 'clang++'):
        for year in (11, 20):
            add(f'{cc} -std=c++{year} -Wold-style-cast: declarations', old_style_cast, cc, CXX[year])
    add('clang++: a module exports the functions that take references', module)
    for cc, x in [('gcc', 'c'), ('clang++', 'c++')]:
        add(f'{cc}: two shared libraries of different versions', versions_side_by_side, cc, x)
        add(f'{cc}: shared libraries that export the functions', exported_versions, cc, x)
    for cc, flags, user_cc, user_flags in [('gcc', GNU11, 'g++', CXX[17]), ('clang', GNU11, 'clang++', CXX[20])]:
        add(f'{title(cc, flags)} -flto, calls of {title(user_cc, user_flags)}', lto, cc, flags, user_cc, user_flags)
    for cc in ('gcc', 'clang'):
        for source in ('first.c', 'after.c'):
            add(f'{cc} -std=c11, strict: {source} works, or one sentence names -D_DEFAULT_SOURCE', strict, cc, source)
    for cc, flags, more in [('gcc', GNU11 + ['-O2'], []), ('g++', CXX[20], ['-DSF_STATIC']),
                            ('clang++', CXX[11], ['-DSF_NO_THREADS', '-DSF_NO_LAZY']),
                            ('clang', C11, [*MACROS, '-DSF_NO_INTERRUPTS', '-DSF_NO_TEXT', '-DSF_NO_JOINS'])]:
        more = flags + ['-DSF_NO_DEVICE', *more]
        add(f'{title(cc, more)}: values', program, cc, more, 'first.c')
    for macro in ('-DSF_NO_LAZY', '-DSF_NO_JOINS'):
        add(f'gcc -std=gnu11 {macro}: both headers', syntax, 'gcc', GNU11 + [macro], 'resident.c')
        add(f'clang++ -std=c++20 {macro}: both headers', program, 'clang++', CXX[20] + [macro], 'resident.c')
    add('gcc -std=gnu11 -O2 -DSF_NO_LAZY -DSF_NO_JOINS: both headers', program, 'gcc',
        GNU11 + ['-O2', '-DSF_NO_LAZY', '-DSF_NO_JOINS'], 'resident.c')
    for cc, flags in [('gcc', GNU11), ('clang++', CXX[17])]:
        add(f'{title(cc, flags)} -DSF_NO_DEVICE: a call from another file names the function', no_device, cc, flags)
    for cc in ('gcc', 'clang++'):
        add(f'{cc}: bare on a processor whose interrupts are not known', bare_needs_macros, cc)
    add('C implementation, C++ user', c_implementation_cxx_user)
    for cc, flags in [('g++', CXX[11]), ('clang++', CXX[20])]:
        add(f'{title(cc, flags)}: exceptions', program, cc, flags, 'exceptions.cc')
    add('C implementation: exceptions', c_implementation_exceptions)
    for cc in ('g++', 'clang++'):
        add(f'{cc} -fno-exceptions: both headers', program, cc, CXX[17] + ['-fno-exceptions'], 'resident.c')
    add('clang: undefined behaviour traps', program, 'clang', TRAP, 'resident.c')
    add('clang: undefined behaviour traps, a suite', program, 'clang', TRAP + ['-I', HERE + '..'], '../test_flow.c',
        '../library.c', libs=['-lcmocka', '-lm'])
    add('nvcc: declarations', nvcc, *NVCC_CXX, '-I', ROOT, '-c', HERE + 'declarations.c', '-o', '/dev/null')
    add('nvcc: both headers', nvcc_program, 'resident.c')
    for macro in ('-DSF_NO_DEVICE', '-DSF_NO_LAZY'):
        add(f'nvcc {macro}: a program', nvcc_program, 'first.c', flags=[macro])
    add('nvcc: streamflow_kernels.cu', nvcc, '-O2', '--fmad=false', '-arch=sm_90', *NVCC_WARN, '-I', ROOT, '-c',
        ROOT + '/streamflow_kernels.cu', '-o', '/dev/null')
    add('C implementation, CUDA user', c_implementation_cuda_user)
    for path in sorted(glob.glob('examples/*.c', root_dir=ROOT) + glob.glob('examples/tutorial/*.c', root_dir=ROOT)):
        add(f'gcc -std=gnu11: {path} as a single file', syntax, 'gcc', GNU11, '../../' + path)
    for cc in ('gcc', 'clang'):
        add(f'{cc}: structs and numbers are those of cuda.h', cuda_layout, cc)
    add('entry points take what cuda.h says, and are there', entry_points)
    for release in WHEELS:
        name = f'CUDA {release // 1000}.{release % 1000 // 10}'
        add(f'{name}: structs and numbers are those of its cuda.h', cuda_layout, 'gcc', release)
        add(f'{name}: entry points take what its cuda.h says, and are there', entry_points, release)
        add(f'{name}: types of nodes are known, or known to have no name', node_types, release)
    return found


if __name__ == '__main__':
    os.environ.setdefault('SF_TEST_SEEDS', '200')
    with tempfile.TemporaryDirectory() as tempfile.tempdir:
        tap.run(cases())
