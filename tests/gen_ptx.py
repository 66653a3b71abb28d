#!/usr/bin/env python3
"""gen_ptx.py [--write]: compiles streamflow_kernels.cu to PTX and compares it with streamflow_gpu_resident.h, section
>>ptx; --write puts it there. Made for compute_75 with PTX version 7.8, so that drivers from 12.3 on take it; the two
griddepcontrol instructions, which are sm_90's, stand in strings of their own: who loads it elsewhere leaves them out.
It is assembled for both.

Another release of nvcc may write other PTX: then it says so and compares nothing."""
import os, re, shutil, sys, tempfile
import tap
from tap import ROOT, Failed, Skipped, sh

HEADER = ROOT + '/streamflow_gpu_resident.h'
NVCC = shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'
PTXAS = os.path.join(os.path.dirname(os.path.realpath(NVCC)), 'ptxas')
BEGIN = re.compile(r'(static const char \*const sfi_resident_ptx\[\] = \{ /\* nvcc )([\d.]+)( \*/\n)(.*?)(\n\};\n)', re.S)


def plain_name(match):
    """_ZN52_INTERNAL_..18sfi_resident_beginEP19sf_resident_control -> sfi_resident_begin; a variable of a function's
    own (_ZZ...) goes by both names"""
    symbol = match[0]
    at = symbol.index('sfi_resident_') if 'sfi_resident_' in symbol else symbol.index('sf_resident_')
    name = symbol[at:at + int(symbol[at - 2:at])]
    tail = re.search(r'(_param_\d+)$', symbol)
    own = re.search(r'E\d+([a-z_]+)(_\d+)?$', symbol) if symbol.startswith('_ZZ') else None
    return name + ('_' + own[1] if own else '') + (tail[1] if tail else '')


def ptx_of(nvcc):
    text = sh(nvcc, '-ptx', '-arch=compute_75', '-I', ROOT, ROOT + '/streamflow_kernels.cu', '-o', '-')
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'\b_Z\w+', plain_name, text)
    text = re.sub(r'\.version [\d.]+', '.version 7.8', text)
    return [' '.join(line.split()) for line in text.split('\n') if line.strip()]


def packed(lines):
    strings, line = [], ''
    for part in lines + ['']:
        alone = part.startswith(('.version', '.target', '.address_size', 'griddepcontrol')) or not part
        if line and (alone or len(line) + len(part) > 104):
            strings.append(line)
            line = ''
        if alone and part:
            strings.append(part)
        elif part:
            line += (' ' if line else '') + part
    return ',\n'.join('    "' + s.replace('\\', '\\\\').replace('"', '\\"') + '\\n"' for s in strings)


def assemble(lines):
    """As drivers do: on sm_75 without the two instructions that are sm_90's."""
    for target in ['sm_75', 'sm_90']:
        text = '\n'.join(line for line in lines if target == 'sm_90' or not line.startswith('griddepcontrol'))
        with tempfile.NamedTemporaryFile('w', suffix='.ptx') as file:
            file.write(text.replace('.target sm_75', '.target ' + target) + '\n')
            file.flush()
            sh(PTXAS, '-arch=' + target, '-c', file.name, '-o', '/dev/null')


def main(check):
    if not shutil.which(NVCC):
        raise Skipped('no nvcc')
    release = re.search(r'release ([\d.]+)', sh(NVCC, '--version'))[1]
    with open(HEADER, encoding='utf-8') as file:
        text = file.read()
    there = BEGIN.search(text)
    lines = ptx_of(NVCC)
    assemble(lines)
    made = packed(lines)
    if check:
        if there[2] != release:
            raise Skipped(f'made by nvcc {there[2]}, here is {release}')
        if there[4] != made:
            raise Failed('streamflow_kernels.cu or the words of the header have changed: run tests/gen_ptx.py --write')
        return
    text = BEGIN.sub(lambda m: m[1] + release + m[3] + made + m[5], text)
    with open(HEADER, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    if '--write' in sys.argv:
        main(False)
    else:
        tap.run([('the PTX in the header is of these kernels', lambda: main(True))])
