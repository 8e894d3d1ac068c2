import { describe, expect, it } from 'vitest';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import {
  objectiveFindingText,
  goodputSentence,
  objectiveOutcome,
  objectivesOutcome,
  objectivesSentence,
  undecidedSentences,
} from './objective-text.ts';

describe('the text for an objective', () => {
  it.each([
    [{}, '684 ms (95 %: 566 ms to 746 ms), n 760'],
    [
      { ruling: 'fail', grounds: 'broken', high: null, sure: false },
      '684 ms (95 %: 566 ms to …), n 760; not sure: the bound is near, or the run is short',
    ],
    [
      {
        text: 'ttft.p95{stage=a.mean} < 600ms',
        ruling: 'fail',
        grounds: 'broken',
        high: null,
        sure: false,
      },
      '684 ms (95 %: 566 ms to …), n 760; not sure: the bound is near, or the run is short',
    ],
    [
      { low: null, high: null, sure: false, effective: 12 },
      '684 ms, n 760; not sure: 760 requests that depend on each other count as at most 12 independent ones',
    ],
    [{ observed: 0.42, unit: '%', low: 0.1, high: 1.5 }, '0.42 % (95 %: 0.10 % to 1.50 %), n 760'],
    [{ observed: 2.4, unit: '/s', n: null, low: null, high: null, sure: null }, '2.40/s'],
    [{ observed: 1, unit: '', n: null, low: null, high: null, sure: null }, '1 arrival'],
    [{ observed: 12_345, unit: 'µ', low: null, high: null, sure: null }, '0.012345, n 760'],
    [{ observed: 420, unit: 'ms/s', low: null, high: null, sure: null }, '0.42×, n 760'],
    [{ observed: 64_000, unit: 'bytes', low: null, high: null, sure: null }, '64.0 kB, n 760'],
    [
      { ruling: 'fail', grounds: 'broken', observed: null, low: 3148, high: null },
      '∞ (95 %: 3,148 ms to …), n 760; fewer than 95 % completed',
    ],
    [
      { grounds: 'aborted', statistic: 0.5, observed: null, low: null, high: null },
      '∞, n 760; fewer than 50 % completed; the run was stopped because of it',
    ],
    [
      { statistic: 0.999, observed: null, low: null, high: null },
      '∞, n 760; fewer than 99.9 % completed',
    ],
    // Old results do not name the statistic.
    [
      { statistic: undefined, observed: null, low: null, high: null },
      '∞, n 760; too few completed',
    ],
    [
      { statistic: 'mean', ruling: 'fail', grounds: 'broken', high: null, sure: false },
      '684 ms (95 %: 566 ms to …), n 760; not sure: the bound is near, or rarer answers, up to their deadline, can move the mean there',
    ],
    [
      { observed: 144, low: 144, high: null, sure: false, failed: 40 },
      '144 ms (95 %: 144 ms to …), n 760; not sure: 40 of 760 failed, and each counts as infinitely slow',
    ],
    [{ grounds: 'no-data', n: 26 }, 'too little data: 26 samples, at least 200 needed'],
    [
      { grounds: 'no-data', n: 12, minSamples: 24 },
      'too little data: 12 samples, at least 24 needed, some 200 to be sure',
    ],
    [{ grounds: 'no-data', n: 0, observed: null }, 'no data: no samples'],
    [{ grounds: 'no-data', n: 1, unit: '%' }, 'too little data: 1 arrival, at least 200 needed'],
    [
      { grounds: 'no-data', text: 'server.cacheUse.max < 90%', n: 0, observed: null, unit: '%' },
      'no data: too few readings of the server have this figure',
    ],
    [
      { grounds: 'never-given', n: 0, observed: null },
      'no data: the server never gave this figure',
    ],
    [
      { grounds: 'no-data', n: null, observed: null },
      'no data: nothing was reported, or no whole second was measured',
    ],
    [
      { grounds: 'aborted', low: null, high: null, sure: null },
      '684 ms, n 760; the run was stopped because of it',
    ],
    [
      { grounds: 'unfit', low: null, high: null },
      '684 ms, n 760; undecided: the load was not as planned',
    ],
    [
      { grounds: 'within-error', error: { low: 672, high: 684 } },
      '684 ms (95 %: 566 ms to 746 ms), n 760; undecided: the measurement error of up to 12.0 ms spans the bound',
    ],
    [
      { grounds: 'incomplete', low: null, high: null },
      '684 ms, n 760; undecided: a slice of the run is missing',
    ],
    [
      { grounds: 'partial', low: null, high: null },
      '684 ms, n 760; undecided: the run was stopped before the end of its plan',
    ],
    [
      { grounds: 'unsure', sure: null, low: null, high: null },
      '684 ms, n 760; not sure: the run is too short for an interval',
    ],
    [
      { weak: true, sure: false },
      '~684 ms (95 %: 566 ms to 746 ms), n 760; not sure: too few independent answers for a mean of such times; bound a percentile',
    ],
    [
      { sure: false, effective: 200 },
      '684 ms (95 %: 566 ms to 746 ms), n 760; not sure: the bound is near, or the run is short',
    ],
    [
      { n: null, sure: false, effective: 3, failed: 2, low: 566 },
      '684 ms (95 %: 566 ms to 746 ms); not sure: the bound is near, or the run is short',
    ],
    [
      { excluded: 1 },
      '684 ms (95 %: 566 ms to 746 ms), n 760; without 1 429 that the declared limits explain',
    ],
    [
      { excluded: null },
      '684 ms (95 %: 566 ms to 746 ms), n 760; all 429s count, since it is unknown which of them a limit explains',
    ],
    [
      {
        unit: '%',
        observed: 50,
        low: null,
        high: null,
        unreported: 240,
        error: { low: 38, high: 62 },
      },
      '50.0 %, n 760; 240 of 1,000 answers did not report it, 38.0 % to 62.0 % with them',
    ],
    [
      { unit: '%', observed: 50, low: null, high: null, unreported: 1, grounds: 'unreported' },
      '50.0 %, n 760; undecided: 1 of 761 answers did not report it, 0 % to 100 % with them',
    ],
    [
      { grounds: 'no-data', n: 3, text: 'cacheHits >= 1%', unit: '%' },
      'too little data: 3 answers, at least 200 needed',
    ],
    [{ grounds: 'no-data', n: 0, unit: '%' }, 'no data: no arrivals'],
    [
      { grounds: 'no-data', n: 5, text: 'server.x < 1' },
      'too little data: 5 samples, at least 200 needed',
    ],
    [
      { grounds: 'no-data', n: 5, statistic: 'mean' },
      'too little data: 5 samples, at least 200 needed',
    ],
    [{ observed: 9999, unit: 'bytes', low: null, high: null }, '9,999 bytes, n 760'],
    [{ observed: 2.5, unit: 'number', low: null, high: null }, '2.50, n 760'],
    [{ observed: null, n: null, low: null, high: null }, '–'],
    [
      { grounds: 'within-error', observed: null, low: null, high: null },
      '∞, n 760; undecided: the measurement error spans the bound',
    ],
    [
      { grounds: 'within-error', error: { low: 684, high: 700 } },
      '684 ms (95 %: 566 ms to 746 ms), n 760; undecided: the measurement error of up to 16.0 ms spans the bound',
    ],
    [
      { grounds: 'within-error', error: { low: 672, high: null } },
      '684 ms (95 %: 566 ms to 746 ms), n 760; undecided: the measurement error, which is unbounded, spans the bound',
    ],
  ] as const)('%o', (differing, text) => {
    expect(objectiveFindingText(sampleVerdict(differing))).toBe(text);
  });

  it('a broken objective that is only reported is a warning', () => {
    const broken = { ruling: 'fail', grounds: 'broken' } as const;
    expect(objectiveOutcome(sampleVerdict(broken))).toBe('broken');
    expect(objectiveOutcome(sampleVerdict({ ...broken, severity: 'warn' }))).toBe('warning');
  });

  it('all of them have one sentence, and the worst outcome is named', () => {
    const kept = sampleVerdict();
    const broken = sampleVerdict({ ruling: 'fail', grounds: 'no-data' });
    const open = sampleVerdict({ ruling: 'inconclusive', grounds: 'partial' });
    expect(objectivesSentence([])).toBeNull();
    expect(objectivesSentence([kept])).toBe('1 of 1 objective kept');
    expect(objectivesSentence([kept, broken, open])).toBe(
      '1 of 3 objectives kept, 1 with too little data, 1 undecided',
    );
    expect(objectivesSentence([kept, { ...kept, sure: false }])).toBe(
      '2 of 2 objectives kept (1 not sure)',
    );
    expect(objectivesOutcome([])).toBeNull();
    expect(objectivesOutcome([kept, open, broken])).toBe('broken');
    expect(objectivesOutcome([kept, open])).toBe('undecided');
    expect(objectivesOutcome([kept])).toBe('kept');
  });

  it('what a run decides nothing about has a sentence for each reason', () => {
    const open = (text: string, grounds: 'within-error' | 'partial' | 'unsure') =>
      sampleVerdict({ text, grounds, ruling: 'inconclusive' });
    const many = ['a', 'b', 'c', 'd', 'e'].map((text) => open(text, 'within-error'));
    expect(undecidedSentences([sampleVerdict(), ...many, open('f', 'unsure')])).toEqual([
      'This run decides nothing about a, b, c and 2 others: the load generator can have moved what it measured across the bound; run again on a quieter machine.',
      'This run decides nothing about f: the figure can be on either side of the bound; run longer.',
    ]);
    expect(undecidedSentences([open('a', 'unsure')], 0)).toEqual([
      'This run decides nothing about 1 objective: the figure can be on either side of the bound; run longer.',
    ]);
    // The sentence on the run says that it was stopped.
    expect(undecidedSentences([sampleVerdict(), open('a', 'partial')])).toEqual([]);
  });

  it('goodput is of all arrivals due after the warm-up', () => {
    const result = sampleRunResult();
    expect(goodputSentence(result)).toBeNull();
    const scope = { traffic: null, model: null, key: null, stages: null };
    const held = { measure: 'ttft', scope, comparison: '<', bound: 500 } as const;
    const perRequest = [
      { ...held, text: 'ttft < 500ms' },
      { ...held, text: 'e2e < 5s', measure: 'endToEnd' as const },
    ];
    const groups = result.groups.map((group) => ({
      ...group,
      good: { all: group.labels.warmUp ? 1000 : 10, each: [20, 30] },
    }));
    const measured = groups.filter(({ labels }) => !labels.warmUp).length;
    const sentence = goodputSentence({ ...result, groups, plan: { ...result.plan, perRequest } });
    expect(sentence).toBe(
      `Goodput: ${((measured * 1000) / 1400).toFixed(1)} %. ${measured * 10} of 1,400 arrivals due kept all of: ttft < 500ms ${((measured * 2000) / 1400).toFixed(1)} %, e2e < 5s ${((measured * 3000) / 1400).toFixed(1)} %.`,
    );
    const limits = { keys: [], judged: false, violated: false, explained: 400 };
    const plan = { ...result.plan, perRequest };
    expect(goodputSentence({ ...result, groups, plan, limits })).toBe(
      `${sentence} Quota-normalised: ${measured.toFixed(1)} %, leaving out 400 429s that the declared limits explain.`,
    );
  });
});
