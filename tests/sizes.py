#!/usr/bin/env python3
"""sizes.py: the table of sizes in README.md is true: tests/compile/smallest.c, linked for a Cortex-M4 at -Os with
unused sections dropped, takes no more flash than its row says, and at least nine tenths of that."""
import re, tempfile
import tap
from tap import ROOT, Failed, need, sh

FLAGS = ['-std=gnu11', '-mcpu=cortex-m4', '-mthumb', '-Os', '-ffunction-sections', '-fdata-sections', '-Wall', '-Wextra',
         '-Werror', '-Wl,--gc-sections', '-nostartfiles', '-Wl,--entry=main', '--specs=nosys.specs', '-I', ROOT]


def rows():
    """The macros and the kilobytes of each row."""
    with open(f'{ROOT}/README.md', encoding='utf-8') as file:
        found = re.findall(r'^\| `((?:SF_\w+)(?:`, `SF_\w+)*)` \| ([\d.]+) KB \|', file.read(), re.M)
    return [(macros.split('`, `'), float(stated)) for macros, stated in found]


def measure(macros, stated):
    need('arm-none-eabi-gcc')
    with tempfile.NamedTemporaryFile(suffix='.elf') as file:
        sh('arm-none-eabi-gcc', *FLAGS, *[f'-D{m}' for m in macros], f'{ROOT}/tests/compile/smallest.c', '-o', file.name)
        text, data = map(int, sh('arm-none-eabi-size', file.name).splitlines()[1].split()[:2])
    size = (text + data) / 1000
    if not 0.9 * stated <= size <= stated:
        raise Failed(f'README.md says {stated} KB, measured {size:.1f} KB')
    return f'{size:.1f} KB'


def any_rows():
    if len(rows()) < 2:
        raise Failed('no table of sizes in README.md')


if __name__ == '__main__':
    tap.run([('README.md has a table of sizes', any_rows)] +
            [(' '.join(macros), lambda m=macros, s=stated: measure(m, s)) for macros, stated in rows()])
