#!/usr/bin/env python3
"""races.py [PROGRAM] [NAME...]: the race detector for streams (>>races in streamflow.h) finds each planted mistake of
race_programs.c, names and places it, and says nothing of the same program without the mistake, in every order of
execution. PROGRAM: race_programs, built with -fsanitize=thread; without it one is built here."""
import os, re, subprocess, sys, tempfile
import tap
from tap import ROOT, Failed, Skipped, sh

# (number of sf_order, seed): threads, first in, lazy, reverse, random, PCT
ORDERS = [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (4, 2), (5, 3)]
COLUMNS = ('name', 'one', 'two', 'object')
FIBERS_RUN = 4                                  # exit status: TSAN_OPTIONS below
where = {}


def quietly():
    """gcc 12 does not know the address layout of newer kernels."""
    prefix = ['setarch', os.uname().machine, '-R']
    try:
        subprocess.run([*prefix, 'true'], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return prefix
    except (OSError, subprocess.CalledProcessError):
        return []


def build(folder):
    program = f'{folder}/race_programs'
    sh('cc', '-fsanitize=thread', '-g', '-O1', '-std=gnu11', '-pthread', f'{ROOT}/tests/race_programs.c', '-o', program,
       '-lm', timeout=600)
    return program


def run(name, kind, order, seed):
    """Exit status and output. All reports of the program are printed."""
    done = subprocess.run([*where['prefix'], where['program'], name, kind, str(order), str(seed)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', timeout=120,
                          env={**os.environ, 'TSAN_OPTIONS': f'exitcode={FIBERS_RUN}:halt_on_error=0'})
    return done.returncode, done.stdout


def reports(text):
    """Of each report: the frames of its two stacks, and its object."""
    for part in re.findall(r'WARNING: ThreadSanitizer: data race.*?SUMMARY', text, re.S):
        stacks = re.findall(r'^  (?:\S.*?of size.*?)\n((?:    #\d+ .*\n)+)', part, re.M)
        frames = [re.findall(r'#\d+ (\S+)', stack) for stack in stacks[:2]]
        # of each access the first one is the report's own, the second "Previous"
        yield frames, ' '.join(re.findall(r'Location is (.*)', part)), part


def is_the_one(program, frames, place):
    if len(frames) < 2:
        return False
    one, two, name = program['one'], program['two'], program['name']
    named = (one in frames[0] and two in frames[1]) or (two in frames[0] and one in frames[1])
    return named and program['object'] in place


def is_found(program):
    def check():
        for order, seed in ORDERS:
            code, text = run(program['name'], 'wrong', order, seed)
            found = list(reports(text))
            if code != FIBERS_RUN or not found:
                raise Failed(f'order {order}, seed {seed}: exit status {code}, no report\n{text}')
            if not any(is_the_one(program, frames, place) for frames, place, _ in found):
                raise Failed(f"order {order}, seed {seed}: no report of {program['one']}, {program['two']} and "
                             f"{program['object']}\n{text}")
        return f'{len(ORDERS)} orders'
    return check


def is_quiet(program):
    def check():
        for order, seed in ORDERS:
            code, text = run(program['name'], 'right', order, seed)
            if code or 'ThreadSanitizer' in text:
                raise Failed(f'order {order}, seed {seed}: exit status {code}\n{text}')
        return f'{len(ORDERS)} orders'
    return check


def main():
    with tempfile.TemporaryDirectory() as folder:
        where['prefix'] = quietly()
        given = len(sys.argv) > 1 and os.path.isfile(sys.argv[1])
        where['program'] = os.path.abspath(sys.argv.pop(1)) if given else build(folder)
        listed = sh(*where['prefix'], where['program'], '--list')
        programs = [dict(zip(COLUMNS, line.split('\t'))) for line in listed.splitlines()]
        cases = []
        for program in programs:
            cases += [(f"{program['name']}, wrong", is_found(program)), (f"{program['name']}, right", is_quiet(program))]
        tap.run(cases)


if __name__ == '__main__':
    main()
