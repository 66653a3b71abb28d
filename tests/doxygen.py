#!/usr/bin/env python3
"""doxygen.py: doxygen finds a description for each public function, type, field, enum value and macro.

    tests/doxygen.py                    the test, TAP
    tests/doxygen.py --missing          every name without a description, with file and line
    tests/doxygen.py --list             every name, with its description
    tests/doxygen.py --html FOLDER      the reference as HTML
    tests/doxygen.py --filter FILE      the file as doxygen reads it (its INPUT_FILTER)

The headers have plain comments. The filter turns them into doxygen's. These rules say what a comment describes:
- A comment behind code: what ends on its line, and a struct or enum that opens there. A comment on a line of its own
  from column 40 on is behind the line before.
- A comment in front: the next declaration, and those after it that have no comment behind them, up to an empty line,
  the next comment in front or the end of the scope. So does a comment behind #if. A comment that begins with >> is
  the heading of a section.
- A field of a struct on one line: the struct's comment.
- An enum value that has no comment: in its enum's comment what follows "NAME: ", up to the next label of this form;
  else the sentences that contain the name. Words in front of the name may be left out."""
import os, re, shlex, shutil, sys, tempfile
import xml.etree.ElementTree as ElementTree
import tap
from tap import ROOT, Failed, Skipped, need, read, sh

FILES = {                                       # and where the public part ends
    'streamflow.h': r'^#endif /\* STREAMFLOW_H \*/',
    'streamflow_gpu_resident.h': r'^#endif /\* STREAMFLOW_GPU_RESIDENT_H \*/',
    'streamflow_kernels.cu': r'^/\* >>loop',
}
DOXYFILE = """
QUIET = YES
WARN_LOGFILE = {out}/warnings
OUTPUT_DIRECTORY = {out}
INPUT = {files}
INPUT_FILTER = {filter}
FILTER_SOURCE_FILES = YES
STRIP_FROM_PATH = "{root}"
PROJECT_NAME = streamflow
EXTENSION_MAPPING = cu=C++ h=C++
GENERATE_LATEX = NO
GENERATE_HTML = {html}
GENERATE_XML = {xml}
XML_PROGRAMLISTING = NO
OPTIMIZE_OUTPUT_FOR_C = YES
TYPEDEF_HIDES_STRUCT = YES
JAVADOC_AUTOBRIEF = YES
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
EXTRACT_ALL = YES
EXTRACT_STATIC = YES
EXCLUDE_SYMBOLS = sfi_* SFI_*
SEARCH_INCLUDES = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = __cplusplus SF_API= SF_CORE= SFI_RESIDENT_DEV= SFI_HIDDEN= SFI_OF_VERSION(x)= SFI_REFERENCE=inline
"""
KINDS = {'function': 'functions', 'struct': 'structs', 'union': 'structs', 'variable': 'fields', 'enum': 'enums',
         'enumvalue': 'enum values', 'typedef': 'typedefs', 'define': 'macros'}
TOKEN = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<directive>(?<=\n)[ ]*\#[ ]*\w+(?:\\\n|(?!/\*)[^\n])*)'
                   r'|(?P<blank>\s*\n|\s+)|(?P<text>"(?:\\.|[^"\\\n])*"|\w+|.)', re.S | re.X)
LABEL = r'[A-Z][A-Z0-9_]+(?:, [A-Z][A-Z0-9_]+)*'


class Item:
    """A declaration: struct, enum, field, enum value, function, typedef or macro."""
    def __init__(self, parent, start, line, lead, leads):
        self.parent, self.text, self.commas = parent, '', []         # commas: where further names begin
        self.start, self.end = start, start
        self.opens, self.last = 0, line                              # lines: of a body's begin, of its end
        self.lead, self.leads, self.notes = lead, leads, []          # comment in front, is it the first; behind

    @property
    def is_enum(self):
        return re.match(r'(?:typedef )?enum\b', self.text) is not None

    def description(self):
        described = ' '.join(([self.lead] if self.leads or not self.notes else []) + self.notes).strip()
        outer = self.parent
        if described or not outer:
            return described
        if not outer.is_enum:
            return outer.description() if outer.opens == outer.last else ''
        words, about = self.text.split()[0].split('_'), outer.description()
        labelled = [(piece, re.match(LABEL, piece)) for piece in re.split(rf'(?:^|(?<=[.;] ))(?={LABEL}: )', about)]
        for name in ('_'.join(words[first:]) for first in range(len(words))):
            found = [piece for piece, label in labelled if label and name in label[0].split(', ')] or \
                    [sentence for sentence in re.split(r'(?<=[.;]) ', about) if re.search(rf'\b{name}\b', sentence)]
            if found:
                return ' '.join(found).strip()
        return ''


def words_of(comment):
    text = re.sub(r'\s+', ' ', comment.strip('/').strip('*')).strip()
    return '' if text.startswith('>>') else text


def parse(text):
    """All items, outer ones first, and where comments are."""
    root = Item(None, 0, 0, '', False)
    items, comments = [], []
    scope, item, lead, fresh, depth, skipping = root, None, '', False, 0, 0
    line, code_line, after_code, behind_if = 1, 0, False, False

    def begin(at):
        nonlocal item, fresh
        item, fresh = Item(scope if scope is not root else None, at, line, lead, fresh), False
        items.append(item)

    stack = []                                  # (scope, item, lead) around a struct or enum
    for m in TOKEN.finditer(text):
        kind, token = m.lastgroup, m[0]
        if kind == 'blank':
            after_code = after_code and '\n' not in token
            behind_if = behind_if and '\n' not in token
            if token.count('\n') > 1 and not item:
                lead = ''
        elif kind == 'comment':
            comments.append((m.start(), m.end()))
            words = words_of(token)
            if behind_if or not after_code and m.start() - text.rfind('\n', 0, m.start()) <= 40:
                lead, fresh = words, True
            else:
                for one in items:
                    if code_line == one.last or code_line == one.opens and one is not item:
                        one.notes.append(words)
        elif kind == 'directive':
            after_code, behind_if = True, re.match(r' *# *if', token) is not None
            macro = re.match(r' *# *define +(\w+)', token)
            if macro:
                begin(m.start())
                item.text, item.last = '#' + macro[1], line + token.count('\n')
                item = None
        elif skipping:                          # a function's body
            skipping += (token == '{') - (token == '}')
            after_code = True
            if not skipping:
                item = None
        else:
            after_code = True
            if token == '}' and not depth and stack:
                scope, item, lead = stack.pop()
                item.text += '} '
            elif token == '}' and not depth:    # of extern "C"
                continue
            elif token == ';' and not depth:
                if item:
                    item.last, item.end, item = line, m.end(), None
            elif token == ',' and not depth and scope.is_enum:
                item = None
            elif token == '{' and not depth:
                if item.text.startswith('extern'):
                    items.remove(item)
                    item = None
                elif re.match(r'(?:typedef )?(?:struct|union|enum)\b', item.text):
                    item.opens = line
                    stack.append((scope, item, lead))
                    scope, item, lead = item, None, ''
                else:
                    skipping, item.last = 1, line
            else:
                if not item:
                    begin(m.start())
                if token == ',' and not depth:
                    item.commas.append(m.start())
                depth += (token in '([') - (token in ')]')
                item.text += token + ' '
                if scope.is_enum:
                    item.last, item.end = line, m.end()
        line += token.count('\n')
        if kind in ('text', 'directive'):
            code_line = line
    return items, comments


def escaped(description):
    text = re.sub(r'([\\@<>&#%$"])', r'\\\1', description)
    return re.sub(r'`([^`]+)`', r'<code>\1</code>', text)


def filtered(path):
    text = read(path)
    end = re.search(FILES[os.path.basename(path)], text, re.M)
    first = text.index('*/') + 2
    text = re.sub(r'[^\n]', ' ', text[:first]) + text[first:end.end() if 'endif' in end[0] else end.start()]
    text = re.sub(r'^SFI_BY_REFERENCE\((.*?), (\w+), (\(.*?\)),(\s+)\((.*?)\)\)$',
                  r'SFI_REFERENCE \1 \2\3\4{ return \2(\5); }', text, flags=re.M | re.S)
    items, comments = parse(text)
    macros = {}
    edits = [(start, stop, re.sub(r'[^\n]', ' ', text[start:stop])) for start, stop in comments]
    for item in items:
        described = escaped(item.description())
        if not described:
            continue
        if item.text.startswith('#'):           # in front of a macro it would move the lines behind that
            macros[item.text[1:]] = described
            continue
        edits.append((item.start, item.start, f'/** {described} */ '))
        if item.opens:
            continue
        kind = re.match(r'[^,;]*?(?=\w+\s*(?:\[[^]]*\]\s*)*[,;])', text[item.start:item.end])
        for comma in item.commas if item.parent and kind else []:           # one declaration each
            edits.append((comma, comma + 1, f'; /** {described} */ {kind[0]} '))
    for start, stop, new in sorted(edits, key=lambda e: (e[0], e[1]), reverse=True):
        text = text[:start] + new + text[stop:]
    macros.pop('SF_API', None)                  # doxygen is told what it is
    macros = {name: text for name, text in macros.items() if not name.startswith('SFI_')}
    return text + ''.join(f'\n/** \\def {name}\n{described} */' for name, described in macros.items()) + '\n'


def doxygen(out, html=False):
    script = f'{shlex.quote(sys.executable)} {shlex.quote(os.path.abspath(__file__))} --filter'
    with open(f'{out}/Doxyfile', 'w', encoding='utf-8') as file:
        file.write(DOXYFILE.format(out=out, root=ROOT, files=' '.join(f'"{ROOT}/{f}"' for f in FILES),
                                   filter='"' + script.replace('"', '\\"') + '"',
                                   html='YES' if html else 'NO', xml='NO' if html else 'YES'))
    sh('doxygen', f'{out}/Doxyfile')
    return read(f'{out}/warnings')


def found(out):
    """(kind, name, 'file:line', description) of all that doxygen saw."""
    seen = {}
    for name in sorted(os.listdir(f'{out}/xml')):
        for compound in ElementTree.parse(f'{out}/xml/{name}').getroot().iter('compounddef'):
            owner = compound.findtext('compoundname')
            members = [(m, m.find('location')) for m in compound.iter('memberdef')]
            members += [(value, where) for m, where in members for value in m.findall('enumvalue')]
            members.append((compound, compound.find('location')))
            for member, where in members:
                kind = member.get('kind') or 'enumvalue'
                title = member.findtext('name') or owner
                if kind not in KINDS or re.search(r'(?i)\bsfi_|@|^STREAMFLOW_', title):
                    continue
                path, line = os.path.relpath(os.path.join(ROOT, where.get('file')), ROOT), int(where.get('line'))
                if kind == 'enumvalue':         # doxygen knows the line of its enum
                    line += next(n for n, text in enumerate(read(path).split('\n')[line - 1:])
                                 if re.search(rf'\b{title}\b', re.sub(r'/\*.*', '', text)))
                description = ' '.join(' '.join(''.join(member.find(d).itertext()).split())
                                       for d in ('briefdescription', 'detaileddescription')).strip()
                seen[kind, f'{owner}.{title}' if kind == 'variable' else title, f'{path}:{line}'] = description
    return sorted(((*key, description) for key, description in seen.items()),
                  key=lambda n: (n[2].split(':')[0], int(n[2].split(':')[1])))


def declared():
    """The names that the headers declare, by a search for them that knows nothing of the filter."""
    for path in FILES:
        text = read(path)
        text = text[:re.search(FILES[path], text, re.M).start()]
        text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
        yield from re.findall(r'^(?:SF_API|SF_CORE|SFI_RESIDENT_DEV)\b[^;{(]*?(\w+)\(', text, re.M)
        yield from re.findall(r'\b(?:enum|struct|union) (sf_\w+) \{', text)
        for body in re.findall(r'\benum(?: \w+)? \{(.*?)\}', text, re.S):
            yield from re.findall(r'(?:^|,)\s*(\w+)', body)
        yield from re.findall(r'^ *# *define (SF_(?!API\b)\w+)', text, re.M)


def test(kind, names, warnings):
    if kind == 'warnings':
        if warnings:
            raise Failed(warnings)
        return
    if kind == 'seen':
        lost = sorted(set(declared()) - {title.split('::')[-1] for _, title, _, _ in names})
        if lost:
            raise Failed('not seen: ' + ' '.join(lost))
        return
    own = [n for n in names if KINDS[n[0]] == kind]
    missing = [f'{at}: {title}' for _, title, at, described in own if not described]
    if missing:
        raise Failed('\n'.join([f'{len(missing)} of {len(own)} have no description'] + missing))
    return str(len(own))


def main():
    if sys.argv[1:2] == ['--filter']:
        sys.stdout.write(filtered(sys.argv[2]))
        return
    if sys.argv[1:2] == ['--html']:
        with tempfile.TemporaryDirectory() as out:
            sys.stderr.write(doxygen(out, html=True))
            shutil.copytree(f'{out}/html', sys.argv[2], dirs_exist_ok=True)
        return
    with tempfile.TemporaryDirectory() as out:
        names, warnings, problem = [], '', None
        try:
            need('doxygen')
            warnings = doxygen(out)
            names = found(out)
        except (Failed, Skipped) as reason:     # a case raises it again: TAP has a place for it there
            problem = reason
        if sys.argv[1:2] in (['--missing'], ['--list']):
            for kind, title, at, description in names:
                if sys.argv[1] == '--list' or not description:
                    print(f'{at}: {kind} {title}: {description}')
            sys.exit(problem and str(problem))

        def case(kind):
            if problem:
                raise problem
            return test(kind, names, warnings)
        tap.run([(title, lambda kind=kind: case(kind)) for kind, title in
                 [('warnings', 'doxygen has no warnings'), ('seen', 'doxygen sees all that is declared')]
                 + [(kind, f'{kind} have a description') for kind in dict.fromkeys(KINDS.values())]])


if __name__ == '__main__':
    main()
