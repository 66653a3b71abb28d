#!/usr/bin/env python3
"""trace_svg.py TRACE.json PICTURE.svg [FROM_MS TO_MS]: draws what sf_flow_trace() wrote, a row per worker and per stream,
with the messages as lines. A worker's row has the name of its group, sf_workers.name. ui.perfetto.dev shows more; this
is for documents."""
import html, json, sys

WIDTH, ROW = 1000, 26
COLOURS = ['#4e79a7', '#f28e2b', '#59a14f', '#e15759', '#76b7b2', '#b07aa1', '#edc948', '#9c755f', '#ff9da7']

with open(sys.argv[1], encoding='utf-8') as file:
    events = json.load(file)['traceEvents']
slices = [e for e in events if e['ph'] == 'X']
begin = float(sys.argv[3]) * 1000 if len(sys.argv) > 4 else min(e['ts'] for e in slices)
end = float(sys.argv[4]) * 1000 if len(sys.argv) > 4 else max(e['ts'] + e['dur'] for e in slices)
slices = [e for e in slices if e['ts'] + e['dur'] > begin and e['ts'] < end]
rows = sorted({(e['pid'], e['tid']) for e in slices})
names = sorted({e['name'] for e in slices})
threads = {(e['pid'], e['tid']): e['args']['name'] for e in events if e['name'] == 'thread_name'}
labels = [threads.get((pid, tid), f'worker {tid - 1}') if pid == 1 else f'stream {sum(r[0] == 2 for r in rows[:n + 1])}'
          for n, (pid, tid) in enumerate(rows)]
LEFT = max([110] + [8 + 7 * len(label) for label in labels])


def x(ts):
    return LEFT + WIDTH * (min(max(ts, begin), end) - begin) / (end - begin)


def y(event):
    return 30 + ROW * rows.index((event['pid'], event['tid']))


out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 10}" height="{60 + ROW * len(rows)}" '
       'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']
for number, label in enumerate(labels):
    out.append(f'<text x="4" y="{30 + ROW * number + 15}">{html.escape(label)}</text>')
for e in slices:
    width = max(x(e['ts'] + e['dur']) - x(e['ts']), 0.5)
    out.append(f'<rect x="{x(e["ts"]):.1f}" y="{y(e)}" width="{width:.1f}" height="{ROW - 6}" '
               f'fill="{COLOURS[names.index(e["name"]) % len(COLOURS)]}"><title>{html.escape(e["name"])}: '
               f'{e["dur"]:.1f} us</title></rect>')
    if width > 7 * len(e['name']):
        out.append(f'<text x="{x(e["ts"]) + 3:.1f}" y="{y(e) + 14}" fill="white">{html.escape(e["name"])}</text>')
starts = {e['id']: e for e in events if e['ph'] == 's'}
for e in events:                                 # arrows, where both ends are to be seen
    s = starts.get(e.get('id')) if e['ph'] == 'f' else None
    if s and begin <= s['ts'] and e['ts'] <= end and (1, s['tid']) in rows and (1, e['tid']) in rows:
        out.append(f'<line x1="{x(s["ts"]):.1f}" y1="{y(s) + ROW - 6}" x2="{x(e["ts"]):.1f}" y2="{y(e) + ROW - 6}" '
                   'stroke="#555" stroke-width="0.6"/>')
for number, name in enumerate(names):            # what the colours are
    at = LEFT + number * (WIDTH / len(names))
    out.append(f'<rect x="{at:.0f}" y="8" width="10" height="10" fill="{COLOURS[number % len(COLOURS)]}"/>'
               f'<text x="{at + 14:.0f}" y="17">{html.escape(name)}</text>')
out.append(f'<text x="{LEFT}" y="{50 + ROW * len(rows)}">{begin / 1000:.2f} ms</text>'
           f'<text x="{LEFT + WIDTH - 60}" y="{50 + ROW * len(rows)}">{end / 1000:.2f} ms</text></svg>')
with open(sys.argv[2], 'w', encoding='utf-8') as file:
    file.write('\n'.join(out) + '\n')
