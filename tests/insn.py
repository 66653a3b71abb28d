#!/usr/bin/env python3
"""insn.py [KIND...]: instructions per operator and message in chains of eight (bench/insn.c), counted by callgrind over
all threads: at most a tenth more than RECORDED. Skipped without valgrind or gcc."""
import re, shutil, tempfile
import tap
from tap import ROOT, Failed, sh

# gcc 12.2 -O2, x86-64, one translation unit. Where the code gets better, write the new figure here.
RECORDED = {'value': 113, 'stamp': 201, 'count': 113, 'latest': 158, 'forward': 321, 'pool': 590,
            'stream': 1350, 'region': 1890}
FEW, MANY, OPERATORS = 300, 2300, 8             # two lengths, so that start and end are no part of it


def collected(program, kind, messages):
    text = sh('valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', program, kind, str(messages))
    return int(re.search(r'Collected : (\d+)', text)[1])


def per_operator(program, kind):
    def check():
        tap.need('valgrind', 'gcc', always_optional=True)
        n = (collected(program, kind, MANY) - collected(program, kind, FEW)) // (OPERATORS * (MANY - FEW))
        if n > 1.1 * RECORDED[kind]:
            raise Failed(f'{n} instructions, {RECORDED[kind]} recorded')
        return f'{n} instructions, {RECORDED[kind]} recorded'
    return check


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = f'{folder}/insn'
        if shutil.which('valgrind') and shutil.which('gcc'):
            sh('gcc', '-O2', '-std=gnu11', '-w', '-pthread', f'{ROOT}/tests/bench/insn.c', '-o', program, '-ldl', timeout=600)
        tap.run([(kind, per_operator(program, kind)) for kind in RECORDED])


if __name__ == '__main__':
    main()
