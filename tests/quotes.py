#!/usr/bin/env python3
"""quotes.py: the error texts in examples/troubleshooting.md are those of the headers.

A quoted text is what stands between backticks in the first column of a table whose heading begins with "Text". `...`
in it stands for anything; each part between has to be in one string of a header, in order where one string has them
all. Adjacent strings are one, and a conversion such as %s ends a part."""
import re
import tap
from tap import Failed, read

GUIDE = 'examples/troubleshooting.md'
HEADERS = ('streamflow.h', 'streamflow_gpu_resident.h')
STRING = r'"((?:\\.|[^"\\\n])*)"'


def strings(text):
    """The implementation's string literals, as they are printed; what a conversion prints is a zero byte."""
    text = re.sub(r'/\*.*?\*/', '', text[text.index('_IMPLEMENTATION)'):], flags=re.S)
    for m in re.finditer(STRING + r'(?:\s*' + STRING + ')*', text):
        literal = ''.join(re.findall(STRING, m[0])).replace('\\"', '"').replace('\\n', '\n')
        yield re.sub(r'%[a-zA-Z]', '\0', literal)


def quotes():
    heading = None
    for number, line in enumerate(read(GUIDE).split('\n'), 1):
        if not line.startswith('|'):
            heading = None
            continue
        first = line[1:].split('|')[0].strip()
        if heading is None:
            heading = first
        elif heading.startswith('Text'):
            for quote in re.findall(r'`([^`]+)`', first):
                yield number, quote


def check(quote, there):
    parts = [part.strip() for part in re.split(r'\.{3}(?!\.)', quote)]
    parts = [part for part in parts if re.search(r'\w', part)]
    if sum(map(len, parts)) < 10:
        raise Failed(f'too short to tell: {quote}')
    for literal in there:
        at = 0
        for part in parts:
            at = literal.find(part, at) + len(part) if literal.find(part, at) >= 0 else -1
            if at < 0:
                break
        else:
            return
    for part in parts:
        if not any(part in literal for literal in there):
            raise Failed(f'no header says: {part}')


if __name__ == '__main__':
    literals = sorted({literal for header in HEADERS for literal in strings(read(header)) if ' ' in literal})
    tap.run([(f'{GUIDE}:{number}: {quote}', lambda quote=quote: check(quote, literals)) for number, quote in quotes()])
