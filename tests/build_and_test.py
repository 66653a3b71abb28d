#!/usr/bin/env python3
"""build_and_test.py BUILD LOG WHAT...: builds what the chosen tests need and nothing else, and runs them. WHAT is a
suite of Meson's, or =NAME for one test. Writes LOG, a JSON line per step or test, for summary.py."""
import json, os, re, subprocess, sys, time

build, log, *wanted = sys.argv[1:]
multiplier = ['--timeout-multiplier', '4'] if 'sanitize' in open(f'{build}/meson-info/intro-buildoptions.json').read() \
    and build != 'build' else []


def introspect(what):
    return json.loads(subprocess.run(['meson', 'introspect', what, build], stdout=subprocess.PIPE, check=True).stdout)


lines = []


def step(name, function):
    start = time.monotonic()
    trouble = function()
    lines.append({'name': name, 'step': True, 'duration': time.monotonic() - start, 'result': 'OK' if not trouble else 'FAIL',
                  'stdout': trouble or ''})
    return trouble


names = {word[1:] for word in wanted if word.startswith('=')}
suites = set(wanted) - {f'={name}' for name in names}
tests = [test for test in introspect('--tests')
         if test['name'] in names or suites & {suite.split(':')[-1] for suite in test['suite']}]
unknown = names - {test['name'] for test in tests}
targets = {target['id']: target for target in introspect('--targets')}


def files(test):
    """What it needs, as ninja names it."""
    root = os.path.abspath(build) + '/'
    return {name.removeprefix(root) for depend in test['depends'] if depend in targets
            for name in targets[depend]['filename']}


def run_ninja():
    goals = sorted(set().union(*map(files, tests)))
    if goals and subprocess.run(['ninja', '-C', build, '-k', '0', *goals]).returncode:
        return 'a target does not build: see above'
    return None


def run_tests():
    """A suite that was not built is a failure of its own, and the others run."""
    ready = [test['name'] for test in tests if all(os.path.exists(f'{build}/{name}') for name in files(test))]
    for test in tests:
        if test['name'] not in ready:
            lines.append({'name': test['name'], 'duration': 0, 'result': 'FAIL', 'stdout': 'it was not built'})
    if not ready:
        return
    written = f'{build}/meson-logs/testlog.json'
    if os.path.exists(written):
        os.remove(written)
    subprocess.run(['meson', 'test', '-C', build, '--no-rebuild', '--num-processes', str(os.cpu_count()), *multiplier, *ready])
    with open(written, encoding='utf-8') as file:
        lines.extend(json.loads(line) for line in file)


for name in sorted(unknown):
    lines.append({'name': name, 'duration': 0, 'result': 'FAIL', 'stdout': 'there is no test of this name: meson introspect '
                  f'--tests {build} lists them'})
if tests:
    step(f'build ({build})', run_ninja)
    run_tests()
with open(log, 'w', encoding='utf-8') as file:
    for line in lines:
        file.write(json.dumps(line | {'build': build}) + '\n')
