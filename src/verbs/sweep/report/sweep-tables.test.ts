import { expect, it } from 'vitest';
import { htmlPage } from '../../../report/document/html-page.ts';
import { markdownText } from '../../../report/document/markdown-writer.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import type { SweepPoint, SweepReport } from '../model/sweep.ts';
import { samplePoint, sampleSweep } from './sample-sweep.fixture.ts';
import { sweepDocument, sweepOverview } from './sweep-document.ts';

const terminal = (report: SweepReport, width = 200): string =>
  terminalText(sweepOverview(report), { colour: false, width });
const linesOf = (report: SweepReport, width?: number): readonly string[] =>
  terminal(report, width)
    .split('\n')
    .map((line) => line.trim());

/** A sweep of one variable with these points, without any curve. */
const sweepOf = (
  points: readonly Partial<SweepPoint>[],
  changes: Partial<SweepReport> = {},
): SweepReport =>
  sampleSweep({
    variables: [{ path: 'load.users', values: points.map((_, i) => `u${i}`), isLoad: true }],
    points: points.map((point, i) => samplePoint([`u${i}`], [1 + i, 100 + i], point)),
    curves: [],
    ...changes,
  });

const value = (name: string) => ({
  value: name.length,
  low: name.length,
  high: name.length,
  isWeak: false,
});

it('a page has a column for each usual figure that the runs have, after the two that judge', () => {
  const names = [
    'completedRate',
    'outputTokenRate',
    'ttft.p50',
    'ttft.p95',
    'firstAudio.p50',
    'tpot.p50',
    'endToEnd.p50',
    'endToEnd.p95',
  ];
  const figures = Object.fromEntries(names.map((name) => [name, value(name)]));
  const headsOf = (report: SweepReport): readonly string[] =>
    markdownText(sweepDocument(report))
      .split('\n')
      .find((line) => line.startsWith('| load.users'))!
      .split('|')
      .map((cell) => cell.trim())
      .filter((cell) => cell !== '');
  expect(headsOf(sweepOf([{ figures, reasons: ['why'] }]))).toEqual([
    'load.users',
    'Runs',
    'Front',
    'Verdict',
    'Completed /s',
    'End to end p50 ms',
    'Output tokens /s',
    'TTFT p50 ms',
    'TTFT p95 ms',
    'First audio p50 ms',
    'TPOT p50 ms',
    'End to end p95 ms',
    'Reason',
  ]);
  const judged = sweepOf([{ figures: { ...figures, 'gap.p99': value('gap.p99') } }], {
    throughput: { name: 'outputTokenRate', label: 'Output tokens', unit: '/s' },
    latency: { name: 'gap.p99', label: 'Chunk gap p99', unit: 'ms' },
  });
  expect(headsOf(judged).slice(4, 7)).toEqual([
    'Output tokens /s',
    'Chunk gap p99 ms',
    'Completed /s',
  ]);
});

it('a figure that a point does not have is a dash where it judges, and nothing elsewhere', () => {
  const report = sweepOf([
    { figures: { completedRate: value('a'), 'ttft.p50': value('ab') } },
    { figures: { completedRate: { value: 3, low: 2, high: 4, isWeak: true } } },
  ]);
  expect(htmlPage(sweepDocument(report), '')).toMatch(/~3\.00.*2\.00–4\.00/);
  const page = markdownText(sweepDocument(report));
  const cellsOf = (name: string): readonly string[] =>
    page
      .split('\n')
      .find((line) => line.startsWith(`| ${name} `))!
      .split('|')
      .slice(5, 8)
      .map((cell) => cell.trim());
  expect(cellsOf('u0')).toEqual(['1.00', '–', '2.00']);
  expect(cellsOf('u1')).toEqual(['&#126;3.00', '–', '']);
});

it('a terminal names the runs of a point only if some do not count', () => {
  const [run] = samplePoint([], [1, 1]).runs;
  const bad = { ...run!, excludedBecause: 'not as planned' };
  const all = sweepOf([{ runs: [run!, run!] }], { repetitions: 2, partial: null });
  expect(terminal(all)).not.toContain('Runs');
  const some = sweepOf([{ runs: [run!, bad] }, { runs: [run!, run!] }], { repetitions: 2 });
  const [head, first, second] = linesOf(some).filter((line) => /^(load|u\d)/.test(line));
  expect(head).toMatch(/^load\.users +Runs/);
  expect(first).toMatch(/^u0 +1 of 2 /);
  expect(second).toMatch(/^u1 +✓ kept/);
  const page = markdownText(sweepDocument(some));
  expect(page).toMatch(/^\| u0 \| 1 of 2 \|/m);
  expect(page).toMatch(/^\| u1 \| 2 \|/m);
});

it('a terminal has ten points: those of the front, then those with a problem, in their order', () => {
  const points: readonly Partial<SweepPoint>[] = [
    ...Array.from({ length: 6 }, () => ({})),
    { verdict: 'missing' },
    { verdict: 'broken' },
    ...Array.from({ length: 3 }, () => ({ isOnFront: true })),
    { verdict: 'undecided' },
    { verdict: 'excluded' },
  ];
  const shownOf = (report: SweepReport): readonly (string | undefined)[] =>
    linesOf(report).flatMap((line) => /^u\d+/.exec(line)?.[0] ?? []);
  expect(shownOf(sweepOf(points))).toEqual(
    ['0', '1', '2', '3', '7', '8', '9', '10', '11', '12'].map((i) => `u${i}`),
  );
  expect(linesOf(sweepOf(points))).toContain('… and 3 more in sweep.html');
  const ten = sweepOf(points.slice(0, 10));
  expect(shownOf(ten)).toHaveLength(10);
  expect(terminal(ten)).not.toContain('more in sweep.html');
  const eleven = linesOf(sweepOf(points.slice(0, 11)));
  expect(eleven).toContain('… and 1 more in sweep.html');
});

it('a terminal has the two most frequent reasons, cut to 90 columns', () => {
  const because = (verdict: 'broken' | 'excluded' | 'kept', ...reasons: string[]) => ({
    verdict,
    reasons,
  });
  const report = sweepOf([
    because('broken', 'rare'),
    because('excluded', 'often'),
    because('broken', 'usual', 'second'),
    because('broken', 'usual'),
    because('excluded', 'often'),
    because('excluded', 'often'),
    because('kept', 'noted'),
    because('broken'),
  ]);
  const reasons = linesOf(report).filter((line) => /\d points? \w+: /.test(line));
  expect(reasons.map((line) => line.replace(/^\W+/, ''))).toEqual([
    '3 points excluded: often',
    '2 points broken: usual',
  ]);
  const long = linesOf(sweepOf([because('broken', 'x'.repeat(200))]));
  const cut = long.find((line) => line.includes('1 point broken: '))!;
  expect(cut.slice(cut.indexOf('1 point'))).toHaveLength(90);
});

it('a terminal has three knees, or two and how many more there are', () => {
  const {
    curves: [fitted, plain],
  } = sampleSweep();
  const kneesOf = (count: number): readonly string[] =>
    linesOf(
      sweepOf([{}], {
        curves: [
          plain!,
          ...Array.from({ length: count }, (_, i) => ({ ...fitted!, name: `c${i}` })),
        ],
      }),
    ).filter((line) => line.includes('knee'));
  const at = (i: number): RegExp =>
    new RegExp(`c${i}: knee at 10\\.0 in flight, 8\\.00/s completed, 1\\.3 s per answer$`);
  expect(kneesOf(3)).toEqual([0, 1, 2].map((i) => expect.stringMatching(at(i))));
  expect(kneesOf(4)).toEqual([
    expect.stringMatching(at(0)),
    expect.stringMatching(at(1)),
    expect.stringMatching(/… and 2 more knees in sweep\.html$/),
  ]);
  expect(kneesOf(0)).toEqual([]);
});

it('the title of a terminal counts points and runs, and explains the mark only if there is one', () => {
  const titleOf = (report: SweepReport): string => terminal(report).split('\n\n')[0]!;
  expect(titleOf(sweepOf([{}]))).toBe('evening → https://host/v1: 1 point, 1 run each');
  expect(titleOf(sweepOf([{}, { isOnFront: true }], { repetitions: 3 }))).toBe(
    'evening → https://host/v1: 2 points, 3 runs each; ◆ is the Pareto front',
  );
});

it('a page says what was asked, with its seed, and who judged it', () => {
  const { description, footer, title } = sweepDocument(sweepOf([{}], { repetitions: 2, seed: 77 }));
  expect([title, description, footer]).toEqual([
    'Sweep of evening',
    [
      'evening → https://host/v1',
      '1 point: load.users = u0. 2 runs each, in random order (seed 77).',
    ],
    'Evaluated by Weir 0.1.0, 2026-07-01T10:20:30.000Z.',
  ]);
  const pageOf = (objectives: string[]): string =>
    markdownText(sweepDocument(sweepOf([{}], { objectives })));
  expect(pageOf(['a < 1', 'b > 2'])).toContain('Criteria: a &#60; 1; b &#62; 2');
  expect(pageOf([])).not.toContain('Criteria');
});

it('the name of a column is the end of its path that no other has, of two words at least', () => {
  const headOf = (...paths: readonly string[]): readonly string[] => {
    const report = sampleSweep({
      variables: paths.map((path) => ({ path, values: ['v'], isLoad: false })),
      points: [
        samplePoint(
          paths.map(() => 'v'),
          [1, 1],
        ),
      ],
      curves: [],
    });
    return terminal(report, 80)
      .split('\n')
      .find((line) => line.includes('Verdict'))!
      .trim()
      .split(/ {2,}|(?<=\S) (?=◆|Verdict|Front|Runs)/);
  };
  const long = 'a-very-long-name-of-a-stage-in-a-scenario';
  expect(
    headOf(`${long}.0.load.rate`, `${long}.1.load.rate`, `${long}.other.field`).slice(0, 3),
  ).toEqual(['0.load.rate', '1.load.rate', 'other.field']);
});
