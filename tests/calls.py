#!/usr/bin/env python3
"""calls.py: the guides name every public function of their part of a header in a table, and no name that is not there.
Neither does examples/llms.txt, which is short."""
import re
import tap
from tap import Failed, read

GUIDES = [('examples/streams.md', 'streamflow.h', 'device stream event memory kernel capture graph lazy'),
          ('examples/flows.md', 'streamflow.h', 'tensor compute operator flow observe record link'),
          ('examples/gpu_loops.md', 'streamflow_gpu_resident.h', 'types build control host device bridge observe')]
INDEX, INDEX_LINES = 'examples/llms.txt', 56


def declarations(header):
    return re.split(r'^#if.*_IMPLEMENTATION\b.*_IMPLEMENTED', read(header), flags=re.M)[0]


def declared(header, sections):
    """The functions of these sections, in their order."""
    parts = re.split(r'^/\* >>(\w+) -+ \*/$', declarations(header), flags=re.M)
    code = ''.join(text for name, text in zip(parts[1::2], parts[2::2]) if name in sections.split())
    return re.findall(r'^SF_(?:API|CORE)[^(;]*?\b(sf_\w+)\(', re.sub(r'/\*.*?\*/', '', code, flags=re.S), re.M)


def every_function(guide, header, sections):
    rows = '\n'.join(line.split('|')[1] for line in read(guide).split('\n') if line.startswith('| `sf_'))
    missing = [f for f in declared(header, sections) if not re.search(rf'`{f}\b', rows)]
    if missing:
        raise Failed('in no table: ' + ' '.join(missing))
    return f'{len(declared(header, sections))} functions'


def every_name(guide):
    there = ' '.join(declarations(h) for h in ('streamflow.h', 'streamflow_gpu_resident.h')) + read('streamflow_kernels.cu')
    names = r'(?<!#)\b(?:sf|SF)_\w*[A-Za-z0-9]\b'
    wrong = set(re.findall(names, read(guide))) - set(re.findall(names, there))
    if wrong:
        raise Failed('not in the headers: ' + ' '.join(sorted(wrong)))


def every_field(guide):
    """What follows a dot in its code is a word of the declarations."""
    code = ' '.join(a + b for a, b in re.findall(r'```c\n(.*?)```|`([^`\n]+)`', read(guide), re.S))
    wrong = set(re.findall(r'(?<!\w)\.([a-z]{3,}\w*)', code)) - set(re.findall(r'\w+', declarations('streamflow.h')))
    if wrong:
        raise Failed('no fields: ' + ' '.join(sorted(wrong)))


def is_short(guide, most):
    count = read(guide).count('\n')
    if count > most:
        raise Failed(f'{count} lines, not {most}')
    return f'{count} lines'


if __name__ == '__main__':
    tap.run([(f'{g}: a row for every function', lambda g=g, h=h, s=s: every_function(g, h, s)) for g, h, s in GUIDES] +
            [(f'{g}: every name is declared', lambda g=g: every_name(g)) for g in [*(g for g, _, _ in GUIDES), INDEX]] +
            [(f'{INDEX}: every field is declared', lambda: every_field(INDEX)),
             (f'{INDEX}: at most {INDEX_LINES} lines', lambda: is_short(INDEX, INDEX_LINES))])
