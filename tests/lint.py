#!/usr/bin/env python3
"""lint.py: what a compiler does not see: contents, versions, layout. Code in documentation is for guides.py."""
import glob, os, re
import faults
import tap
from tap import ROOT, Failed, read

HEADERS = [h for h in ('streamflow.h', 'streamflow_gpu_resident.h')
           if h == 'streamflow.h' or os.path.exists(f'{ROOT}/{h}')]
IMPLEMENTATION = {'streamflow.h': 'STREAMFLOW_IMPLEMENTATION',
                  'streamflow_gpu_resident.h': 'STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION'}
cases = []


def blank(pattern, text):
    return re.sub(pattern, lambda match: re.sub(r'[^\n]', ' ', match[0]), text, flags=re.S | re.M)


def code_of(text):
    """Without comments, strings and characters; lines and columns stay."""
    return blank(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', text)


def line_of(text, position):
    return text.count('\n', 0, position) + 1


def contents(header):
    text = read(header)
    first = text[:text.index('*/')]
    listed = re.findall(r'>>(\w+)', first)
    there = re.findall(r'^/\* >>(\w+) -', text, re.M)
    if listed != there:
        raise Failed(f'listed: {" ".join(listed)}\nthere:  {" ".join(there)}')
    return ' '.join(there)


def width(header):
    wide = [f'{n}: {len(line)}' for n, line in enumerate(read(header).split('\n'), 1) if len(line) > 118]
    tabs = [f'{n}: a tab, or blanks at the end' for n, line in enumerate(read(header).split('\n'), 1)
            if '\t' in line or line != line.rstrip()]
    if wide or tabs:
        raise Failed('\n'.join(wide + tabs))


def dialect(header):
    code = code_of(read(header))                # macros included
    found = [f'{line_of(code, m.start())}: {what}: {m[0].strip()}' for what, pattern in (
        ('an initializer that some compiler warns about', r'=\s*\{\s*0?\s*\}'),
        ('a compound literal',
         r'(?:[=(,&?:]|\breturn)\s*\((?:const |struct |union )*[A-Za-z_]\w*(?: ?\*+)?(?:\[\w*\])?\)\s*\{'),
        ('a designated initializer', r'[{,]\s*(?:\.\w+|\[\w+\])+\s*=[^=]'),
    ) for m in re.finditer(pattern, code)]
    if found:
        raise Failed('\n'.join(found))


def includes(header):
    text = blank(r'/\*.*?\*/', read(header))
    end = re.search(r'^#\s*if.*\b' + IMPLEMENTATION[header], text, re.M)
    if not end:
        raise Failed(f'no #ifdef {IMPLEMENTATION[header]}')
    found = re.findall(r'^\s*#\s*include\s+(\S+)', text[:end.start()], re.M)
    wrong = set(found) - {'<stdbool.h>', '<stddef.h>', '<stdint.h>', 'SF_USER_CONFIG'}
    if wrong:
        raise Failed(' '.join(wrong))


def functions(header):
    """K&R: a function's brace stands in column 0, and nothing else's does."""
    lines = blank(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', code_of(read(header))).split('\n')
    lengths, start = [], None
    for number, line in enumerate(lines, 1):
        if line.startswith('{'):
            start = number
        elif line.startswith('}') and start:
            lengths.append((number - start + 2, start - 1))
            start = None
    if not lengths:
        return 'none'
    lengths.sort()
    sizes = [n for n, _ in lengths]
    note = f'{len(sizes)} functions of more than a line: median {sizes[len(sizes) // 2]}, ' \
           f'p90 {sizes[len(sizes) * 9 // 10]}, longest {sizes[-1]} lines'
    long = [f'{at}: {n} lines: {read(header).splitlines()[at - 1]}' for n, at in lengths if n > 100]
    if long:
        raise Failed('\n'.join(long + [note]))
    return note


def versions():
    number = int(re.search(r'#define SF_VERSION (\d+)', read('streamflow.h'))[1])
    header = f'{number // 10000}.{number // 100 % 100}.{number % 100}'
    meson = re.search(r"^ *version: '([^']+)'", read('meson.build'), re.M)[1]
    heading = re.search(r'^## +\[?v?(\d+\.\d+\.\d+)', read('CHANGELOG.md'), re.M)
    change = heading[1] if heading else 'none'
    if not header == meson == change:
        raise Failed(f'streamflow.h {header}, meson.build {meson}, CHANGELOG.md {change}')
    return header


def faults_stand():
    faults.source()
    return f'{len(faults.FAULTS)} faults'


def add(name, function, *arguments):
    cases.append((name, lambda: function(*arguments)))


def compile_line(path):
    first = read(path).split('*/')[0]
    if not re.search(r'(?m)\b(cc|c\+\+|g\+\+) .*' + re.escape(os.path.basename(path)), first):
        raise Failed('it has none')


def collect():
    for h in HEADERS:
        add(f'{h}: the contents list is the order of the sections', contents, h)
        add(f'{h}: 118 columns, no tabs', width, h)
        add(f'{h}: no {{0}}, compound literals, designated initializers', dialect, h)
        add(f'{h}: declarations include stdbool, stddef, stdint only', includes, h)
        add(f'{h}: functions of at most 100 lines', functions, h)
    add('versions agree', versions)
    add('each text that faults.py changes stands in the header once', faults_stand)
    for path in sorted(path for pattern in ('examples/*.c', 'examples/*.cc', 'examples/tutorial/*.c')
                       for path in glob.glob(pattern, root_dir=ROOT)):
        add(f'{path}: its first comment has the line that compiles it', compile_line, path)


if __name__ == '__main__':
    collect()
    tap.run(cases)
