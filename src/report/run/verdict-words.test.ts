import { describe, expect, it } from 'vitest';
import type { KeyLimits } from '../../model/limits/run-limits.ts';
import type { LimitFinding } from '../../model/limits/limit-log.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import {
  degradedTrust,
  invalidTrust,
  sampleSignal,
  uncertainGap,
  validTrust,
} from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { markdownText } from '../document/markdown-writer.ts';
import { markup } from '../text/markup.ts';
import {
  failedText,
  limitsVerdict,
  needsAdvice,
  objectiveLine,
  objectivesSection,
  runIntroduction,
  verdictTone,
} from './verdict.ts';

const result: Result = { ...sampleRunResult(), notes: [] };
const clean: Result = { ...result, failures: [] };
const fail = { ruling: 'fail', grounds: 'broken' } as const;
const open = { ruling: 'inconclusive', grounds: 'within-error' } as const;

const zero = { exact: 0, conservative: 0, deceptive: 0, unknown: 0, absent: 0 };
const refusals: KeyLimits['refusals'] = {
  count: 3,
  first: 0,
  last: 1,
  units: { requests: 1, tokens: 2 },
  forms: {},
  retryAfter: zero,
  resetTime: zero,
  stretches: 1,
  longestStretch: null,
};
const keyOf = (
  key: string,
  findings: readonly (readonly [id: string, finding: LimitFinding])[],
  differing: Partial<KeyLimits> = {},
): KeyLimits => ({
  key,
  requests: { least: 1, most: 1 },
  tokens: { least: 1, most: 1 },
  refusals,
  explainedBy: null,
  checks: findings.map(([id, finding]) => {
    const said = { claim: '', section: null, evidence: [], observed: `${id} was seen` };
    return { ...said, id, finding, violates: id.endsWith('-kept') };
  }),
  ...differing,
});
const judged = (
  keys: readonly KeyLimits[],
  limiter: Result['plan']['limits']['limiter'] = 'any',
): Result => ({
  ...clean,
  limits: { keys, judged: true, violated: false },
  plan: { ...clean.plan, limits: { requestsPerMinute: 60, tokensPerMinute: 100, limiter } },
});
const [r, t] = ['requests-kept', 'tokens-kept'];

describe('the verdict on limits', () => {
  it('is only given if the scenario asks for it', () => {
    expect(limitsVerdict(clean)).toBeNull();
    const limits = { keys: [keyOf('a', [[r, 'refuted']])], judged: false, violated: false };
    expect(limitsVerdict({ ...clean, limits })).toBeNull();
  });

  it.each([
    [
      judged([
        keyOf('a', [
          [r, 'refuted'],
          ['names', 'refuted'],
        ]),
        keyOf('b', [[t, 'refuted']]),
      ]),
      'bad',
      'Limits violated (any limiter permitted): a: requests-kept, b: tokens-kept.',
    ],
    [
      judged([keyOf('a', [[r, 'refuted']])], 'sliding-log'),
      'bad',
      'Limits violated (a sliding-log permitted): a: requests-kept.',
    ],
    [
      judged([]),
      'warning',
      'Limits undecided: nothing was sent, or slices are missing or have no common clock.',
    ],
    [
      judged([
        keyOf('a', [
          [r, 'proved'],
          [t, 'proved'],
        ]),
      ]),
      'good',
      'Limits kept: 2 of 2 claims proved, none refuted (any limiter permitted).',
    ],
    [
      judged(
        [
          keyOf('a', [
            [r, 'proved'],
            [t, 'undecided'],
            ['names', 'proved'],
          ]),
        ],
        'in-flight',
      ),
      'warning',
      'No limit violated, some undecided: 1 of 2 claims proved, none refuted (a in-flight permitted).',
    ],
    [
      judged([keyOf('a', [[r, 'proved']], { refusals: { ...refusals, units: { requests: 1 } } })]),
      'good',
      'Limit of requests kept, that of tokens refused nothing: 1 of 1 claim proved, none refuted (any limiter permitted).',
    ],
  ] as const)('the limits in row %# have their words and tone', (each, tone, text) => {
    expect(limitsVerdict(each)).toEqual({ tone, text });
  });

  it('names the fullest minute of each limit, and says that another limit may have refused', () => {
    const full = (requests: number, tokens: number): Partial<KeyLimits> => ({
      requests: { least: requests, most: null },
      tokens: { least: tokens, most: null },
    });
    const proved = [[r, 'proved']] as const;
    const keys = [keyOf('a', proved, full(61, 150)), keyOf('b', proved, full(90, 101))];
    expect(limitsVerdict(judged(keys))).toEqual({
      tone: 'warning',
      text: 'No limit violated, but one minute had 90 requests of 60 and 150 tokens of 100, which a limiter of the limit can admit (a fixed window, or charges that come with the answers), and a higher limit too: 2 of 2 claims proved, none refuted (any limiter permitted).',
    });
    for (const id of [
      'refused-only-when-full',
      'tokens-refused-early',
      'tokens-refused-only-when-full',
      'refusal-names-limit',
    ])
      expect(
        limitsVerdict(
          judged([
            keyOf('a', [
              [r, 'proved'],
              [id, 'refuted'],
            ]),
          ]),
        ),
      ).toEqual({
        tone: 'warning',
        text: `No limit violated, but ${id} was seen.`,
      });
    const other = judged([
      keyOf('a', [
        [r, 'proved'],
        ['names', 'refuted'],
      ]),
    ]);
    expect(limitsVerdict(other)?.tone).toBe('good');
  });
});

describe('what failed most', () => {
  const failure = result.failures.find(({ outcome }) => outcome === 'limited')!;
  it('is said with the kind of traffic, if there was one', () => {
    expect(failedText(clean)).toBeNull();
    expect(failedText({ ...result, failures: [failure] })).toBe(
      '449 of 1,600 requests failed: chat-stream limited, 429 rate_limit_exceeded.',
    );
    const both: Result['failures'] = [failure, { ...failure, traffic: 'chat', count: 1 }];
    expect(failedText({ ...result, failures: both })).toBe(
      '450 of 1,600 requests failed: limited, 429 rate_limit_exceeded.',
    );
    const verdicts = [sampleVerdict()];
    expect(failedText({ ...result, failures: both, verdicts })).toBeNull();
    const mixed = [...verdicts, sampleVerdict({ ...fail, severity: 'warn' })];
    expect(failedText({ ...result, failures: both, verdicts: mixed })).toMatch(/^450 of/);
  });

  it('leaves out requests on which the client hung up', () => {
    const [group] = result.groups;
    const groups = [{ ...group!, outcomes: { ...group!.outcomes, completed: 100, cancelled: 7 } }];
    const { completed: _, cancelled: __, ...others } = group!.outcomes;
    const rest = Object.values(others).reduce((sum, count) => sum + count, 0);
    expect(failedText({ ...result, groups, failures: [failure] })).toMatch(
      `449 of ${100 + rest} requests failed`,
    );
  });
});

describe('the introduction of a report', () => {
  const words = (each: Result, trust = validTrust): readonly string[] =>
    runIntroduction(each, trust).flatMap((block) => {
      const media = block.media === undefined ? '' : `${block.media.join('+')}: `;
      if (block.kind === 'text') return [`${media}${block.tone}: ${block.text}`];
      if (block.kind === 'list')
        return block.items.map(({ text, tone }) => `${media}${tone}: ${text}`);
      if (block.kind !== 'picture') return [];
      return [`picture: ${markup`${block.html()}`.markup.replaceAll(/<[^>]*>/g, '')}`];
    });
  const exact =
    'plain: All headline figures are exact: the load generator moved none by more than 5 % or 1 ms, or out of its interval.';
  const page = 'terminal+markdown: plain: What now: reports/what-now.md.';
  const evidence = 'see the evidence, and reports/what-now.md of Weir for all remedies.';
  const trustWith = (...signals: Parameters<typeof sampleSignal>[0][]) => ({
    ...degradedTrust,
    figures: validTrust.figures,
    evidence: signals.map((signal) => sampleSignal(signal)),
  });

  it('has nothing but how exact the figures are, if all is well', () => {
    expect(words(clean)).toEqual([exact]);
    expect(words({ ...clean, notes: ['A note.'] })).toEqual([exact, 'plain: A note.']);
  });

  it('names up to five objectives that are not kept', () => {
    const verdicts = [
      sampleVerdict(),
      ...['a', 'b', 'c', 'd', 'e'].map((text) => sampleVerdict({ ...fail, text })),
      sampleVerdict({ ...fail, text: 'f', severity: 'warn' }),
    ];
    const finding = '684 ms (95 %: 566 ms to 746 ms), n 760';
    expect(words({ ...clean, verdicts })).toEqual([
      ...['a', 'b', 'c', 'd', 'e'].map((name) => `html: bad: ✗ ${name}: ${finding}`),
      'html: plain: And 1 other objective.',
      exact,
    ]);
    expect(words({ ...clean, verdicts: verdicts.slice(0, 6) })).not.toContain(
      'html: plain: And 0 other objectives.',
    );
    expect(objectiveLine(verdicts.at(-1)!)).toEqual({ tone: 'warning', text: `! f: ${finding}` });
    expect(objectiveLine(sampleVerdict())).toMatchObject({ tone: 'good' });
    expect(objectiveLine(sampleVerdict(open))).toMatchObject({ tone: 'quiet' });
  });

  it('says first what to do about failures and samples that are too few', () => {
    const [failure] = result.failures;
    const starved = { ...fail, grounds: 'no-data', n: 3 } as const;
    const limited = { ...result, failures: [{ ...failure!, outcome: 'limited', traffic: 'chat' }] };
    const step = (each: Partial<Result>): string | undefined =>
      words({ ...clean, ...each }).find((line) => line.startsWith('picture: What now'));
    expect(step({ ...limited, verdicts: [sampleVerdict(starved)] } as Partial<Result>)).toBe(
      `picture: What now: the key is at its limit: lower the rate, or let requests wait with --set pace={}; ${evidence}`,
    );
    const infinite = sampleVerdict({ ...open, sure: false, failed: 3 });
    expect(step({ verdicts: [infinite] })).toBe(
      `picture: What now: mend what fails first: each failure counts as infinitely slow; ${evidence}`,
    );
    expect(step({ verdicts: [sampleVerdict({ ...open, error: { low: 1, high: 2 } })] })).toBe(
      `picture: What now: ${evidence}`,
    );
    const { failures } = limited as Result;
    expect(step({ failures, verdicts: [sampleVerdict(open)] })).toBe(
      `picture: What now: ${evidence}`,
    );
    expect(step({ verdicts: [sampleVerdict({ ...starved, n: 199 })] })).toBe(
      `picture: What now: a longer run decides more: ttft.p95{stage=peak} &lt; 800ms has 199 samples, and a sure p95 needs some 200; ${evidence}`,
    );
    for (const enough of [{ n: 200 }, { n: 300, effective: 200 }, { n: null }])
      expect(step({ verdicts: [sampleVerdict({ ...starved, ...enough })] })).toBe(
        `picture: What now: a longer run decides more: weir plan says how many samples each objective needs; ${evidence}`,
      );
  });

  it('lists why a load is not as planned, then inexact figures and possible causes', () => {
    const trust = trustWith(
      {
        signal: 'clock',
        level: 'degraded',
        observed: 'late',
        expected: 'early',
        advice: 'Set it.',
      },
      { level: 'degraded', advice: 'Use more workers.' },
      { signal: 'x', decides: false, level: 'degraded', observed: '1 ms; and more' },
      { signal: 'y', decides: false, level: 'invalid', observed: '2 ms (much)' },
      { signal: 'z', decides: false, observed: 'fine' },
    );
    expect(words(clean, trust)).toEqual([
      `picture: What now: clock: set it; ${evidence}`,
      'plain: A part of the load was not as planned, or is not verified: clock.',
      exact,
      'terminal+markdown: warning: degraded: clock, late (healthy: early). Set it.',
      'terminal+markdown: warning: For exact figures: use more workers.',
      'terminal+markdown: plain: Possible causes: x (1 ms), y (2 ms).',
      page,
    ]);
    const bad = { signal: 'start lag', level: 'invalid', observed: 'o', expected: 'e' } as const;
    const invalid = trustWith({ ...bad, advice: null }, { level: 'degraded', advice: 'Use more.' });
    expect(words(result, { ...invalid, level: 'invalid' })).toEqual([
      'plain: Requests began too late, so the figures do not count.',
      'plain: Chunk gaps are withheld, since they would look better than they were.',
      'picture: 492 of 1,600 requests failed, 449 of them alike: chat-stream limited, 429 rate_limit_exceeded. What failed?',
      'terminal+markdown: bad: invalid: start lag, o (healthy: e).',
      page,
      `picture: What now: ${evidence}`,
    ]);
  });

  it('advises only if something is not certain', () => {
    const advised = (verdicts: Result['verdicts'], trust = validTrust): boolean =>
      needsAdvice({ ...clean, verdicts }, trust);
    expect(advised(undefined)).toBe(false);
    expect(advised(undefined, degradedTrust)).toBe(true);
    expect(advised([sampleVerdict(), sampleVerdict(fail)])).toBe(false);
    expect(advised([sampleVerdict(), sampleVerdict({ ...fail, grounds: 'no-data' })])).toBe(true);
    expect(advised([sampleVerdict(open)])).toBe(true);
  });
});

describe('the tone of a verdict', () => {
  it.each([
    [clean, validTrust, 'good'],
    [result, validTrust, 'plain'],
    [{ ...result, verdicts: [sampleVerdict()] }, validTrust, 'good'],
    [{ ...clean, verdicts: [sampleVerdict(open)] }, validTrust, 'warning'],
    [{ ...clean, verdicts: [sampleVerdict({ ...fail, severity: 'warn' })] }, validTrust, 'warning'],
    [{ ...clean, verdicts: [sampleVerdict(fail)] }, validTrust, 'bad'],
    [judged([keyOf('a', [[r, 'refuted']])]), validTrust, 'bad'],
    [judged([]), validTrust, 'good'],
    [clean, invalidTrust, 'bad'],
    [clean, { ...degradedTrust, figures: [{ ...uncertainGap, high: 40 }] }, 'warning'],
  ] as const)('the verdict in row %# has its tone', (each, trust, tone) => {
    expect(verdictTone(each as Result, trust)).toBe(tone);
  });
});

it('the section on objectives has each verdict, its interval and its reason', () => {
  const verdicts = [
    sampleVerdict({ sure: false }),
    sampleVerdict({
      ...fail,
      text: 'b',
      grounds: 'no-data',
      n: 3,
      observed: 12,
      low: null,
      high: null,
    }),
    sampleVerdict({ ...fail, text: 'c', severity: 'warn', unit: '', n: null, observed: 2 }),
    sampleVerdict({ ...open, text: 'd', error: { low: 1, high: 700 } }),
    sampleVerdict({ ...open, text: 'e', grounds: 'unfit' }),
  ];
  const made = objectivesSection({ ...clean, verdicts });
  const text = markdownText({ weir: '', title: '', blocks: [made], footer: '' });
  expect(text).toMatchInlineSnapshot(`
    "## Weir: 

    ### Objectives

    **❌ 1 of 5 objectives kept (1 not sure), 1 with too little data, 1 broken as warnings, 2 undecided.**

    | Objective | Verdict | Observed | 95 % interval | n | Remark |
    | --- | --- | ---: | ---: | ---: | --- |
    | ttft.p95{stage=peak} &#60; 800ms | ✅ kept | 684 ms | 566 ms to 746 ms | 760 | not sure: the bound is near, or the run is short |
    | b | ❌ too little data | 12.0 ms | – | 3 | 3 samples, at least 200 needed |
    | c | ⚠️ warning | 2 arrivals | 566 arrivals to 746 arrivals | – |  |
    | d | ❔ undecided | 684 ms | 566 ms to 746 ms | 760 | the measurement error of up to 683 ms spans the bound |
    | e | ❔ undecided | 684 ms | 566 ms to 746 ms | 760 | the load was not as planned |

    "
  `);
  expect(made.blocks.at(-1)).toMatchObject({ media: ['html'], tone: 'quiet' });
  expect(objectivesSection(clean).blocks).toHaveLength(2);
});
