#!/usr/bin/env python3
"""summary.py [--took SECONDS] LOG...: what failed, then time and cases of each suite, from what build_and_test.py
wrote; then the slowest, and the sum. SECONDS of the everyday run: a warning if that is longer than README says."""
import json, re, sys


def explain(test):
    """What meson does not show of a TAP test: the failed cases with their notes; of a crash the end of it all."""
    lines = ((test.get('stdout') or '') + (test.get('stderr') or '')).splitlines()
    shown, keep = [], False
    for line in lines:
        keep = line.startswith('not ok') or keep and not line.startswith('ok')
        if keep:
            shown.append(line)
    shown = shown[:100]
    status = test.get('returncode')
    if 'returncode' not in test:                # it did not run
        shown = lines
    elif not shown or test['result'] == 'TIMEOUT' or status not in (0, 1):
        shown += [f'{test["result"]}, exit status {status}'] + lines[-30:]
    print(f'--- {test["name"]}\n' + '\n'.join(shown))


MOST = 300                                      # seconds of the everyday run, on a quiet machine with 2 cores
passed = failed = 0
tests, logs, took = [], sys.argv[1:], None
if logs[:1] == ['--took']:
    took, logs = int(logs[1]), logs[2:]
for path in logs:
    try:
        with open(path, encoding='utf-8') as log:
            tests += [json.loads(line) for line in log]
    except OSError:
        print(f'{path}: nothing was run')
        failed += 1

table = [f'{"seconds":>8} {"passed":>7} {"failed":>7} {"skipped":>8}']
for test in tests:
    good = bad = skipped = 0
    name = re.sub('^streamflow:', '', test['name'])
    if test.get('build_step'):                  # no test
        bad = test['result'] != 'OK'
        failed += bad
        table.append(f'{test["duration"]:8.1f} {"":7} {bad or "":7} {"":8}  {name}')
        continue
    for verdict, skip in re.findall(r'^(not ok|ok)\b[^#\n]*(?:#\s*((?i:skip|todo)))?', test.get('stdout') or '', re.M):
        good += not skip and verdict == 'ok'
        bad += not skip and verdict != 'ok'
        skipped += bool(skip)
    if test['result'] == 'SKIP':
        skipped = max(skipped, 1)
    elif test['result'] == 'OK':
        good = good if good + skipped else 1
    else:                                       # a crash, a timeout or an exit status fails even if no case did
        bad = max(bad, 1)
        explain(test)
    passed += good
    failed += bad
    where = '' if test['where'] == 'build' else f' ({test["where"]})'
    table.append(f'{test["duration"]:8.1f} {good:7} {bad:7} {skipped:8}  {name}{where}')
print('', *table, sep='\n')
slowest = sorted(tests, key=lambda test: -test['duration'])[:6]
if len(tests) > 6:
    print('slowest: ' + ', '.join(f'{re.sub("^.*[/:] ?", "", test["name"])} {test["duration"]:.0f} s' for test in slowest))
if took is not None:
    print(f'all of it took {took // 60}:{took % 60:02}' + (
        f': more than {MOST // 60} minutes. On a quiet machine with 2 cores, make the slowest faster, or move it to '
        '--rest' if took > MOST else ''))
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
