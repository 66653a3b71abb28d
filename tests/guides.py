#!/usr/bin/env python3
"""guides.py: what README and the guides show is true: code compiles, programs print what is shown, links are alive.

In Markdown files, a block
  ```c, ```cpp     with `int main(` is a program: compiled, linked, run, and it returns 0. Without, it compiles at file
                   scope or as a function's body, in which `ctx`, `flow`, `device` and `stream` are there.
  ```cuda          compiles with nvcc, if that is there.
  ```output        is what the program before it prints, stdout and stderr together. `...` in a line stands for
                   anything, a line of `...` alone for any lines.
  behind a line    <!-- file: PATH --> is a contiguous part of that file. A ```output block behind it is what that
                   program prints."""
import glob, os, re, tempfile, threading
import lint, tap
from tap import ROOT, Failed, need, sh

GUIDES = ['README.md', 'CHANGELOG.md'] + sorted(glob.glob('examples/*.md', root_dir=ROOT)) + \
    ['tests/README.md', 'tests/bench/README.md']
STRICT = ['-Wall', '-Wextra', '-Werror', '-I', ROOT]
IMPLEMENTATION = re.compile(r'^#define STREAMFLOW_(GPU_RESIDENT_)?IMPLEMENTATION\n', re.M)
cases = []
lock = threading.Lock()
built = {}


def temporary(suffix):
    return tempfile.mktemp(suffix=suffix, dir=tempfile.tempdir)


def write(text, suffix):
    path = temporary(suffix)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def library(language):
    """The implementation of both headers, compiled once for all programs of a language."""
    with lock:
        if language not in built:
            source = write('#define STREAMFLOW_IMPLEMENTATION\n#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION\n'
                           '#include "streamflow.h"\n#include "streamflow_gpu_resident.h"\n',
                           '.cc' if language == 'cpp' else '.c')
            sh(*(['g++', '-std=c++17'] if language == 'cpp' else ['cc', '-std=gnu11']), '-w', '-I', ROOT, '-c', source,
               '-o', source + '.o')
            built[language] = source + '.o'
        return built[language]


def matches(shown, printed):
    """Line by line; `...` as in the head of this file."""
    shown, printed = shown.split('\n'), [line.rstrip() for line in printed.rstrip('\n').split('\n')]

    def same(i, k):
        while i < len(shown):
            if shown[i].strip() == '...':
                return any(same(i + 1, n) for n in range(k, len(printed) + 1))
            pattern = '.*'.join(re.escape(part) for part in shown[i].rstrip().split('...'))
            if k == len(printed) or not re.fullmatch(pattern, printed[k]):
                return False
            i, k = i + 1, k + 1
        return k == len(printed)
    return same(0, 0)


def run(text, language, shown):
    """Compiles and runs a program; `shown` is what it has to print, or None."""
    text = IMPLEMENTATION.sub('\n', text)
    exe = temporary('')
    if language == 'cpp':
        need('g++')
        source = write(text, '.cc')
        status, errors = sh('g++', '-std=c++17', *STRICT, source, library(language), '-pthread', '-ldl', '-lm', '-o', exe,
                            fails=True)
        if status:
            sh('g++', '-std=c++20', *STRICT, '-Wno-missing-field-initializers', source, library(language), '-pthread', '-ldl',
               '-lm', '-o', exe)
    else:
        sh('cc', '-std=gnu11', *STRICT, '-I', f'{ROOT}/examples', '-I', f'{ROOT}/examples/tutorial', write(text, '.c'),
           library(language), '-pthread', '-ldl', '-lm', '-o', exe)
    folder = tempfile.mkdtemp(dir=tempfile.tempdir)
    printed = sh('sh', '-c', f'cd {folder} && {exe}', timeout=60)
    if shown is not None and not matches(shown, printed):
        raise Failed(f'shown:\n{shown}\nprinted:\n{printed}')


def snippet_cpp(text):
    need('g++')
    head = '#include <cstdio>\n#include <cstring>\n#include "streamflow.h"\n#include "streamflow_gpu_resident.h"\n'
    body = 'sf_result body(sf_context *ctx, sf_flow *flow, sf_device *device, sf_stream *stream);\n' \
           'sf_result body(sf_context *ctx, sf_flow *flow, sf_device *device, sf_stream *stream)\n{\n' \
           '(void)ctx; (void)flow; (void)device; (void)stream;\n' + text + '\nreturn SF_OK;\n}\n'
    said = ''
    for code in (head + text, head + body):
        for dialect in ('c++17', 'c++20'):
            status, errors = sh('g++', f'-std={dialect}', *STRICT, '-Wno-unused', '-Wno-missing-field-initializers',
                                '-fsyntax-only', write(code, '.cc'), fails=True)
            if not status:
                return
            said += errors
    raise Failed('neither at file scope nor as a function body, in C++17 and C++20:\n' + said)


def snippet_cuda(text):
    need('nvcc', always_optional=True)
    sh('nvcc', '-arch=sm_90', '-I', ROOT, '-c', '-o', temporary('.o'), write(text, '.cu'))


def part_of(text, path):
    if text.rstrip('\n') not in lint.read(path):
        raise Failed(f'{path} has no such lines')


def slug(heading):
    heading = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).strip().lower()
    return re.sub(r'[^\w\- ]', '', heading).replace(' ', '-')


def anchors(path):
    text = re.sub(r'^```.*?^```', '', lint.read(path), flags=re.M | re.S)
    return {slug(m[1]) for m in re.finditer(r'^#+ +(.*)$', text, re.M)}


def links(guide):
    text = re.sub(r'^```.*?^```|`[^`\n]*`', '', lint.read(guide), flags=re.M | re.S)
    wrong = []
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
        if re.match(r'\w+:', target):
            continue
        path, _, fragment = target.partition('#')
        path = os.path.normpath(os.path.join(os.path.dirname(guide), path)) if path else guide
        if not os.path.exists(f'{ROOT}/{path}'):
            wrong.append(f'{target}: no such file')
        elif fragment and fragment not in anchors(path):
            wrong.append(f'{target}: {path} has no such heading')
    if wrong:
        raise Failed('\n'.join(wrong))


def add(name, function, *arguments):
    cases.append((name, lambda: function(*arguments)))


def collect(guide):
    text = lint.read(guide)
    program = None                              # where, text, language: of the latest one, not added yet
    add(f'{guide}: links', links, guide)

    def flush(shown=None):
        nonlocal program
        if program and (shown is not None or ':' in program[0]):         # a file by itself is another test's
            add(f'{program[0]}: program', run, program[1], program[2], shown)
        elif shown is not None:
            add(f'{guide}: output without a program', part_of, '', '/')
        program = None

    for m in re.finditer(r'^(?:<!-- file: (\S+) -->\n+)?```(\w+)\n(.*?)^```', text, re.M | re.S):
        path, language, code = m.groups()
        where = f'{guide}:{lint.line_of(text, m.start(2))}'
        if language == 'output':
            flush(code.rstrip('\n'))
        elif path:
            flush()
            add(f'{where}: part of {path}', part_of, code, path)
            program = (path, lint.read(path), 'c') if path.endswith('.c') else None
        elif language in ('c', 'cpp') and re.search(r'\bint main\(', code):
            flush()
            program = where, code, language
        elif language == 'c':
            add(f'{where}: snippet', lint.compile_code, code, False)
        elif language == 'cpp' and guide != 'README.md':         # README's: tests/install.sh
            add(f'{where}: snippet', snippet_cpp, code)
        elif language == 'cuda':
            add(f'{where}: snippet', snippet_cuda, code)
    flush()


if __name__ == '__main__':
    for name in GUIDES:
        if os.path.exists(f'{ROOT}/{name}'):
            collect(name)
    with tempfile.TemporaryDirectory() as tempfile.tempdir:
        tap.run(cases)
