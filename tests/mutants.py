#!/usr/bin/env python3
"""mutants.py BUILD/tests [WORD...]: proof that the suites can fail. Each case runs the test that mutants.h names: it
passes with the whole library, and fails (a crash or a hang does, too) when the library leaves the mutant's part out."""
import os, re, subprocess, sys, threading, time
import tap
from tap import ROOT, Failed

MOST = 60
TRIES = 12                                   # threads decide what some of them meet
locks, passed = {}, {}                       # of (suite, test): one thread runs it; how long it took


def run(build, suite, test, limit, mutant=None):
    """None if it passes, else how it failed."""
    environment = {k: v for k, v in os.environ.items() if k != 'TEST_MUTANT'} | \
        {'SF_TEST_SEEDS': '100', 'CMOCKA_MESSAGE_OUTPUT': 'TAP'} | ({'TEST_MUTANT': mutant} if mutant else {})
    try:
        done = subprocess.run([f'{build}/{suite}_mutants', '--backend', 'host', '--only', test], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors='replace',
                              timeout=limit, env=environment)
    except OSError as error:
        raise Failed(error)
    except subprocess.TimeoutExpired:
        return f'no end after {limit:.1f} s'
    if 'TEST_MUTANT:' in done.stdout:
        raise Failed(done.stdout)
    if done.returncode == 0 and f'ok 1 - {test}' in done.stdout:
        return None
    if done.returncode == 0:
        raise Failed(f'there is no test {test}:\n{done.stdout}')
    return next((line for line in done.stdout.splitlines() if line.startswith('ERROR')),
                f'exit status {done.returncode}')


def case(build, name, suite, test):
    with locks.setdefault((suite, test), threading.Lock()):
        if (suite, test) not in passed:
            start = time.monotonic()
            reason = run(build, suite, test, 60)
            if reason:
                raise Failed(f'{suite}: {test} fails without the mutant: {reason}')
            passed[suite, test] = time.monotonic() - start
    for _ in range(TRIES):
        reason = run(build, suite, test, 3 + 10 * passed[suite, test], name)
        if reason:
            return f'{suite}: {test}: {reason}'
    raise Failed(f'{suite}: {test} passes {TRIES} times all the same')


def main():
    build = sys.argv.pop(1)
    with open(f'{ROOT}/tests/mutants.h', encoding='utf-8') as file:
        table = re.findall(r'^    X\((\w+), (\w+), "([^"]+)"\)', file.read(), re.M)
    sites = set(re.findall(r'SFI_MUTANT\((\w+)\)', ''.join(open(f'{ROOT}/{header}', encoding='utf-8').read()
                for header in ('streamflow.h', 'streamflow_gpu_resident.h')))) - {'name'}

    def consistent():
        if len(table) > MOST:
            raise Failed(f'{len(table)} mutants: {MOST} at most')
        if sites != {name for name, _, _ in table}:
            raise Failed(f'in a header or in mutants.h alone: {sites ^ {name for name, _, _ in table}}')

    tap.run([('mutants.h and the headers agree', consistent)] +
            [(f'without {name}', lambda row=row: case(build, *row)) for row in table for name in row[:1]])


if __name__ == '__main__':
    main()
