#!/usr/bin/env python3
"""twin.py - the host backend answers what a GPU's driver answers: programs of twin.c on both, compared.

    twin.py TWIN [TRUTH]              the host backend against what a GPU has answered: tests/truth/
    twin.py TWIN --gpu [N]            against the GPU of this machine: N (0.1) times 20,000 programs of 40 calls and
                                      4,000 of 120; with two GPUs also 2,000 and 400 of two devices
    twin.py TWIN --record TRUTH       writes what this machine's GPUs answer; it needs two

TWIN is the program, build/tests/twin. A difference is shrunk to the fewest steps and printed as C with both answers.
Differences are told by kind: the call, and the two answers. Against recorded answers a difference shrinks to steps
that the host backend answers as it does in the whole program. TAP."""
import collections
import concurrent.futures
import datetime
import lzma
import os
import pathlib
import re
import subprocess
import sys

# How many programs, of how many calls, from which seed on. What is recorded; with a GPU, so many N times.
ONE_DEVICE = ((20000, 40, 0), (4000, 120, 1000000))
TWO_DEVICES = ((2000, 40, 2000000), (400, 120, 2500000))       # on CUDA two GPUs
STEPS = 128                                             # twin.c: the step of the end
CORES = os.cpu_count() or 1


class Twin:
    """A running twin program: answers a request at a time, and is started again where it ended."""
    def __init__(self, path, backend, print_calls=False):
        self.command = [path, '--backend', backend] + (['--print'] if print_calls else [])
        self.print_calls, self.run = print_calls, None

    def ask(self, line):
        """The answer; with print_calls the calls, and the answer last. "gone" where the program ended instead."""
        if not self.run or self.run.poll() is not None:
            self.run = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lines = []
        try:
            self.run.stdin.write(line + '\n')
            self.run.stdin.flush()
            while not lines or '|' not in lines[-1]:
                got = self.run.stdout.readline()
                if not got:
                    raise BrokenPipeError
                lines.append(got.rstrip('\n'))
        except BrokenPipeError:
            lines.append(f'{line.split()[0]} gone: exit status {self.run.wait()}')
            self.run = None
        return lines if self.print_calls else lines[-1]


def ask_all(path, backend, requests, jobs=None):
    """The answers to many requests, in order, from several programs side by side."""
    jobs = jobs or (CORES if backend == 'host' else 4)      # more than a few contexts do not run faster on a GPU
    size = max(1, min(200, (len(requests) + jobs - 1) // jobs))
    parts = [requests[i:i + size] for i in range(0, len(requests), size)]

    def of(part):
        answers = []
        while len(answers) < len(part):
            run = subprocess.run([path, '--backend', backend], input='\n'.join(part[len(answers):]) + '\n',
                                 capture_output=True, text=True, check=False)
            answers += run.stdout.splitlines()
            if run.returncode == 2:
                sys.exit(run.stderr)
            if len(answers) < len(part) and run.returncode != 3:    # 3: it answered, and its GPU is at a fault
                answers.append(f'{part[len(answers)].split()[0]} gone: exit status {run.returncode}')
        return answers
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [a for answers in pool.map(of, parts) for a in answers]


def request(seed, steps, only=None):
    return f'{seed} {steps}' + ('' if only is None else ''.join(f' {i}' for i in sorted(only)))


def words(answer, only, steps):
    """Step -> word; the end of the program is step `steps`, what it left is step `steps` + 1."""
    parts = answer.split('|')
    if len(parts) != 3:
        return {-1: answer}
    ran = sorted(only) if only is not None else range(steps)
    return {**dict(zip(ran, parts[0].split()[1:])), steps: parts[1].strip(), steps + 1: parts[2].strip()}


def first_difference(a, b, only, steps):
    """The step, or None."""
    a, b = words(a, only, steps), words(b, only, steps)
    return min((i for i in {*a, *b} if a.get(i) != b.get(i)), default=None)


def fewest(still, steps):
    """The fewest of these steps for which still(steps) holds, by leaving out ever smaller parts."""
    size = max(1, len(steps) // 2)
    while True:
        at, less = 0, False
        while at < len(steps):
            fewer = steps[:at] + steps[at + size:]
            if still(fewer):
                steps, less = fewer, True
            else:
                at += size
        if size > 1:
            size //= 2
        elif not less:
            return steps


def shrink_beside(host, gpu, seed, steps):
    """With the GPU: the fewest steps after which the same step differs with the same words."""
    def ask(only):
        line = request(seed, steps, only)
        return host.ask(line), gpu.ask(line)
    a, b = ask(None)
    step = first_difference(a, b, None, steps)
    if step is None:
        return None, None, a, b
    want = words(a, None, steps).get(step), words(b, None, steps).get(step)

    def still(only):
        if 0 <= step < steps and step not in only:
            return False
        a, b = ask(only)
        if step < 0 or step >= steps:
            return first_difference(a, b, only, steps) == step
        return (words(a, only, steps).get(step), words(b, only, steps).get(step)) == want
    only = fewest(still, [i for i in range(steps) if not 0 <= step < steps or i <= step])
    return step, only, *ask(only)


def shrink_alone(host, printer, seed, steps, answer):
    """Without the GPU: steps in which the host backend answers as in the whole program, up to the difference. All that
    begin or end a capture, or were refused, stay: in them may lie what the GPU's answer comes from."""
    full = host.ask(request(seed, steps))
    step = first_difference(full, answer, None, steps)
    if step is None or step < 0:
        return step, None
    full = words(full, None, steps)
    calls = printer.ask(request(seed, steps))
    stay = {int(n) for c in calls for n in re.findall(r'step (\d+): ', c)
            if re.search(r'(begin|end)_capture.*: 0 |step \d+: -', c)}
    stay = {i for i in stay if i <= step and i < steps}

    def still(only):
        only = sorted({*only, *stay, *([step] if 0 <= step < steps else [])})
        got = words(host.ask(request(seed, steps, only)), only, steps)
        return all(got.get(i) == full[i] for i in [*only, *([step] if step >= steps else [])])
    rest = fewest(still, [i for i in range(steps) if i < step and i not in stay])
    return step, sorted({*rest, *stay, *([step] if 0 <= step < steps else [])})


def kind_of(calls, step, steps, host, gpu):
    """What a difference is about: the name of the call, and both words."""
    found = re.findall(r'^ {4}(?:/\* thread 2 \*/ )?(?:mode = \d, )?(\w+)\(.*step (\d+): ', '\n'.join(calls), re.M)
    names = [name for name, at in found if int(at) == step]
    what = names[0] if names else 'gone' if step < 0 else 'the end' if step == steps else 'what it left'
    return f'{what}: host {host}, GPU {gpu}'


def story(calls, step, steps):
    """The calls of a shrunk program, without the end where that is not what it is about."""
    calls = [c for c in calls[:-1] if not c.startswith('    /*   ')]         # texts of failures
    return [c for c in calls if step >= steps or f'step {STEPS - 1}:' not in c and not c.startswith('    words[')]


def differences(path, requests, answers, gpu=None, most=60, each=2):
    """Compares, shrinks the first `each` of every kind, and prints them. How many programs differ. Answers: '?' of
    programs with which the driver, or what ran before them there, did not end well."""
    host, printer = Twin(path, 'host'), Twin(path, 'host', True)
    beside = Twin(path, gpu) if gpu else None
    kinds, differ = collections.Counter(), 0
    for line, ours, theirs in zip(requests, ask_all(path, 'host', requests), answers):
        if ours == theirs or theirs.endswith('?'):
            continue
        differ += 1
        seed, steps = (int(n) for n in line.split()[:2])
        step = first_difference(ours, theirs, None, steps)
        a, b = words(ours, None, steps).get(step), words(theirs, None, steps).get(step)
        kind = kind_of(printer.ask(request(seed, steps)), step, steps, *((a, b) if step < steps else ('', '')))
        kinds[kind] += 1
        if kinds[kind] > each or len(kinds) > most:
            continue
        if beside:
            at, only, a, b = shrink_beside(host, beside, seed, steps)
            if only is not None:
                a, b = words(a, only, steps).get(at), words(b, only, steps).get(at)
        else:
            at, only = shrink_alone(host, printer, seed, steps, theirs)
        if only is None:
            print(f'# program {line} does not differ, or ends the process, when it runs alone', flush=True)
            continue
        print(f'# program {request(seed, steps, only)}: {kind}')
        print(*('# ' + c for c in story(printer.ask(request(seed, steps, only)), at, steps)), sep='\n')
        print(f'#     /* host: {a}; GPU: {b} */', flush=True)
        print(f'# the whole program: echo {seed} {steps} | {path} --backend host --print', flush=True)
    for kind, n in kinds.most_common():
        print(f'# {n} {kind}')
    return differ


def all_requests(programs, scale=1.0):
    return [request(first + i, steps) for count, steps, first in programs for i in range(int(count * scale))]


def gpu_name():
    run = subprocess.run(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'], text=True,
                         capture_output=True, check=False)
    return run.stdout.partition('\n')[0] or 'unknown GPU'


def record(path, folder):
    """The answers of this machine's GPU: a line that says whose, then one line per program, without its seed."""
    answers = ask_all(path, 'cuda', all_requests(ONE_DEVICE + TWO_DEVICES))
    gone = sum('gone' in a for a in answers)
    head = f'{gpu_name()}, {datetime.date.today()}'
    text = '\n'.join([head, *('?' if 'gone' in a else a.partition(' ')[2] for a in answers)]) + '\n'
    folder.mkdir(exist_ok=True)
    (folder / 'answers.xz').write_bytes(lzma.compress(text.encode(), preset=9))
    print(f'# {head}: {len(answers)} programs, {gone} of them ended the process')
    return 0


def read(folder):
    head, *answers = lzma.decompress((folder / 'answers.xz').read_bytes()).decode().splitlines()
    requests = all_requests(ONE_DEVICE + TWO_DEVICES)
    if len(answers) != len(requests):
        sys.exit(f'Bail out! {folder}: answers to {len(answers)} programs, not {len(requests)}: record them again')
    return head, requests, [f'{r.split()[0]} {a}' for r, a in zip(requests, answers)]


def answers_there(path, seed):
    """Whether this machine has the GPUs that this program needs."""
    return '|' in Twin(path, 'cuda').ask(request(seed, 1))


def main(arguments):
    path, *rest = arguments
    truth = pathlib.Path(__file__).parent / 'truth'
    if rest[:1] == ['--record']:
        return record(path, pathlib.Path(rest[1]))
    if rest[:1] == ['--gpu'] and not answers_there(path, 0):
        print('1..0 # SKIP no GPU')
        return 0
    if rest[:1] == ['--gpu']:
        two = TWO_DEVICES if answers_there(path, TWO_DEVICES[0][2]) else ()
        requests = all_requests(ONE_DEVICE + two, float(rest[1]) if rest[1:] else 0.1)
        head, answers, gpu = gpu_name(), ask_all(path, 'cuda', requests), 'cuda'
    else:
        head, requests, answers = read(pathlib.Path(rest[0]) if rest else truth)
        gpu = None
    print('1..1')
    differ, known = differences(path, requests, answers, gpu), sum(not a.endswith('?') for a in answers)
    print(f'{"not " if differ else ""}ok 1 - {known - differ} of {known} programs answer as on {head}')
    return differ > 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
