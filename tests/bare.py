#!/usr/bin/env python3
"""bare.py: streamflow.h for machines without OS, libc, threads and heap. What an object file then still needs from
outside may be mem* and the compiler's own 64-bit arithmetic, nothing else; no TLS, no atomics library."""
import os, re, shutil, tempfile
import tap
from tap import ROOT, Failed, need, sh

DEFINES = ['-DSF_NO_STDLIB', '-DSF_NO_THREADS', '-DSF_NO_CUDA']
FLAGS = ['-std=c11', '-ffreestanding', '-Os', '-pedantic', '-Wall', '-Wextra', '-Werror', '-I', ROOT] + DEFINES
MEM = r'mem(cpy|set|move|cmp)'
ARM = rf'{MEM}|__aeabi_(mem\w+|[u]?ldivmod|[u]?idiv(mod)?|lmul|l[la]s[lr]|llsr|lasr|u?lcmp|[df]\w+|u?[il]2[df])'
RISCV = rf'{MEM}|__u?(div|mod|divmod|mul)[sd]i[34]|__(mul|ashl|ashr|lshr)[sd]i3|__(clz|ctz|popcount)[sd]i2|__\w+[sd]f\w*'

cases = []


def clang(*target):
    return lambda: (need('clang'), ['clang', *target, '-nostdlibinc'])[1]


def arm_gcc(*flags):
    def compiler():
        need('arm-none-eabi-gcc')                       # its newlib is hidden, its own stdint.h is not
        own = [sh('arm-none-eabi-gcc', '-print-file-name=' + d).strip() for d in ('include', 'include-fixed')]
        return ['arm-none-eabi-gcc', *flags, '-nostdinc', '-isystem', own[0], '-isystem', own[1]]
    return compiler


def llvm(tool):
    for name in (tool, *(f'{tool}-{version}' for version in range(21, 12, -1))):
        if shutil.which(name):
            return name
    need(tool)


def check_object(path, allowed):
    undefined = re.findall(r'\bU (\S+)', sh(llvm('llvm-nm'), '-u', path))
    wrong = [name for name in undefined if not re.fullmatch(allowed, name)]
    sections = {m[1]: int(m[2]) for m in re.finditer(r'^(\.\S+)\s+(\d+)', sh(llvm('llvm-size'), '-A', path), re.M)}
    size = {part: sum(n for s, n in sections.items() if s == part or s.startswith(part + '.'))
            for part in ('.text', '.rodata', '.data', '.bss', '.tdata', '.tbss', '.init_array')}
    note = ' '.join(f'{part} {n}' for part, n in size.items()) + f'; needs {" ".join(undefined) or "nothing"}'
    if wrong:
        raise Failed(f'not to be had on bare metal: {" ".join(wrong)}\n{note}')
    if size['.tdata'] or size['.tbss'] or size['.init_array']:
        raise Failed(f'thread-local storage or constructors\n{note}')
    return note


def add(name, compiler, allowed, *more):
    def compile(source):
        path = tempfile.mktemp(suffix='.o', dir=tempfile.tempdir)
        sh(*compiler(), *FLAGS, *more, '-c', f'{ROOT}/tests/compile/{source}', '-o', path)
        return path

    cases.append((f'{name}: declarations', lambda: compile('declarations.c') and None))
    cases.append((f'{name}: implementation', lambda: check_object(compile('implementation.c'), allowed)))


if __name__ == '__main__':
    add('clang thumbv7em', clang('--target=thumbv7em-none-eabi'), ARM)
    add('clang riscv32', clang('--target=riscv32-unknown-elf'), RISCV)
    add('arm-none-eabi-gcc Cortex-M4', arm_gcc('-mcpu=cortex-m4', '-mthumb'), ARM)
    with tempfile.TemporaryDirectory() as tempfile.tempdir:
        tap.run(cases)
