#!/usr/bin/env python3
"""sizes.py: the table of sizes in examples/firmware.md is true: a program of tests/compile, linked for a core at -Os
with unused sections dropped, takes no more flash than its cell says, and at least nine tenths of that. Measured are the
column of the Cortex-M4, and of each other core the last row; with --all every cell. RISC-V needs --all, and
gcc-riscv64-unknown-elf with picolibc-riscv64-unknown-elf."""
import re, sys, tempfile
import tap
from tap import ROOT, Failed, need, read, sh

PAGE = 'examples/firmware.md'
FLAGS = ['-std=gnu11', '-Os', '-ffunction-sections', '-fdata-sections', '-Wall', '-Wextra', '-Werror',
         '-Wl,--gc-sections', '-nostartfiles', '-Wl,--entry=main', '-I', ROOT]
BARE = ['SF_NO_STDLIB', 'SF_NO_THREADS', 'SF_NO_CUDA']
RISCV = ['riscv64-unknown-elf', '-march=rv32imac', '-mabi=ilp32', '--specs=picolibc.specs',
         '-Wl,--defsym=__flash_size=256K']                  # picolibc's default is 64K


def arm(core):
    return ['arm-none-eabi', '-mcpu=cortex-' + core, '-mthumb', '--specs=nosys.specs']


CORES = {'M0, M0+': arm('m0'), 'M3': arm('m3'), 'M4': arm('m4'), 'M33': arm('m33'), 'RV32IMAC': RISCV}
PROGRAMS = {'values': 'smallest.c', 'tensors': 'smallest_device.c'}


def cells():
    """(messages, macros, core, kilobytes) of each cell."""
    page = read(PAGE)
    head = re.search(r'^\| messages \| defined, too \| (.*) \|$', page, re.M)
    if not head:
        return []
    names = head[1].split(' | ')
    found = re.findall(r'^\| (values|tensors) \| (.*?) \| (\d[^|]*(?: \| \d[^|]*)*) \|$', page[head.end():], re.M)
    return [(messages, re.findall(r'SF_\w+', macros), core, float(stated)) for messages, macros, row in found
            for core, stated in zip(names, row.split(' | '))]


def measure(messages, macros, core, stated):
    tool, *flags = CORES[core]
    need(f'{tool}-gcc', always_optional=core == 'RV32IMAC')
    with tempfile.NamedTemporaryFile(suffix='.elf') as file:
        sh(f'{tool}-gcc', *flags, *FLAGS, *[f'-D{m}' for m in BARE + macros],
           f'{ROOT}/tests/compile/{PROGRAMS[messages]}', '-o', file.name)
        text, data = map(int, sh(f'{tool}-size', file.name).splitlines()[1].split()[:2])
    size = (text + data) / 1000
    if not 0.9 * stated <= size <= stated:
        raise Failed(f'{PAGE} says {stated} KB, measured {size:.1f} KB')
    return f'{size:.1f} KB'


def complete():
    if {core for _, _, core, _ in cells()} != set(CORES) or {messages for messages, *_ in cells()} != set(PROGRAMS):
        raise Failed(f'no table of sizes in {PAGE}, or not one of {", ".join(CORES)}, of values and tensors')


if __name__ == '__main__':
    every = '--all' in sys.argv
    sys.argv = [argument for argument in sys.argv if argument != '--all']
    smallest = ('values', ['SF_NO_DEVICE', 'SF_NO_TEXT', 'SF_STATIC'])
    chosen = [c for c in cells() if every or c[2] == 'M4' or (c[:2] == smallest and c[2] != 'RV32IMAC')]
    tap.run([(f'{PAGE} has a table of sizes', complete)] +
            [(' '.join([c[2], c[0], *c[1]]), lambda c=c: measure(*c)) for c in chosen])
