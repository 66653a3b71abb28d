#!/usr/bin/env python3
"""gen_ptx.py             compiles streamflow_kernels.cu to PTX and compares it with section >>ptx of
                       streamflow_gpu_resident.h
gen_ptx.py --write     puts it there
gen_ptx.py --print     prints the PTX that is there, one statement per line, as its decoder reads it

The PTX is made for compute_75 with PTX version 7.8, which drivers from 12.3 on take. The two griddepcontrol
instructions are sm_90's: the header leaves them out elsewhere. The PTX is assembled for both, and has to give the
machine code of nvcc's own PTX.

Another release of nvcc may write other PTX: then the texts are not compared, only what is embedded is assembled."""
import collections, os, re, shutil, struct, sys, tempfile
import tap
from tap import ROOT, Failed, Skipped, sh

HEADER = ROOT + '/streamflow_gpu_resident.h'
NVCC = shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'
PTXAS = os.path.join(os.path.dirname(os.path.realpath(NVCC)), 'ptxas')
SECTION = re.compile(r'(/\* >>ptx -+ \*/\n.*?/\* nvcc )([\d.]+)( \*/\n)(.*?)(/\* end of the PTX \*/\n.*?)'
                     r'(?=/\* end of the decoder \*/)', re.S)
WIDTH = 118
FIRST, RANGE = '#', 92                          # of the second character of a long code: # to ~


def plain_name(match):
    """_ZN52_INTERNAL_..18sfi_resident_beginEP19sf_resident_control -> sfi_resident_begin; a variable of a function's
    own (_ZZ...) goes by both names"""
    symbol = match[0]
    at = symbol.index('sfi_resident_') if 'sfi_resident_' in symbol else symbol.index('sf_resident_')
    name = symbol[at:at + int(symbol[at - 2:at])]
    tail = re.search(r'(_param_\d+)$', symbol)
    own = re.search(r'E\d+([a-z_]+)(_\d+)?$', symbol) if symbol.startswith('_ZZ') else None
    return name + ('_' + own[1] if own else '') + (tail[1] if tail else '')


def ptx_of_kernels():
    text = sh(NVCC, '-ptx', '-arch=compute_75', '-I', ROOT, ROOT + '/streamflow_kernels.cu', '-o', '-')
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'\b_Z\w+', plain_name, text)
    return re.sub(r'\.version [\d.]+', '.version 7.8', text)


def shortened(text):
    """The same program: shorter names of labels, parameters and registers, and no space that PTX does not need."""
    text = re.sub(r'\$L__BB\d+_(\d+)', r'L\1', text)
    text = re.sub(r'\w+_param_(\d+)', r'p\1', text)
    for name, short in [('rd', 'd'), ('rs', 'h'), ('r', 'r'), ('p', 'q')]:
        text = re.sub(rf'%{name}(?=[\d<])', short, text)
    return re.sub(r'\s*([,;:{}()=\[\]])\s*', r'\1', ' '.join(text.split()))


def relative(text):
    """Registers are numbered anew in each function, labels in the whole text, as they appear: # is the next number of
    its letter, =2 the third of those used last. So code that was inlined twice is the same text twice. Also returns how
    far the text with numbers gets ahead of this one, in characters, and the most numbers of a letter."""
    recent, counts, ahead, most, numbers, function = {}, {}, 0, 0, 0, 0

    def one(match):
        nonlocal ahead, most, numbers, function
        letter, name = match[1], match[0]
        if not letter:
            function += 1
            return name
        if name.endswith('<'):                  # the declaration: a function begins
            recent[letter], counts[letter] = [], 0
            return name
        own = recent.setdefault(letter, [])
        if letter == 'L':
            name = (function, name)             # the same name in two functions: two labels
        at = next((k for k, (other, _) in enumerate(own) if other == name), None)
        if at is None:
            counts[letter] = counts.get(letter, 0) + 1
        number = counts[letter] if at is None else own.pop(at)[1]
        own.insert(0, (name, number))
        code = '#' if at is None else f'={at}'
        ahead += len(str(number)) - len(code)
        most, numbers = max(most, ahead), max(numbers, counts[letter])
        return letter + code
    return re.sub(r'\.func\b|\.entry\b|\b([drhqL])(?:<|\d+\b)', one, text), most, numbers


def pairs_replaced(text, most):
    """The most frequent pair of neighbours becomes a word, again and again: the text as symbols, which are characters
    and, from 256 on, words; and the symbols of each word."""
    symbols, words = [ord(c) for c in text], {}
    count = collections.Counter(zip(symbols, symbols[1:]))
    for word in range(256, 256 + most):
        a, b = pair = max(count.items(), key=lambda item: (item[1], item[0]))[0]
        words[word] = [a, b]
        to, i = [], 0
        symbols.append(None)
        while symbols[i] is not None:
            if symbols[i] != a or symbols[i + 1] != b:
                to.append(symbols[i])
                i += 1
                continue
            if to:
                count[to[-1], a] -= 1
                count[to[-1], word] += 1
            if symbols[i + 2] is not None:
                count[b, symbols[i + 2]] -= 1
                count[word, symbols[i + 2]] += 1
            to.append(word)
            i += 2
        del count[pair]
        symbols = to
    return symbols, words


def worthwhile(symbols, words, short):
    """Puts words that cost more than they save back where they are used. Returns the others by use: the first
    `short` have codes of one character, the others of two."""
    words = dict(words)
    while True:
        uses = collections.Counter(symbols)
        for word in words.values():
            uses.update(word)
        order = sorted(words, key=lambda w: (-uses[w], w))
        size = {word: 1 if i < short else 2 for i, word in enumerate(order)}
        width = {w: sum(size.get(s, 1) for s in words[w]) for w in words}
        saved = {w: uses[w] * (width[w] - size[w]) - width[w] - len('"", ') for w in words}
        worst = sorted((w for w in words if saved[w] < 0), key=lambda w: (saved[w], w))
        if not worst:
            return symbols, words, order
        for gone in worst[:len(worst) // 16 + 1]:
            body = words.pop(gone)
            back = lambda some: [s for symbol in some for s in (body if symbol == gone else [symbol])]
            symbols, words = back(symbols), {w: back(b) if gone in b else b for w, b in words.items()}


def quoted(text):
    return ''.join('\\' + c if c in '"\\' else c for c in text)


def filled(items, separator, begin, end):
    """Lines of at most WIDTH columns: begin, items with separators, end."""
    lines, line = [], ''
    for item in items:
        if line and len(begin + line + separator + item + end) > WIDTH:
            lines.append(line)
            line = ''
        line += (separator if line else '') + item
    return ''.join(begin + line + end + '\n' for line in lines + [line])


def packed(plain):
    """The C of the embedded text: see section >>ptx."""
    text, ahead, numbers = relative(plain)
    free = [c for c in map(chr, range(ord('!'), ord('~') + 1)) if c not in text and c not in '"\\?']
    pairs = pairs_replaced(text, 2000)
    for longs in range(6, len(free)):           # the fewest are best; fewer than 6 were not enough: saves time
        short = len(free) - longs
        symbols, words, order = worthwhile(*pairs, short)
        if len(words) <= short + longs * RANGE:
            break
    else:
        raise Failed('more words than codes: replace fewer pairs')
    code = {w: free[i] if i < short else
            free[short + (i - short) // RANGE] + chr(ord(FIRST) + (i - short) % RANGE)
            for i, w in enumerate(order)}
    written = lambda s: quoted(code[s] if s in code else chr(s))
    return (f'static const char sfi_resident_ptx_codes[] = "{"".join(free)}";\n'
            f'enum {{ SFI_RESIDENT_PTX_SHORT_CODES = {short}, SFI_RESIDENT_PTX_NUMBERS = {numbers}, SFI_RESIDENT_PTX_AHEAD = {ahead},\n'
            f'       SFI_RESIDENT_PTX_ROOM = SFI_RESIDENT_PTX_AHEAD + {len(text) + 1} }};      /* numbers get so far ahead */\n'
            'static const char *const sfi_resident_ptx_words[] = {\n' +
            filled(['"' + ''.join(map(written, words[w])) + '"' for w in order], ', ', '    ', ',') + '};\n'
            'static const char *const sfi_resident_ptx[] = {\n' +
            filled([written(s) for s in symbols], '', '    "', '",') + '};\n')


def decoded(section):
    """What the decoder of the header gives a device of each of the two, by the name of the target."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/print.c', 'w', encoding='utf-8') as file:
            file.write(''.join(f'#include <{name}.h>\n' for name in ('stdint', 'stdio', 'stdlib', 'string')))
            file.write(section + """
int main(int count, char **values)
{
    int capability = count > 1 ? atoi(values[1]) : 0;
    static char text[SFI_RESIDENT_PTX_ROOM];
    return sfi_resident_ptx_text(text, capability) != strlen(text) + 1 || puts(text) < 0;
}
""")
        sh(shutil.which('cc') or 'gcc', '-std=c11', '-pedantic', '-Wall', '-Wextra', '-Werror', folder + '/print.c',
           '-o', folder + '/print')
        return {target: sh(folder + '/print', target[3:]) for target in ('sm_75', 'sm_90')}


def machine_code(text, target):
    """Of each function, as ptxas makes it."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/kernels.ptx', 'w', encoding='utf-8') as file:
            file.write(text)
        sh(PTXAS, '-arch=' + target, '-c', folder + '/kernels.ptx', '-o', folder + '/kernels.cubin')
        with open(folder + '/kernels.cubin', 'rb') as file:
            elf = file.read()
    headers, size, count, names = struct.unpack_from('<Q', elf, 40)[0], *struct.unpack_from('<3H', elf, 58)
    sections = [struct.unpack_from('<2I4Q', elf, headers + i * size) for i in range(count)]
    name = lambda s: elf[sections[names][4] + s[0]:].split(b'\0', 1)[0].decode()
    return {name(s): elf[s[4]:s[4] + s[5]] for s in sections if name(s).startswith('.text.')}


def main(what=''):
    with open(HEADER, encoding='utf-8') as file:
        header = file.read()
    there = SECTION.search(header)
    if what != '--write':
        embedded = decoded(there[0])
    if what == '--print':
        print(embedded['sm_90'].replace(';', ';\n').replace('{', '{\n').replace('}', '}\n'))
        return
    if not shutil.which(NVCC):
        raise Skipped('no nvcc: only decoded')
    release = re.search(r'release ([\d.]+)', sh(NVCC, '--version'))[1]
    text = ptx_of_kernels()
    if what == '--write':
        header = header.replace(there[0], there[1] + release + there[3] + packed(shortened(text)) + there[5])
        with open(HEADER, 'w', encoding='utf-8') as file:
            file.write(header)
        there = SECTION.search(header)
        embedded = decoded(there[0])
    same = there[2] == release
    for target, ptx in embedded.items():
        code = machine_code(ptx, target)
        of_nvcc = text.replace('.target sm_75', '.target ' + target)
        if target == 'sm_75':
            of_nvcc = re.sub('griddepcontrol[^;]*;', '', of_nvcc)
        if same and (not code or code != machine_code(of_nvcc, target)):
            raise Failed(f'for {target} the embedded PTX gives other machine code than streamflow_kernels.cu')
    if not same:
        raise Skipped(f'made by nvcc {there[2]}, here is {release}: only assembled')
    if there[4] != packed(shortened(text)):
        raise Failed('streamflow_kernels.cu or the words of the header have changed: run tests/gen_ptx.py --write')


if __name__ == '__main__':
    if sys.argv[1:2] in (['--write'], ['--print']):
        main(sys.argv[1])
    else:
        tap.run([('the PTX in the header is of these kernels', main)])
