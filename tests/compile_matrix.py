#!/usr/bin/env python3
"""compile_matrix.py [WORD...]: streamflow.h under every compiler and dialect that it promises, with warnings as
errors; what links is run, too. Words select combinations whose names contain one of them."""
import glob, os, re, shutil, tempfile
import tap
from tap import ROOT, Failed, need, sh

HERE = ROOT + '/tests/compile/'
C = [(cc, ['-x', 'c'] + std) for cc in ('gcc', 'clang')
     for std in (['-std=c11', '-D_DEFAULT_SOURCE'], ['-std=gnu11'], ['-std=gnu17'])]
CXX = [(cc, ['-x', 'c++', f'-std=c++{year}']) for cc in ('g++', 'clang++') for year in (11, 14, 17, 20)]
WARN = ['-pedantic', '-Wall', '-Wextra', '-Werror']
LIBS = ['-x', 'none', '-pthread', '-ldl']
NVCC = shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'
NVCC_WARN = ['-Werror', 'all-warnings', '-Xcompiler=-Wall,-Wextra,-Werror']
NVCC_CXX = ['-x', 'cu', '-std=c++17', '-arch=sm_90'] + NVCC_WARN

cases = []
temp = tempfile.TemporaryDirectory()


def case(name):
    return lambda function: cases.append((name, function))


def output():
    return tempfile.mktemp(dir=temp.name)


def program(cc, flags, *sources, libs=()):
    """Compiles, links and runs."""
    need(cc)
    exe = output()
    sh(cc, *flags, *WARN, '-I', ROOT, *[HERE + s for s in sources], *LIBS, *libs, '-o', exe)
    return sh(exe, timeout=60) and None


def title(cc, flags):
    return ' '.join([cc] + [f for f in flags if f.startswith(('-std', '-D'))])


def add_program(what, cc, flags, *sources, libs=()):
    cases.append((f'{title(cc, flags)}: {what}', lambda: program(cc, flags, *sources, libs=libs)))


def add_declarations(cc, flags):
    @case(f'{title(cc, flags)}: declarations')
    def _():
        need(cc)
        sh(cc, *flags, *WARN, '-I', ROOT, '-fsyntax-only', HERE + 'declarations.c')


for cc, flags in C + CXX:
    add_declarations(cc, flags)
for cc, flags in C + CXX:                    # one dialect of each compiler as users compile: that takes seven times as long
    optimized = ['-O2'] if flags[-1] in ('-std=gnu11', '-std=c++17') else []
    add_program('implementation', cc, flags + optimized, 'first.c')
    add_program('implementation after declarations', cc, flags, 'after.c')
    add_program('both headers', cc, flags, 'resident.c')

for cc, flags in [('gcc', ['-x', 'c', '-std=gnu11']), ('clang', ['-x', 'c', '-std=c11', '-D_DEFAULT_SOURCE']),
                  ('g++', ['-x', 'c++', '-std=c++11']), ('clang++', ['-x', 'c++', '-std=c++20'])]:
    add_program('two files', cc, flags, 'main.c', 'use.c')
    add_program('two files, each with its own', cc, flags + ['-DSF_STATIC'], 'main.c', 'use.c')
    add_program('behind sndfile.h and dlpack.h', cc, flags, 'beside.c')
    add_program('before sndfile.h and dlpack.h', cc, flags + ['-DAFTER'], 'beside.c')

# clang knows of undefined behaviour that gcc has no check for; trapping needs none of its libraries.
TRAP = ['-x', 'c', '-std=gnu11', '-fsanitize=undefined', '-fsanitize-trap=undefined']
os.environ.setdefault('SF_TEST_SEEDS', '200')    # of the suite: as with the other sanitizers
add_program('undefined behaviour traps', 'clang', TRAP, 'resident.c')
add_program('undefined behaviour traps, a suite', 'clang', TRAP + ['-I', HERE + '..'], '../test_flow.c',
            libs=['-lcmocka', '-lm'])

MACROS = ['SF_NO_THREADS', 'SF_NO_STDLIB', 'SF_NO_CUDA']
for cc, flags in [('gcc', ['-x', 'c', '-std=gnu11', '-O1']), ('clang++', ['-x', 'c++', '-std=c++11'])]:
    for chosen in range(1, 8):
        defines = ['-D' + m for i, m in enumerate(MACROS) if chosen >> i & 1]
        add_program('implementation', cc, flags + defines, 'first.c')
    add_program('implementation', cc, flags + ['-DSF_STATIC', '-DSF_NO_THREADS'], 'first.c')
    add_program('implementation, not on Linux', cc, flags + ['-U__linux__'], 'first.c')


@case('C implementation, C++ user')
def _():
    need('gcc', 'g++')
    a, b, exe = output() + '.o', output() + '.o', output()
    sh('gcc', '-std=gnu11', *WARN, '-I', ROOT, '-c', HERE + 'main.c', '-o', a)
    sh('g++', '-x', 'c++', '-std=c++11', *WARN, '-I', ROOT, '-c', HERE + 'use.c', '-o', b)
    sh('g++', a, b, '-pthread', '-ldl', '-o', exe)
    sh(exe, timeout=60)


def add_strict(cc, source):
    @case(f'{cc} -std=c11, strict: {source} works, or one sentence names -D_DEFAULT_SOURCE')
    def _():
        need(cc)
        exe = output()
        status, text = sh(cc, '-std=c11', *WARN, '-I', ROOT, HERE + source, *LIBS, '-o', exe, fails=True)
        if status == 0:
            sh(exe, timeout=60)
            return 'it works'
        errors = [line for line in text.splitlines() if re.search(r'\berror:', line)]
        if len(errors) != 1 or '#error' not in text or '-D_DEFAULT_SOURCE' not in errors[0]:
            raise Failed(f'{len(errors)} errors\n{text}')
        return errors[0]


for cc in ('gcc', 'clang'):
    add_strict(cc, 'first.c')
    add_strict(cc, 'after.c')


def nvcc(*arguments):
    need(NVCC, always_optional=True)
    sh(NVCC, *arguments)


def add_nvcc(what, *sources):
    @case(f'nvcc: {what}')
    def _():
        exe = output()
        nvcc(*NVCC_CXX, '-I', ROOT, *[HERE + s for s in sources], '-o', exe)
        sh(exe, timeout=60)


@case('nvcc: declarations')
def _():
    nvcc(*NVCC_CXX, '-I', ROOT, '-c', HERE + 'declarations.c', '-o', output())


add_nvcc('implementation', 'first.c')
add_nvcc('implementation after declarations', 'after.c')
add_nvcc('both headers', 'resident.c')
add_nvcc('two files', 'main.c', 'use.c')


@case('C implementation, CUDA user')
def _():
    need(NVCC, always_optional=True)
    a, b, exe = output() + '.o', output() + '.o', output()
    sh('gcc', '-std=gnu11', *WARN, '-I', ROOT, '-c', HERE + 'main.c', '-o', a)
    nvcc(*NVCC_CXX, '-I', ROOT, '-c', HERE + 'use.c', '-o', b)
    nvcc(a, b, '-Xcompiler=-pthread', '-ldl', '-o', exe)
    sh(exe, timeout=60)


def add_cu(path):
    @case(f'nvcc: {path}')
    def _():
        nvcc('-O2', '--fmad=false', '-arch=sm_90', *NVCC_WARN, '-I', ROOT, '-c', f'{ROOT}/{path}', '-o', output())


for folder in ('', 'examples/', 'tests/', 'tests/bench/'):
    for path in sorted(glob.glob(folder + '*.cu', root_dir=ROOT)):
        add_cu(path)


CUDA_H = next((folder for folder in (os.path.dirname(os.path.dirname(NVCC)) + '/include', '/usr/local/cuda/include',
                                     '/usr/include') if os.path.exists(folder + '/cuda.h')), None)


def need_cuda_h():
    if not CUDA_H:
        raise tap.Skipped('cuda.h not found')


for cc in ('gcc', 'clang'):
    @case(f'{cc}: structs and numbers are those of cuda.h')
    def _(cc=cc):
        need_cuda_h()
        program(cc, ['-x', 'c', '-std=gnu11', '-isystem', CUDA_H], 'cuda_layout.c')


@case('entry points take what cuda.h says, and are there')
def _():
    """By name, version and all: cuda.h redirects many a plain name to a later version with other parameters."""
    need_cuda_h()
    need('g++')
    header = open(f'{ROOT}/streamflow.h', encoding='utf-8').read()
    listed = re.findall(r'\bX\(\w+, "(cu\w+)",[\s\\\\]*(\((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*\))\)', header)
    declared, typedefs = (open(f'{CUDA_H}/{name}', encoding='utf-8').read() for name in ('cuda.h', 'cudaTypedefs.h'))
    if len(listed) < 90:
        raise Failed(f'only {len(listed)} entry points found')
    lines = ['#define STREAMFLOW_IMPLEMENTATION', '#include "streamflow.h"', '#include <cudaTypedefs.h>',
             '#include <type_traits>', 'template <class A, class B> struct same : std::false_type {};',
             'template <class A, class B> struct alike : std::integral_constant<bool, sizeof(A) == sizeof(B) &&'
             ' std::is_pointer<A>::value == std::is_pointer<B>::value> {};',
             'template <> struct same<int (*)(), CUresult (*)()> : std::true_type {};',
             'template <class A, class... As, class B, class... Bs>',
             'struct same<int (*)(A, As...), CUresult (*)(B, Bs...)> : std::integral_constant<bool,',
             '    alike<A, B>::value && same<int (*)(As...), CUresult (*)(Bs...)>::value> {};']
    for symbol, params in listed:
        params = re.sub(r'\\\n\s*', '', params)
        versions = re.findall(rf'\(CUDAAPI \*(PFN_{symbol}_v(\d+))\)', typedefs)
        redirected = re.search(rf'#define {symbol}\s+(?:__CUDA_API_PTSZ\()?{symbol}_v\d', declared)
        theirs = min(versions, key=lambda v: int(v[1]))[0] if redirected and versions else f'decltype(&{symbol})'
        lines.append(f'static_assert(same<int (*){params}, {theirs}>::value, "{symbol}");')
    source = output() + '.cc'
    with open(source, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')
    sh('g++', '-std=c++17', '-fsyntax-only', '-I', ROOT, '-isystem', CUDA_H, source)
    stub = os.path.dirname(CUDA_H) + '/lib64/stubs/libcuda.so'
    if not os.path.exists(stub):
        return f'{len(listed)} entry points; no stub library to find them in'
    need('nm')
    exported = set(re.findall(r' T (\w+)', sh('nm', '-D', stub)))
    missing = [symbol for symbol, _ in listed if symbol not in exported]
    if missing:
        raise Failed(f'not in {stub}: {" ".join(missing)}')
    return f'{len(listed)} entry points'


def add_example(path):
    @case(f'cc -O2 -pthread {path} -lm')        # exactly what its first comment says, from two places
    def _():
        folder, name = os.path.split(f'{ROOT}/{path}')
        exe = output()
        sh('c++' if path.endswith('.cc') else 'cc', '-O2', '-pthread', f'{folder}/{name}', '-lm', '-o', exe)
        first = open(f'{folder}/{name}', encoding='utf-8').read().split('*/')[0]
        if not re.search(r'(?m)\b(cc|c\+\+|g\+\+) .*' + re.escape(name), first):
            raise Failed('its first comment has no line that compiles it')


for path in sorted(glob.glob('examples/*.c', root_dir=ROOT) + glob.glob('examples/*.cc', root_dir=ROOT)):
    add_example(path)

tap.run(cases)
