import { describe, expect, it } from 'vitest';
import { measures } from '../model/measures.ts';
import { kindFigures, kindsPresent, lagFigures, ratesOf } from './figures.ts';
import { sampleResult } from './sample-result.ts';
import { reportedPlan, sampleObservations } from './sample-run.ts';
import { invalidTrust, validTrust } from './sample-trust.ts';

const result = sampleResult();
const kept = sampleObservations().filter(({ due }) => due >= reportedPlan.warmUp);

describe('figures', () => {
  it('agree with the sorted samples of all requests that were due after the warm-up', () => {
    const samples = kept.flatMap((each) => [...measures.ttft.of(each)]).toSorted((a, b) => a - b);
    const ttft = kindFigures(result, validTrust, 'chat-stream').headline[0]!;
    expect(ttft.subject.short).toBe('TTFT');
    expect(ttft.n).toBe(samples.length);
    for (const { q, value } of ttft.quantiles) {
      const exact = samples[Math.ceil(samples.length * q) - 1]!;
      expect(Math.abs(value - exact) / exact).toBeLessThan(0.001);
    }
  });

  it('come with the most frequent traffic first', () => {
    expect(kindsPresent(result)).toEqual(['chat-stream', 'chat', 'models']);
  });

  it('of chunk gaps are withheld when the generator was not valid, and only then', () => {
    const withheld = (trust: typeof validTrust): readonly string[] =>
      kindFigures(result, trust, 'chat-stream')
        .headline.filter((row) => row.withheld)
        .map(({ subject }) => subject.short);
    expect(withheld(invalidTrust)).toEqual(['Chunk gap', 'Longest stall']);
    expect(withheld(validTrust)).toEqual([]);
  });

  it('of the lag leave the warm-up out', () => {
    expect(lagFigures(result)?.n).toBe(kept.length);
  });

  it('per second divide by the measured window and never mix token sources', () => {
    const completed = kept.filter(({ outcome }) => outcome.kind === 'completed').length;
    const [group, ...others] = result.groups;
    const guessed = {
      source: 'events' as const,
      answers: 3,
      answersWithInput: 0,
      input: 0,
      output: 90,
    };
    const labels = { ...group!.labels, warmUp: false };
    const rates = ratesOf({
      ...result,
      groups: [{ ...group!, labels, tokens: [guessed] }, ...others],
    });
    expect(ratesOf(result)).toMatchObject({
      seconds: 50,
      offered: kept.length / 50,
      completed: completed / 50,
    });
    expect(rates?.tokens.map(({ source }) => source)).toEqual(['usage', 'events']);
    expect(rates?.tokens[1]).toEqual({
      source: 'events',
      answers: 3,
      input: null,
      output: 90 / 50,
    });
  });

  it('per second are absent when the whole run was warm-up', () => {
    expect(ratesOf({ ...result, scheduled: result.plan.warmUp })).toBeNull();
  });
});
