#!/usr/bin/env python3
"""streams_doc.py: examples/streams.md names every public function of the stream layer, and no name that is not there."""
import re
import tap
from tap import ROOT, Failed

GUIDE = 'examples/streams.md'
SECTIONS = ['device', 'stream', 'event', 'memory', 'kernel', 'capture', 'graph', 'lazy']


def read(path):
    with open(f'{ROOT}/{path}', encoding='utf-8') as file:
        return file.read()


def declared():
    """The functions of the stream layer's sections, in their order."""
    parts = re.split(r'^/\* >>(\w+) -+ \*/$', read('streamflow.h').split('STREAMFLOW_IMPLEMENTED')[0], flags=re.M)
    code = ''.join(text for name, text in zip(parts[1::2], parts[2::2]) if name in SECTIONS)
    return re.findall(r'^SF_API[^(;]*?\b(sf_\w+)\(', re.sub(r'/\*.*?\*/', '', code, flags=re.S), re.M)


def every_function():
    guide = read(GUIDE)
    rows = [line.split('|')[1] for line in guide[guide.index('## Reference'):].split('\n') if line.startswith('| `sf_')]
    missing = [f for f in declared() if not any(f'`{f}`' in row for row in rows)]
    if missing:
        raise Failed('without a row under "Reference": ' + ' '.join(missing))
    return f'{len(declared())} functions'


def every_name():
    header = read('streamflow.h').split('STREAMFLOW_IMPLEMENTED')[0]
    names = r'\b(?:sf|SF)_\w*[A-Za-z0-9]\b'
    wrong = set(re.findall(names, read(GUIDE))) - set(re.findall(names, header))
    if wrong:
        raise Failed('not in streamflow.h: ' + ' '.join(sorted(wrong)))


CASES = [(f'{GUIDE}: a row for every function of the stream layer', every_function),
         (f'{GUIDE}: every name is declared', every_name)]

if __name__ == '__main__':
    tap.run(CASES)
