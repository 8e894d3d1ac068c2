import { expect, it } from 'vitest';
import type { ComparedMetric } from '../../../model/series/compared-metric.ts';
import { comparisonVerdictText, remarkText } from './comparison-text.ts';
import { sampleComparison } from './sample-comparison.fixture.ts';

type Effect = NonNullable<ComparedMetric['effect']>;

const sampleMetric = sampleComparison().metrics[0]!;

/** An undecided metric that no number of repetitions would decide. */
const undecided = (effect: Partial<Effect>): ComparedMetric => ({
  ...sampleMetric,
  verdict: 'inconclusive',
  needed: null,
  remark: null,
  effect: { ...sampleMetric.effect!, ...effect },
});

const byError =
  /^not even 1,000 repetitions .*: with the load generator’s own error, .* only more than ±/;
const tooNear =
  'not even 1,000 repetitions per side would decide: the change is too near the minimum effect';

it.each([
  ['a slower latency within the error', { change: 1.3, relevant: 1.1, least: 1.67 }],
  ['a faster latency within the error', { change: 1 / 1.3, relevant: 1.1, least: 1.67 }],
  ['a rate, whose minimum effect is smaller', { change: 0.92, relevant: 1.05, least: 1.155 }],
])('%s is undecided by the load generator’s own error', (_, effect) => {
  expect(remarkText(undecided(effect))).toMatch(byError);
});

it.each([
  ['below its minimum effect', { change: 1.08, relevant: 1.1, least: 1.67 }],
  [
    'below a minimum effect in ms, without an error',
    { change: 1.495, relevant: 1.5, least: 1.501 },
  ],
  ['beyond both', { change: 1.7, relevant: 1.1, least: 1.67 }],
  ['of an earlier version, which did not say', { change: 1.3, relevant: undefined, least: 1.67 }],
])('a change %s is too near the minimum effect', (_, effect) => {
  expect(remarkText(undecided(effect))).toBe(tooNear);
});

it('a verdict asks for a quieter machine only if the error keeps a change undecided', () => {
  const verdictOf = (effect: Partial<Effect>) =>
    comparisonVerdictText(
      sampleComparison({ verdict: 'inconclusive', metrics: [undecided(effect)] }),
    );
  expect(verdictOf({ change: 1.3, relevant: 1.1, least: 1.67 })).toContain('use a quieter machine');
  expect(verdictOf({ change: 1.08, relevant: 1.1, least: 1.67 })).not.toContain('quieter machine');
});

it('fewer repetitions than the rules ask for decide nothing, and the text names the number of the rules', () => {
  const sample = sampleComparison();
  const [run] = sample.base.runs;
  const textOf = (runs: number, rules: Readonly<Record<string, number>>): string =>
    comparisonVerdictText({
      ...sample,
      verdict: 'inconclusive',
      rules,
      metrics: [{ ...undecided({}), gated: true, needed: 9 }],
      base: { ...sample.base, runs: Array<typeof run>(runs).fill(run) as typeof sample.base.runs },
      next: { ...sample.next, runs: Array<typeof run>(9).fill(run) as typeof sample.next.runs },
    });
  const fewer = (least: number) => `Fewer than ${least} repetitions per side decide nothing`;
  expect(textOf(6, { repetitions: 7 })).toContain(fewer(7));
  expect(textOf(7, { repetitions: 7 })).not.toContain('Fewer');
  expect(textOf(4, {})).toContain(fewer(5));
  expect(textOf(5, {})).not.toContain('Fewer');
});
