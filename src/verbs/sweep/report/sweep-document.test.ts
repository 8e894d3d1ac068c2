import { describe, expect, it } from 'vitest';
import { sweepReportSchema } from '../model/sweep.ts';
import { htmlPage } from '../../../report/document/html-page.ts';
import { terminalText, terminalVerdict } from '../../../report/document/terminal-writer.ts';
import { samplePoint, sampleSweep } from './sample-sweep.fixture.ts';
import { sweepDocument, sweepOverview } from './sweep-document.ts';
import { sweepHeadline, sweepTone } from './sweep-text.ts';

const look = { colour: false, width: 100 };

describe('the page of a sweep', () => {
  const html = htmlPage(sweepDocument(sampleSweep()), 'p { color: red }');

  it('allows nothing to be loaded or run', () => {
    expect(html).toMatch(/default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/);
    expect(html).not.toMatch(/<script|<link|<img|url\(|style=|https?:\/\/(?!host\/v1)/);
  });

  it('draws each point with figures, rings the front, and shows every point in both heat maps and the table', () => {
    // Both are drawn twice: for wide and for narrow screens.
    expect(html.match(/<circle class="(?!baseline)/g)).toHaveLength(2 * 4);
    expect(html.match(/<circle class="baseline"/g)).toHaveLength(2 * 2);
    expect(html.match(/<text class="cell"/g)).toHaveLength(12);
    expect(html.match(/<tr/g)).toHaveLength(7);
    expect(html).toContain('load not as planned (start lag: p99 12 ms)');
    expect(html).toContain('knee at 10.0 in flight');
  });

  it('has one colour for figures that do not surely differ, and strong ones only for large differences', () => {
    const shadesOf = (latencies: readonly number[]): readonly number[] => {
      const points = latencies.map((latency, i) =>
        samplePoint([i < 2 ? '100' : '1000', String(i % 2)], [10, latency]),
      );
      const variables = [
        { path: 'prompt.tokens', values: ['100', '1000'], isLoad: false },
        { path: 'load.users', values: ['0', '1'], isLoad: true },
      ];
      const page = htmlPage(sweepDocument(sampleSweep({ variables, points, curves: [] })), '');
      const [, map = ''] = page.split('<b>End to end p50</b>');
      return [...map.matchAll(/fill-opacity="([\d.]+)"/g)].map(([, opacity]) => Number(opacity));
    };
    expect(shadesOf([202, 203, 204, 206])).toEqual([0.06, 0.06, 0.06, 0.06]);
    expect(shadesOf([200, 203, 230, 231])).toEqual([0.06, 0.06, 0.22, 0.22]);
    expect(shadesOf([200, 203, 900, 910])).toEqual([0.06, 0.06, 0.6, 0.6]);
  });

  it('escapes names and values from files', () => {
    const hostile = sampleSweep({
      name: '<b onclick=x>',
      variables: [{ path: '<script>a', values: ['<script>b'], isLoad: true }],
      points: [samplePoint(['<script>b'], [1, 1], { reasons: ['<script>c'] })],
      curves: [{ name: '<script>d', points: [0], fit: null }],
    });
    expect(htmlPage(sweepDocument(hostile), '')).not.toMatch(/<b onclick|<script/);
  });

  it('has no heat map for one variable, and no drawing without figures', () => {
    const one = sampleSweep({
      variables: [{ path: 'model', values: ['a'], isLoad: false }],
      points: [samplePoint(['a'], [0, 0], { verdict: 'excluded', figures: {} })],
      curves: [],
    });
    const page = htmlPage(sweepDocument(one), '');
    expect(page).not.toMatch(/Heat maps|<svg|NaN|Infinity|undefined/);
    expect(page).toContain('No point on the Pareto front');
  });
});

describe('a sweep on a terminal', () => {
  it('has at most 25 lines with the verdict, which names the ends of the front', () => {
    const values = Array.from({ length: 40 }, (_, i) => `a-rather-long-value-${i}`);
    const [run] = samplePoint([], [1, 1]).runs;
    const long = sampleSweep({
      target: `https://gateway.example/${'path/'.repeat(12)}v1`,
      variables: [{ path: 'traffic.0.body.some.deep.path', values, isLoad: false }],
      points: values.map((value, i) =>
        samplePoint([value], [i, 100 + i], {
          isOnFront: i % 2 === 0,
          runs: [{ ...run!, trust: 'degraded' }],
          ...(i % 5 === 1
            ? { verdict: 'broken', reasons: [`reason ${'long '.repeat(60)}${i}`] }
            : {}),
          ...(i % 5 === 3 ? { verdict: 'excluded', reasons: ['nothing succeeded'] } : {}),
        }),
      ),
      curves: values.map((name) => ({ ...sampleSweep().curves[0]!, name })),
    });
    for (const report of [sampleSweep(), long]) {
      const lines = [
        ...terminalText(sweepOverview(report), look).split('\n'),
        ...terminalVerdict(`Exit 3. ${sweepHeadline(report)}.`, sweepTone(report), look).split(
          '\n',
        ),
      ];
      expect(lines.length).toBeLessThanOrEqual(25);
      expect(lines.every((line) => line.length <= 100)).toBe(true);
    }
    expect(sweepHeadline(sampleSweep())).toBe(
      'Pareto front: 2 points, from prompt.tokens=100, load.users=1 (1.00/s, 900 ms) to prompt.tokens=100, load.users=4 (4.00/s, 1 s). 3 of 6 points kept (1 point excluded, 1 not run, stopped before its last run)',
    );
  });

  it('ends with how many points the load generator can have moved', () => {
    const sample = sampleSweep();
    const [first, ...others] = sample.points;
    const runs = first!.runs.map((run) => ({ ...run, trust: 'degraded' as const }));
    const report = { ...sample, partial: null, points: [{ ...first!, runs }, ...others] };
    expect(sweepHeadline(report)).toMatch(
      /\. Figures of 1 of 6 points are approximate: the load generator can have moved them\. What now: reports\/what-now\.md$/,
    );
    const whole = { ...report, points: report.points.filter(({ verdict }) => verdict === 'kept') };
    expect(sweepTone(whole)).toBe('warning');
    const onlyOne = { ...sample, points: [{ ...first!, isOnFront: true }] };
    expect(sweepHeadline(onlyOne)).toContain('The only one: ');
  });

  it('is a table in 80 columns, also with three variables whose paths and values are long', () => {
    const values = ['a-rather-long-value-1', 'mistral-small-2506'];
    const figures = Object.fromEntries(
      ['completedRate', 'endToEnd.p50', 'ttft.p50', 'ttft.p95', 'outputTokenRate'].map(
        (name, i) => [name, { value: 1234 + i, low: 1200, high: 1250, isWeak: false }] as const,
      ),
    );
    const report = sampleSweep({
      repetitions: 3,
      variables: [
        { path: 'traffic.0.body.some.deep.path', values, isLoad: false },
        { path: 'stages.0.load.rate', values: ['100'], isLoad: false },
        { path: 'stages.1.load.rate', values: ['1000', '2000'], isLoad: false },
      ],
      points: values.map((value, i) =>
        samplePoint([value, '100', '1000'], [4, 1300], {
          figures,
          isOnFront: i === 0,
          verdict: i === 0 ? 'kept' : 'excluded',
          runs: Array.from({ length: 3 }, () => samplePoint([], [4, 1300]).runs[0]!),
        }),
      ),
    });
    const lines = terminalText(sweepOverview(report), { colour: false, width: 80 }).split('\n');
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    const heads = lines.findIndex((line) => /deep.path +0.load.rate +1.load.rate/.test(line));
    expect(lines.slice(heads + 1, heads + 3).map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
      expect.stringMatching(/^a-rather/),
      expect.stringMatching(/^mistral/),
    ]);
    expect(lines[heads]).not.toContain('Runs');
    expect(lines.join('\n')).toMatch(/3 runs\s+each; ◆ is the Pareto front/);
  });

  it('is a report that its schema accepts', () => {
    expect(sweepReportSchema.safeParse(sampleSweep()).error).toBeUndefined();
  });
});
