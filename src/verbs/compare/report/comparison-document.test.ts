import { describe, expect, it } from 'vitest';
import { htmlPage } from '../../../report/document/html-page.ts';
import { markdownText } from '../../../report/document/markdown-writer.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import { comparisonDocument, comparisonJunit } from './comparison-document.ts';
import { comparisonVerdictText } from './comparison-text.ts';
import { sampleComparison } from './sample-comparison.fixture.ts';

const plain = (comparison = sampleComparison()) =>
  terminalText(comparisonDocument(comparison), { colour: false, width: 100 });

describe('the words of a verdict', () => {
  const { metrics, base, next } = sampleComparison();
  const few = { base: { ...base, runs: base.runs.slice(1) }, next };
  const one = {
    base: { ...base, runs: base.runs.slice(4) },
    next: { ...next, runs: next.runs.slice(4) },
  };
  const open = metrics.map((metric) => ({
    ...metric,
    verdict: 'inconclusive' as const,
    needed: 7,
  }));

  it('names what no gate looks at and is surely worse, so that a page with it is not green', () => {
    const [slow] = sampleComparison().metrics;
    const p99 = (p: number) => ({
      ...slow!,
      label: 'TTFT p99',
      gated: false,
      verdict: 'regression' as const,
      effect: { ...slow!.effect!, p, adjustedP: null },
    });
    const pageOf = (p: number) =>
      comparisonDocument(sampleComparison({ verdict: 'same', metrics: [...metrics, p99(p)] }));
    expect(pageOf(1e-6).verdict).toMatchObject({
      tone: 'warning',
      text: expect.stringMatching(/Not gated, but surely worse: chat-stream TTFT p99 \(\+25/),
    });
    expect(pageOf(0.04).verdict).toMatchObject({
      tone: 'good',
      text: expect.not.stringContaining('Not gated'),
    });
  });

  it('contradicts no improvement, and calls nothing sure that one run against one shows', () => {
    const [slow] = metrics;
    const p99 = { ...slow!, label: 'TTFT p99', gated: false, verdict: 'regression' as const };
    const textOf = (
      verdict: 'improvement' | 'inconclusive',
      p: number | null,
      sides: object = {},
    ) =>
      comparisonVerdictText(
        sampleComparison({
          verdict,
          metrics: [...metrics.slice(1), { ...p99, effect: { ...slow!.effect!, p } }],
          ...sides,
        }),
      );
    expect(textOf('improvement', 1e-6)).toMatch(
      /nothing gated is surely worse\. .*Not gated, but surely worse: chat-stream TTFT p99/,
    );
    const indication = textOf('inconclusive', null, one);
    expect(indication).toContain('Not gated, but far worse, run against run: chat-stream TTFT p99');
    expect(indication).not.toContain('surely');
  });

  it.each([
    ['regression', {}, 'Regression: chat-stream TTFT p50 (+25.0 %).'],
    [
      'improvement',
      { verdict: 'improvement' as const },
      'Improvement: Answers 429 (−10.0 pt); nothing is surely worse. Undecided: chat-stream TPOT p50 (+0.5 %).',
    ],
    [
      'same',
      { verdict: 'same' as const },
      'Same: none of 4 headline figures changed by more than its minimum effect. Undecided: chat-stream TPOT p50 (+0.5 %).',
    ],
    [
      'inconclusive',
      { verdict: 'inconclusive' as const },
      'Inconclusive. 1 gated metric undecided: chat-stream TPOT p50 (+0.5 %). 12 repetitions per side would decide.',
    ],
    [
      'inconclusive with too few runs',
      { verdict: 'inconclusive' as const, metrics: open, ...few },
      'Inconclusive. Fewer than 5 repetitions per side decide nothing. 7 repetitions per side would decide.',
    ],
    [
      'inconclusive with one run a side',
      { verdict: 'inconclusive' as const, metrics: open, ...one },
      'Inconclusive. This is an indication: one run against one, which cannot show how much runs differ. At least 7 per side are needed.',
    ],
    [
      'inconclusive if no number of runs is enough',
      {
        verdict: 'inconclusive' as const,
        metrics: open.map((metric) => ({ ...metric, needed: null })),
      },
      'Inconclusive. 4 gated metrics undecided: chat-stream TTFT p50 (+25.0 %), chat-stream TPOT p50 (+0.5 %), chat-stream End to end p50 (+0.5 %), Answers 429 (−10.0 pt). For some of them no number of repetitions would decide.',
    ],
    [
      'inconclusive if the machine was too busy to measure the change',
      {
        verdict: 'inconclusive' as const,
        metrics: open.slice(0, 1).map((metric) => ({
          ...metric,
          needed: null,
          effect: metric.effect && { ...metric.effect, relevant: 1.1, least: 1.4 },
        })),
      },
      'Inconclusive. 1 gated metric undecided: chat-stream TTFT p50 (+25.0 %). The load generator’s own error can be as large as some of these changes: use a quieter machine.',
    ],
    [
      'inconclusive without samples',
      { verdict: 'inconclusive' as const, metrics: [] },
      'Inconclusive: no metric has enough samples to decide. Run longer, or name the metrics that decide with --gate.',
    ],
  ])('%s', (_, differing, text) => {
    expect(comparisonVerdictText(sampleComparison(differing))).toBe(text);
  });
});

describe('a verdict on many metrics', () => {
  const [first] = sampleComparison().metrics;
  const many = (count: number) =>
    sampleComparison({ metrics: Array.from({ length: count }, () => first!) });

  it('names five, and of six only four', () => {
    expect(comparisonVerdictText(many(5)).match(/TTFT/g)).toHaveLength(5);
    expect(comparisonVerdictText(many(6)).match(/TTFT/g)).toHaveLength(4);
    expect(comparisonVerdictText(many(6))).toMatch(/\(\+25\.0 %\) and 2 more\.$/);
  });
});

describe('a comparison in the terminal', () => {
  it('has the verdict first, then the deciding metrics, then the others', () => {
    expect(plain().replace(/New {2}.*\n(.*\n)*?(?=The generator)/, '')).toMatchInlineSnapshot(`
      "✗ Regression: chat-stream TTFT p50 (+25.0 %).
        Base main: 5 runs against https://host/v1
        New change </script><img src=x onerror=alert(1)>␛[2J�"quoted" & 'single' <b>bold</b>: 5 runs
        against https://host/v1
        The generator was strained in 2 of 10 runs: their noise is partly its own.
        What now: the report of one of the new runs shows where its time goes; reports/what-now.md says
        what to do about approximate figures.

      Gated metrics
                              Base   New    Change   95 % interval       p  Verdict
        chat-stream
          TTFT p50 ms          200   250   +25.0 %  [+23.0, +27.0]  <0.001  ✗ regression
          TPOT p50 ms          200   201    +0.5 %    [−1.0, +2.0]   0.800  ! inconclusive
            1 of the new runs has no value; 12 repetitions per side would decide
          End to end p50 ms    200   201    +0.5 %    [−1.0, +2.0]   0.800  ✓ same
        all traffic
          Answers 429 %      10.00  0.00  −10.0 pt   [−13.0, −7.0]  <0.001  ✓ improvement

      Other metrics
                       Base  New  Change  95 % interval      p  Remark
        chat-stream
          TTFT p99 ms   200  201  +0.5 %   [−1.0, +2.0]  0.800  fewer than 1,000 samples in a run

      Distributions
        Measure                          Distance  Samples, base  Samples, new
        chat-stream Time to first token    94.0 %            300           300
        The largest distance between the distributions of all samples (Kolmogorov-Smirnov). Advisory only:
        the requests of one run are not independent.

      Base and new are geometric means over the repetitions. The change has its 95 % confidence interval;
      p is from Welch’s test on the logarithms, or Newcombe’s for shares, adjusted (Hochberg) over the
      gated metrics."
    `);
  });

  it('says what was overridden', () => {
    expect(plain(sampleComparison({ overridden: ['the seed differs: 1 in a, 2 in b'] }))).toContain(
      'Compared although the seed differs: 1 in a, 2 in b.',
    );
  });

  it('says that a drift can be the change, and advises to compare in turns', () => {
    const [first, ...others] = sampleComparison().metrics;
    const drifting = {
      ...first!,
      verdict: 'inconclusive' as const,
      effect: { ...first!.effect!, drift: 1.03 },
    };
    const words = plain(
      sampleComparison({ verdict: 'inconclusive', metrics: [drifting, ...others] }),
    ).replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'a drift of +3.0 % from run to run can be the change: compare in turns',
    );
    expect(words).toContain(
      'The runs drift and did not take turns, so the drift can be the change: compare in turns, with --against.',
    );
  });

  it('contains no control character', () => {
    expect(plain()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});

describe('a comparison as Markdown', () => {
  const text = markdownText(comparisonDocument(sampleComparison()));
  it('has the verdict first and a table of the gated metrics', () => {
    expect(text.split('\n')[0]).toBe('## ❌ Weir: Comparison of evening');
    expect(text.split('\n').filter((line) => line.startsWith('|'))).toMatchInlineSnapshot(`
      [
        "| Metric | Base | New | Change | 95 % interval | p | Verdict | Remark |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |",
        "| chat-stream TTFT p50 ms | 200 | 250 | +25.0 % | &#91;+23.0, +27.0&#93; | &#60;0.001 | ❌ regression |  |",
        "| chat-stream TPOT p50 ms | 200 | 201 | +0.5 % | &#91;−1.0, +2.0&#93; | 0.800 | ⚠️ inconclusive | 1 of the new runs has no value; 12 repetitions per side would decide |",
        "| chat-stream End to end p50 ms | 200 | 201 | +0.5 % | &#91;−1.0, +2.0&#93; | 0.800 | ✅ same |  |",
        "| all traffic Answers 429 % | 10.00 | 0.00 | −10.0 pt | &#91;−13.0, −7.0&#93; | &#60;0.001 | ✅ improvement |  |",
      ]
    `);
  });

  it('prevents hostile text from starting a tag', () => {
    expect(text).not.toMatch(/<[a-z/]/i);
  });
});

describe('a comparison as JUnit', () => {
  const junit = (strict: boolean) => comparisonJunit(sampleComparison(), strict);
  it('has a case for each gated metric: a regression fails, an undecided metric is skipped', () => {
    expect(junit(false)).toContain('tests="4" failures="1" errors="0" skipped="1"');
    expect(junit(false)).toMatch(
      /name="chat-stream TTFT p50" time="0"><failure message="200 to 250/,
    );
    expect(junit(false)).toContain('12 repetitions per side would decide');
  });

  it('fails an undecided metric if strict', () => {
    expect(junit(true)).toContain('tests="4" failures="2" errors="0" skipped="0"');
  });
});

describe('a comparison as a page', () => {
  const page = htmlPage(comparisonDocument(sampleComparison()), '.a { color: red; }');
  it('can load and run nothing', () => {
    expect(page).toContain("default-src 'none'; style-src 'sha256-");
    expect(page).not.toMatch(/<(script|link|img|iframe)|<[^>]*\s(src|style|on\w+)=/i);
  });

  it('draws each gated ratio once for wide and once for narrow screens, with its verdict in words', () => {
    expect(page.match(/class="interval /g)).toHaveLength(2 * 3);
    expect(page).toContain(
      '<title>chat-stream TTFT p50: +25.0 % [+23.0, +27.0], regression</title>',
    );
    expect(page.match(/<circle/g)).toHaveLength(2 * 30);
  });

  it('names all runs of both sides', () => {
    expect(page).toContain('main/5/result.json');
    expect(page).toContain('/5/result.json</code>');
  });
});
