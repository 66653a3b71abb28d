#!/usr/bin/env python3
"""summary.py testlog.json BUILD_STATUS: what failed, then time and cases of each suite, from what `meson test` wrote;
then the sum."""
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
    if not shown or test['result'] == 'TIMEOUT' or status not in (0, 1):
        shown += [f'{test["result"]}, exit status {status}'] + lines[-30:]
    print(f'--- {test["name"]}\n' + '\n'.join(shown))


passed = failed = 0
try:
    with open(sys.argv[1], encoding='utf-8') as log:
        tests = [json.loads(line) for line in log]
except OSError:
    print('no test was run')
    tests, failed = [], 1

table = [f'{"seconds":>8} {"passed":>7} {"failed":>7} {"skipped":>8}  suite']
for test in tests:
    good = bad = skipped = 0
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
    table.append(f'{test["duration"]:8.1f} {good:7} {bad:7} {skipped:8}  {test["name"]}')
print('', *table, sep='\n')
if sys.argv[2:] and sys.argv[2] != '0':
    print('the build failed')
    failed += 1
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
