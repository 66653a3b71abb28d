#!/usr/bin/env python3
"""guides.py: compiles the code in documentation, compares the output that it shows, and follows its links.

Checked are README.md, CHANGELOG.md, examples/llms.txt, all *.md under examples/ and tests/, and each header's first
comment.

    ```c        With `int main(` a program: compiled, linked, run; it has to return 0. Else a fragment: it has to
                compile at file scope, as a function's body in which `ctx`, `flow`, `device` and `stream` exist, or
                with its first paragraphs at file scope and the others in such a body.
    ```cpp      The same as C++17, or as C++20 where it has designated initializers.
    ```cuda     A fragment for nvcc, skipped where there is none.
    ```output   What the program before it prints, stdout and stderr together. `...` in a line stands for any text,
                a line `...` for any lines.
    other       sh, text, meson, cmake, dot, json, python, make, ld: not checked.

    <!-- file: PATH -->         The block behind it is a contiguous part of PATH; an indentation may be left out. It is
                                not compiled, and PATH is the program of the next output block.
    <!-- run: PATH ARGS -->     The output block behind it is what the program PATH prints with these arguments.

Relative links need a target, and a #fragment needs a heading there. In a header's first comment code is what is
indented by 8 or more under a line that ends with "::", with // comments.

Programs link an implementation that is compiled once per language. One that configures it (#define SF_..., or
-DSF_WITH_UCX in its comment) compiles its own; the latter is skipped where UCX has no headers. README's C++ fragments
are for install.sh. A file that a guide shows without its output is another test's. CUDA devices are hidden from
programs: their output is that of the host backend."""
import concurrent.futures, difflib, glob, os, re, shlex, shutil, subprocess, tempfile, textwrap, threading
import tap
from tap import ROOT, Failed, Skipped, read, sh

HEADERS = [h for h in ('streamflow.h', 'streamflow_gpu_resident.h') if os.path.exists(f'{ROOT}/{h}')]
UNCHECKED = {'sh', 'text', 'meson', 'cmake', 'dot', 'json', 'python', 'make', 'ld'}
WARNINGS = ['-Wall', '-Wextra', '-Werror', '-I', ROOT]
IMPLEMENTED = ['-DSTREAMFLOW_IMPLEMENTED', '-DSTREAMFLOW_GPU_RESIDENT_IMPLEMENTED']
implementations, implementation_lock = {}, threading.Lock()          # language: objects


def save(name, text):
    folder = tempfile.mkdtemp(dir=tempfile.tempdir)
    with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
        file.write(text)
    return folder, f'{folder}/{name}'


def objects(language):
    """The implementation of each header, and a stdout that keeps its place beside stderr, as on a terminal."""
    sources = ['#include <stdio.h>\nstatic void __attribute__((constructor)) by_line(void)\n'
               '{\n    setvbuf(stdout, NULL, _IOLBF, 0);\n}\n']
    sources += [('' if name == 'streamflow.h' else '#include "streamflow.h"\n') + '#define '
                + name.upper().replace('.H', '') + f'_IMPLEMENTATION\n#include "{name}"\n' for name in HEADERS]

    def compile_one(text):
        source = save(f'implementation.{language}', text)[1]
        sh(*(['cc', '-std=gnu11'] if language == 'c' else ['c++', '-std=c++17']), '-O0', '-I', ROOT, '-c', '-o',
           source + '.o', source)
        return source + '.o'

    with implementation_lock:
        if language not in implementations:
            with concurrent.futures.ThreadPoolExecutor() as pool:
                implementations[language] = list(pool.map(compile_one, sources))
    return implementations[language]


# Compiling and running

def compiler(text, language):
    if language == 'c':
        return ['cc', '-std=gnu11']
    return ['c++', '-std=c++20' if re.search(r'[{,]\s*\.\w+\s*=[^=]', text) else '-std=c++17',
            '-Wno-missing-field-initializers']


def build_and_run(text, language, near='.', arguments=()):
    """What the program prints. `near`: the folder that its own includes are relative to."""
    folder, source = save(f'program.{language}', text)
    ucx = ['-DSF_WITH_UCX'] if re.search(r'-DSF_WITH_UCX\b', text) else []
    if ucx and sh('cc', '-E', '-include', 'ucp/api/ucp.h', '-x', 'c', os.devnull, fails=True)[0]:
        raise Skipped('no headers of UCX: libucx-dev')
    own = ucx or re.search(r'^\s*#\s*define\s+SF_(?!WITH_)\w+', text, re.M)
    linked = objects(language)[:1] if own else objects(language)
    sh(*compiler(text, language), *WARNINGS, *ucx, '-I', f'{ROOT}/{near}', *([] if own else IMPLEMENTED), '-pthread',
       source, *linked, '-o', f'{folder}/program', '-ldl', '-lm')
    os.symlink(f'{ROOT}/examples/data', f'{folder}/data')
    try:
        done = subprocess.run([f'{folder}/program', *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, errors='replace', timeout=120, cwd=folder,
                              env={**os.environ, 'CUDA_VISIBLE_DEVICES': ''})
    except subprocess.TimeoutExpired:
        raise Failed('the program has not ended after 120 s')
    if done.returncode != 0:
        raise Failed(f'exit status {done.returncode}\n{done.stdout}')
    return done.stdout


def compile_fragment(where, first_line, text, language):
    prefix = '' if re.search(r'#\s*include\s+["<]streamflow', text) else '#include "streamflow.h"\n'
    prefix = '#include <stdio.h>\n#include <string.h>\n' + prefix
    signature = 'sf_result body(sf_context *ctx, sf_flow *flow, sf_device *device, sf_stream *stream)'
    lines = text.split('\n')
    errors = []

    def try_split(at):
        """Lines before `at` stand at file scope, the others in a function's body."""
        whole = prefix + f'#line {first_line} "{where}"\n' + '\n'.join(lines[:at]) + '\n'
        if at < len(lines):
            whole += f'{signature};\n{signature}\n{{\n(void)ctx; (void)flow; (void)device; (void)stream;\n' \
                     f'#line {first_line + at} "{where}"\n' + '\n'.join(lines[at:]) + '\nreturn SF_OK;\n}\n'
        status, output = sh(*compiler(text, language), *WARNINGS, '-Wno-unused', '-Wno-unused-function',
                            '-fsyntax-only', save(f'fragment.{language}', whole)[1],
                            fails=True)
        errors.append((output.count('error:'), output))
        return status == 0

    depth, splits = 0, []
    for number, line in enumerate(lines[:-1]):
        depth += line.count('{') - line.count('}')
        if not line and not depth and number:
            splits.append(number)
    if not any(try_split(at) for at in [len(lines), 0] + splits[::-1]):
        raise Failed('neither at file scope nor in a function body:\n' + min(errors)[1])


def compile_cuda(where, first_line, text):
    nvcc = shutil.which('nvcc', path=os.environ['PATH'] + ':/usr/local/cuda/bin')
    if not nvcc:
        raise Skipped('nvcc not found')
    prefix = '' if re.search(r'#\s*include\s+["<]streamflow', text) else '#include "streamflow.h"\n'
    folder, source = save('fragment.cu', f'{prefix}#line {first_line} "{where}"\n{text}')
    sh(nvcc, '-std=c++17', '-arch=sm_90', '-Werror', 'all-warnings', '-diag-suppress', '177', '-I', ROOT, '-c', '-o',
       f'{folder}/fragment.o', source)


# Comparing

def pattern_of(line):
    return '.*?'.join(re.escape(part) for part in line.split('...'))


def compare(where, line, shown, printed):
    pattern = ''.join('(?:.*\n)*?' if row.strip() == '...' else pattern_of(row) + '\n'
                      for row in shown.rstrip('\n').split('\n'))
    printed = printed.rstrip('\n') + '\n'
    if re.fullmatch(pattern, printed):
        return
    rows = printed.splitlines()
    wanted = [want if want.strip() == '...' else next((r for r in rows if re.fullmatch(pattern_of(want), r)), want)
              for want in shown.rstrip('\n').split('\n')]
    raise Failed('\n'.join(difflib.unified_diff(wanted, rows, f'{where}:{line}', 'what it prints', lineterm='')))


def compare_part(where, line, text, path):
    if not os.path.isfile(f'{ROOT}/{path}'):
        raise Failed(f'{where}:{line}: there is no {path}')
    whole = '\n' + read(path)
    if any('\n' + textwrap.indent(text, ' ' * blanks) in whole for blanks in range(0, 17, 4)):
        return
    want, there = text.splitlines(), whole.splitlines()[1:]
    starts = range(max(1, len(there) - len(want) + 1))
    best = max(starts, key=lambda at: sum(a.strip() == b.strip() for a, b in zip(want, there[at:])))
    raise Failed('\n'.join(difflib.unified_diff(want, there[best:best + len(want)], f'{where}:{line}',
                                                f'{path}:{best + 1}', lineterm='')))


# Links

def headings(text):
    """The fragments of its headings, as GitHub makes them."""
    slugs, seen = set(), {}
    for title in re.findall(r'^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$', prose(text, keep_code=True), re.M):
        title = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', title).lower()
        slug = re.sub(r'[^\w\- ]', '', title).replace(' ', '-')
        slugs.add(f'{slug}-{seen[slug]}' if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return slugs


def prose(text, keep_code=False):
    """Without code blocks, comments and, unless kept, code in lines; lines stay."""
    def blank(match):
        return re.sub(r'[^\n]', ' ', match[0])
    text = re.sub(r'^( *)```.*?^\1```[ \t]*$|<!--.*?-->', blank, text, flags=re.M | re.S)
    return text if keep_code else re.sub(r'`[^`\n]+`', blank, text)


def check_links(where, text):
    bad, found = [], 0
    body = prose(text)
    for link in re.finditer(r'\]\(\s*<?([^)\s>]+)[^)]*\)|^ {0,3}\[[^\]]+\]:\s*(\S+)', body, re.M):
        target = link[1] or link[2]
        if re.match(r'[a-z][a-z0-9+.-]*:', target):
            continue
        found += 1
        path, _, fragment = target.partition('#')
        file = os.path.normpath(os.path.join(os.path.dirname(where), path)) if path else where
        at = f'{where}:{body.count(chr(10), 0, link.start()) + 1}: {target}'
        if path.startswith('/') or file.startswith('..'):
            bad.append(f'{at}: is not relative, or leaves the repository')
        elif path and not os.path.exists(f'{ROOT}/{file}'):
            bad.append(f'{at}: there is no {file}')
        elif fragment and file.endswith('.md'):
            if fragment not in headings(text if file == where else read(file)):
                bad.append(f'{at}: no heading of {file} has this name')
        elif fragment and not re.fullmatch(r'L\d+(-L\d+)?', fragment):
            bad.append(f'{at}: {file} has no headings')
    if bad:
        raise Failed('\n'.join(bad))
    return f'{found} links'


# Finding all that

def check_program(where, line, text, language, outputs):
    printed = build_and_run(f'#line {line} "{where}"\n{text}', language)
    for at, shown in outputs:
        compare(where, at, shown, printed)


def check_output(where, line, shown, path, arguments):
    if not os.path.isfile(f'{ROOT}/{path}'):
        raise Failed(f'{where}:{line}: there is no {path}')
    text = f'#line 1 "{path}"\n{read(path)}'
    language = 'c' if path.endswith('.c') else 'cpp'
    compare(where, line, shown, build_and_run(text, language, os.path.dirname(path), arguments))


def fail(text):
    raise Failed(text)


def code_cases(where, line, text, language, outputs=()):
    if language == 'cuda':
        return [(f'{where}:{line}: CUDA', lambda: compile_cuda(where, line, text))]
    if re.search(r'\bint main\(', text):
        return [(f'{where}:{line}: program', lambda: check_program(where, line, text, language, outputs))]
    return [(f'{where}:{line}: fragment', lambda: compile_fragment(where, line, text, language))]


def cases_of(where, text):
    """The cases of a guide."""
    cases = [(f'{where}: links', lambda: check_links(where, text))]
    lines = text.split('\n')
    marker = None                               # (kind, words) of the line before
    program = None                              # that an output block belongs to: a list of outputs, or a path
    number = 0

    def wrong(line, what):
        cases.append((f'{where}:{line}: {what}', lambda: fail(f'{where}:{line}: {what}')))

    while number < len(lines):
        line = lines[number]
        number += 1
        mark = re.fullmatch(r'\s*<!-- (file|run): (.+?) -->\s*', line)
        fence = re.fullmatch(r'( *)(```+)(.*)', line)
        if marker and not fence:
            wrong(number - 1, 'a marker without a block behind it')
        if not fence:
            marker = (mark[1], shlex.split(mark[2])) if mark else None
            continue
        first, indent = number + 1, len(fence[1])
        language = fence[3].strip()
        while number < len(lines) and lines[number].strip() != fence[2]:
            number += 1
        block = '\n'.join(row[indent:] if not row[:indent].strip() else row for row in lines[first - 1:number]) + '\n'
        if number == len(lines):
            wrong(first - 1, 'a block without an end')
        number += 1
        kind, words = marker or (None, [])
        marker = None
        if kind == 'run' and language != 'output' or kind == 'file' and language == 'output':
            wrong(first - 1, f'"{kind}" is no marker of such a block')
        elif kind == 'file':
            path, program = words[0], words[0]
            cases.append((f'{where}:{first}: part of {path}',
                          lambda l=first, t=block, p=path: compare_part(where, l, t, p)))
        elif language == 'output':
            if kind == 'run' or isinstance(program, str):
                path, arguments = (words[0], words[1:]) if kind == 'run' else (program, [])
                cases.append((f'{where}:{first}: output of {path}',
                              lambda l=first, t=block, p=path, a=arguments: check_output(where, l, t, p, a)))
            elif program is None:
                wrong(first - 1, 'output without a program before it')
            else:
                program.append((first, block))
        elif language in ('c', 'cpp', 'cuda'):
            outputs = []
            if language != 'cpp' or where != 'README.md':
                cases.extend(code_cases(where, first, block, language, outputs))
            if re.search(r'\bint main\(', block):
                program = outputs
        elif language not in UNCHECKED:
            wrong(first - 1, f'a block of "{language}", not of {", ".join(sorted(UNCHECKED))}, c, cpp, cuda, output')
    return cases


def header_cases(header):
    first = read(header).split('*/')[0].split('\n')
    block, start, cases = None, 0, []
    for number, line in enumerate(first + ['end'], 1):
        if block is not None and (line.startswith(' ' * 8) or not line.strip()):
            block.append(line[8:])
            continue
        if block and any(line.strip() for line in block):
            cases += code_cases(header, start, '\n'.join(block) + '\n', 'c')
        block = [] if line.rstrip().endswith('::') else None
        start = number + 1
    return cases


# Guides that have to fail: what is wrong, the guide, a part of what is said

PROGRAM = '```c\n#include <stdio.h>\nint main(void) { puts("a 5 b"); puts("c"); return 0; }\n```\n'
BAD = [
    ('other output', PROGRAM + '```output\na 6 b\nc\n```\n', '-a 6 b\n+a 5 b'),
    ('a line too few', PROGRAM + '```output\na ... b\n```\n', '+c'),
    ('a line too many', PROGRAM + '```output\n...\nc\nd\n```\n', '-d'),
    ('output of nothing', '```output\na\n```\n', 'without a program'),
    ('a program that fails', PROGRAM.replace('return 0', 'return 3'), 'exit status 3'),
    ('a program that does not compile', PROGRAM.replace('puts', 'put_s'), 'guide.md:3:'),
    ('a program that is no C++', PROGRAM.replace('```c', '```cpp').replace('puts', 'put_s'), 'guide.md:3:'),
    ('a fragment of an unknown call', 'Text\n\n```c\nsf_run(flow);\n```\n', 'guide.md:4:'),
    ('a fragment with a missing argument', '```c\nsf_flow_pause(flow);\n```\n', 'guide.md:2:'),
    ('a part that is not in the file', '<!-- file: tests/expect -->\n```sh\n#!/bin/sh\necho\n```\n', '-echo'),
    ('a part of no file', '<!-- file: tests/none -->\n```c\nint a;\n```\n', 'there is no tests/none'),
    ('a marker of nothing', '<!-- file: tests/expect -->\n\nText\n', 'without a block'),
    ('an unknown language', '```C\nint a;\n```\n', 'a block of "C"'),
    ('an open block', '```c\nint a;\n', 'without an end'),
    ('half a line of a file', '<!-- file: tests/expect -->\n```sh\n/bin/sh\n```\n', '+#!/bin/sh'),
    ('a dead link with a title', 'See [it](none.md "it").\n', 'there is no none.md'),
    ('a dead link', 'See [it](none.md).\n', 'guide.md:1: none.md: there is no none.md'),
    ('a dead fragment', '# A title\n[up](#a-titel)\n', 'no heading'),
    ('a link out of the repository', '[up](../../etc)\n', 'leaves'),
]
GOOD = PROGRAM + '```output\na ... b\n...\n```\n' + '''
# A `title`, twice
# A title twice
[one](#a-title-twice) [two](#a-title-twice-1) [far](https://example.com) `[no](link)` [file](LICENSE)

```c
static sf_result compute(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0));
}

sf_op op = sf_flow_add(flow, &(sf_op_desc){ .compute = compute });
```
```cpp
sf_op op = sf_flow_add(flow, { .name = "op" });
```
'''


def check_bad(text, part):
    said = []
    for _, case in cases_of('guide.md', text):
        try:
            case()
        except Failed as failure:
            said.append(str(failure))
    if not part:
        if said:
            raise Failed('\n'.join(said))
    elif not any(part in words for words in said):
        raise Failed(f'not said: {part}\n' + '\n'.join(said))


def collect():
    cases = [(f'a guide fails for {what}', lambda t=text, p=part: check_bad(t, p)) for what, text, part in BAD]
    cases.append(('a guide passes', lambda: check_bad(GOOD, '')))
    for header in HEADERS:
        cases += header_cases(header)
    for path in ['README.md', 'CHANGELOG.md', 'examples/llms.txt'] + sorted(
            path for folder in ('examples', 'tests')
            for path in glob.glob(f'{folder}/**/*.md', root_dir=ROOT, recursive=True)):
        if os.path.exists(f'{ROOT}/{path}'):
            cases += cases_of(path, read(path))
    return cases


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as tempfile.tempdir:
        tap.run(collect())
