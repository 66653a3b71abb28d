#!/usr/bin/env python3
"""build_and_test.py BUILD LOG WHAT...: builds what the chosen tests need and nothing else, and runs them. WHAT is a
suite of Meson's or the name of a test. Writes LOG, a JSON line for the build and for each test, for summary.py."""
import json, os, subprocess, sys, time


def introspect(build, what):
    return json.loads(subprocess.run(['meson', 'introspect', what, build], stdout=subprocess.PIPE, check=True).stdout)


def is_sanitized(build):
    return any(option['name'] == 'b_sanitize' and option['value'] != 'none'
               for option in introspect(build, '--buildoptions'))


def choose(build, wanted):
    """The tests, and what names none."""
    tests = introspect(build, '--tests')
    if not tests:                            # set up to install from
        subprocess.run(['meson', 'setup', '--reconfigure', build, '-Dtests=enabled', '-Dexamples=enabled'], check=True)
        tests = introspect(build, '--tests')
    names = [{test['name'], *(suite.split(':')[-1] for suite in test['suite'])} for test in tests]
    return ([test for test, own in zip(tests, names) if own & set(wanted)],
            sorted(set(wanted) - set().union(*names)))


def add_needs(build, tests):
    """test['needs']: the files to build, as ninja names them."""
    root = os.path.abspath(build) + '/'
    files = {target['id']: target['filename'] for target in introspect(build, '--targets')}
    for test in tests:
        test['needs'] = [name.removeprefix(root) for target in test['depends'] for name in files.get(target, [])]


def is_built(build, test):
    """Not that the files are there: those of an earlier build may be."""
    done = subprocess.run(['ninja', '-C', build, '-n', *test['needs']], stdout=subprocess.PIPE, text=True)
    return not test['needs'] or 'no work to do' in done.stdout


def run(build, tests):
    """Meson's own lines."""
    path = f'{build}/meson-logs/testlog.json'
    if os.path.exists(path):
        os.remove(path)
    sanitized = is_sanitized(build)
    processes = os.cpu_count() + 1                  # one more, as some suites wait for most of their time
    subprocess.run(['meson', 'test', '-C', build, '--no-rebuild', '--num-processes', str(processes),
                    '--timeout-multiplier', '4' if sanitized else '1', *(test['name'] for test in tests)])
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def main(build, log, *wanted):
    subprocess.run(['ninja', '-C', build, 'build.ninja'], stdout=subprocess.DEVNULL)   # the list of tests may have changed
    tests, unknown = choose(build, wanted)
    add_needs(build, tests)
    lines = [{'name': name, 'duration': 0, 'result': 'FAIL',
              'stdout': f'no test has this name: meson test -C {build} --list names them'} for name in unknown]
    began = time.monotonic()
    goals = {name for test in tests for name in test['needs']}
    built = not goals or subprocess.run(['ninja', '-C', build, '-k', '0', *goals]).returncode == 0
    lines.append({'name': f'build ({build})', 'build_step': True, 'duration': time.monotonic() - began,
                  'result': 'OK' if built else 'FAIL'})
    ready = [test for test in tests if built or is_built(build, test)]
    lines += [{'name': test['name'], 'duration': 0, 'result': 'FAIL', 'stdout': 'it was not built'}
              for test in tests if test not in ready]
    if ready:
        lines += run(build, ready)
    with open(log, 'w', encoding='utf-8') as file:
        for line in lines:
            file.write(json.dumps(line | {'where': build}) + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
