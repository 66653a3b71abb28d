"""TAP for the scripts beside it: a list of named cases in, one line per case out, two or more at a time."""
import concurrent.futures, os, shlex, shutil, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CI = bool(os.environ.get('CI'))


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def read(path):
    """A file's text; the path is from the repository's root."""
    try:
        with open(os.path.join(ROOT, path), encoding='utf-8') as file:
            return file.read()
    except OSError as error:
        raise Failed(error)


def need(*tools, always_optional=False):
    """Skips where a tool is absent; in CI, which installs them, that is a failure."""
    for tool in tools:
        if not shutil.which(tool):
            raise (Skipped if always_optional or not CI else Failed)(f'{tool} not found')


def sh(*command, fails=False, timeout=300):
    """Runs it and returns what it printed; its failure is the case's, unless `fails`: then (status, output)."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              text=True, errors='replace', timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f'{shlex.join(command)}\nno end after {timeout} s')
    if fails:
        return done.returncode, done.stdout
    if done.returncode != 0:
        raise Failed(f'{shlex.join(command)}\nexit status {done.returncode}\n{done.stdout}')
    return done.stdout


def run_test(program, test, limit, **environment):
    """Runs one test of a suite on the host backend: its exit status, or None after `limit` seconds, and its output.
    A variable that is None is not set."""
    variables = {**os.environ, 'SF_TEST_SEEDS': '100', 'CMOCKA_MESSAGE_OUTPUT': 'TAP', **environment}
    try:
        done = subprocess.run([program, '--backend', 'host', '--only', test], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors='replace',
                              timeout=limit, env={k: v for k, v in variables.items() if v is not None})
    except OSError as error:
        raise Failed(f'{error}: build {os.path.basename(program)}')
    except subprocess.TimeoutExpired:
        return None, f'no end after {limit:.1f} s'
    return done.returncode, done.stdout


def run(cases):
    """cases: (name, function); what a function returns is printed as a note. Arguments on the command line select
    the cases whose names contain one of them. Ends the program."""
    wanted = sys.argv[1:]
    cases = [case for case in cases if not wanted or any(word in case[0] for word in wanted)]
    if not cases:
        print(f'Bail out! no case has a name with: {" ".join(wanted)}')
        sys.exit(1)

    def one(case):
        start = time.monotonic()
        try:
            note, state = case[1](), 'ok'
        except Skipped as reason:
            note, state = reason, 'skip'
        except Failed as reason:
            note, state = reason, 'not ok'
        return state, str(note or ''), time.monotonic() - start

    print(f'1..{len(cases)}', flush=True)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for number, (case, result) in enumerate(zip(cases, pool.map(one, cases)), 1):
            state, note, seconds = result
            bad += state == 'not ok'
            if state == 'skip':
                print(f'ok {number} - {case[0]} # SKIP {note}', flush=True)
                continue
            print(f'{state} {number} - {case[0]} ({seconds:.1f} s)')
            for line in note.splitlines()[:40]:
                print(f'# {line}')
            sys.stdout.flush()
    sys.exit(bad != 0)
