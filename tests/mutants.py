#!/usr/bin/env python3
"""mutants.py BUILD_TESTS_DIR [NAME...]: proof that the suites can fail.

mutants.h lists the mutants. Each leaves one thing out of a header, chosen at run time, and names the test that must
fail then: by an assertion, a crash or a hang. Without a mutant the test must pass. `meson test -C BUILD mutants`
builds the programs, BUILD_TESTS_DIR/SUITE_mutants, and runs this."""
import os, re, sys, threading, time
import tap
from tap import Failed, read

MOST = 60
TRIES = 12                                   # threads decide what some of them meet
lock = threading.Lock()
passed = {}                                  # (suite, test): seconds, or why it fails without a mutant


def table():
    """(name, suite, test) of each. Those of mutants.h and those in the headers must be the same."""
    text = read('tests/mutants.h')
    found = re.findall(r'^ *X\((\w+), (\w+), "(.*)"\)', text, re.M)
    names = sorted(name for name, _, _ in found)
    if len(names) != len(re.findall(r'^ *X\(', text, re.M)):
        sys.exit('mutants.h: a line has to be X(name, suite, "test")')
    if not 0 < len(names) <= MOST:
        sys.exit(f'mutants.h lists {len(names)} mutants: at most {MOST}')
    sites = re.findall(r'SFI_MUTANT\((\w+)\)', read('streamflow.h') + read('streamflow_gpu_resident.h'))
    if names != sorted(set(sites) - {'name'}):
        sys.exit('in mutants.h or in a header only: ' + ' '.join(sorted(set(names) ^ (set(sites) - {'name'}))))
    return found


def run(suite, test, mutant, limit):
    """None if it passes, else how it failed."""
    status, output = tap.run_test(f'{programs}/{suite}_mutants', test, limit, TEST_MUTANT=mutant)
    if status is None:
        return output
    if 'there is no such mutant' in output:
        raise Failed(f'{suite}_mutants is older than mutants.h: {output}')
    if status == 0 and f'ok 1 - {test}' in output:
        return None
    if status == 0:
        raise Failed(f'{suite}: there is no test {test}:\n{output}')
    return next((line for line in output.splitlines() if line.startswith('ERROR')),
                f'exit status {status}')


def baseline(suite, test):
    with lock:
        if (suite, test) not in passed:
            start = time.monotonic()
            reason = run(suite, test, None, 60)
            passed[suite, test] = reason or time.monotonic() - start
        if isinstance(passed[suite, test], str):
            raise Failed(f'{suite}: {test} fails without a mutant: {passed[suite, test]}')
        return passed[suite, test]


def case(mutant, suite, test):
    limit = 3 + 10 * baseline(suite, test)
    for tries in range(1, TRIES + 1):
        reason = run(suite, test, mutant, limit)
        if reason:
            return f'{suite}: {test}: {reason}' + (f' (try {tries})' if tries > 1 else '')
    raise Failed(f'{suite}: {test} passes {TRIES} times all the same')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    programs = sys.argv.pop(1)
    if not os.path.isdir(programs):
        sys.exit(f'{programs} is no folder: mutants.py BUILD_TESTS_DIR [NAME...]')
    began = time.monotonic()
    try:
        tap.run([(f'without {name}', lambda m=(name, suite, test): case(*m)) for name, suite, test in table()])
    finally:
        print(f'# {time.monotonic() - began:.0f} s')
