#!/usr/bin/env python3
"""lint.py: what a compiler does not see: contents, versions, layout, and that all code in documentation compiles.

Code in documentation: in a header's first comment the lines indented by 8 or more under a line that ends with "::"
(blank lines belong to it; comments there are // ones). With `int main(` it is a program: compiled, linked and run, and
it has to return 0. Else it has to compile, at file scope or as a function's body, in which `ctx`, `flow`, `device` and
`stream` are there. guides.py does the same for README and the guides."""
import glob, os, re, tempfile
import tap
from tap import ROOT, Failed, sh

HEADERS = [h for h in ('streamflow.h', 'streamflow_gpu_resident.h')
           if h == 'streamflow.h' or os.path.exists(f'{ROOT}/{h}')]
IMPLEMENTATION = {'streamflow.h': 'STREAMFLOW_IMPLEMENTATION',
                  'streamflow_gpu_resident.h': 'STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION'}
cases = []


def read(path):
    try:
        with open(f'{ROOT}/{path}', encoding='utf-8') as file:
            return file.read()
    except OSError as error:
        raise Failed(error)


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


def compile_code(code, is_program):
    source = tempfile.mktemp(suffix='.c', dir=tempfile.tempdir)
    flags = ['-std=gnu11', '-Wall', '-Wextra', '-Werror', '-I', ROOT]

    def build(text, *arguments, fails=False):
        with open(source, 'w', encoding='utf-8') as file:
            file.write(text)
        return sh('cc', *flags, *arguments, source, fails=fails)

    if is_program:
        exe = source[:-2]
        build(code, '-pthread', '-o', exe)
        sh(exe, timeout=60)
        return
    prefix = '' if re.search(r'#\s*include\s+["<]streamflow', code) else '#include "streamflow.h"\n'
    prefix = '#include <stdio.h>\n#include <string.h>\n' + prefix
    body = 'sf_result body(sf_context *ctx, sf_flow *flow, sf_device *device, sf_stream *stream);\n' \
           'sf_result body(sf_context *ctx, sf_flow *flow, sf_device *device, sf_stream *stream)\n{\n' \
           '(void)ctx; (void)flow; (void)device; (void)stream;\n' + code + '\nreturn SF_OK;\n}\n'
    lenient = ['-Wno-unused', '-fsyntax-only']
    status, at_file_scope = build(prefix + code, *lenient, fails=True)
    if status and build(prefix + body, *lenient, fails=True)[0]:
        raise Failed('neither at file scope nor as a function body:\n' + at_file_scope
                     + build(prefix + body, *lenient, fails=True)[1])


def add_code(where, code):
    is_program = re.search(r'\bint main\(', code) is not None
    cases.append((f'{where}: {"program" if is_program else "snippet"}', lambda: compile_code(code, is_program)))


def header_snippets(header):
    first = read(header).split('*/')[0].split('\n')
    block, start = None, 0
    for number, line in enumerate(first + ['end'], 1):
        if block is not None and (line.startswith(' ' * 8) or not line.strip()):
            block.append(line[8:])
            continue
        if block and any(line.strip() for line in block):
            add_code(f'{header}:{start}', '\n'.join(block) + '\n')
        block = [] if line.rstrip().endswith('::') else None
        start = number + 1


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
        if os.path.exists(f'{ROOT}/{h}'):
            header_snippets(h)
    add('versions agree', versions)
    for path in sorted(path for pattern in ('examples/*.c', 'examples/*.cc', 'examples/tutorial/*.c')
                       for path in glob.glob(pattern, root_dir=ROOT)):
        add(f'{path}: its first comment has the line that compiles it', compile_line, path)


if __name__ == '__main__':
    collect()
    with tempfile.TemporaryDirectory() as tempfile.tempdir:
        tap.run(cases)
