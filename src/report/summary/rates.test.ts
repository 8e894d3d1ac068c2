import type { Group, TimelineSecond } from '../../model/measures/counts.ts';
import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { emptyOutcomeCounts, emptySecond } from '../../model/measures/outcome-counts.ts';
import { measuredRates, rateSentences, sourcesText, wholeRunRates } from './rates.ts';
import { sampleReportPlan } from '../fixtures/sample-plan.fixture.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleObservations } from '../fixtures/sample-observations.fixture.ts';

const result = sampleRunResult();
const observations = sampleObservations();
const done = observations.filter(({ outcome }) => outcome.kind === 'completed');
const within = (moment: number): boolean => moment >= 10_000 && moment < 60_000;

/** Five users for five seconds, each of whose answers takes 4.2 s: five come in the load, five in its drain. */
const draining = (): Result => {
  const empty: TimelineSecond = { ...emptySecond(0), latency: {} };
  const asked = { due: 5, begun: 5, sent: 5 };
  const answered = {
    ended: 5,
    outcomes: { ...emptyOutcomeCounts(), completed: 5 },
    completed: { chat: 5 },
    inputTokens: 50,
    outputTokens: 100,
  };
  const answers = emptyHistogram(2);
  answers.record(4200, 5);
  const timeline = Array.from({ length: 9 }, (_, second): TimelineSecond => ({
    ...empty,
    latency: second === 0 || second === 4 ? { chat: { endToEnd: answers.toJSON() } } : {},
    ...(second === 0 || second === 4 ? asked : {}),
    ...(second === 4 || second === 8 ? answered : {}),
    second,
  }));
  const group: Group = {
    ...result.groups.find(({ labels }) => labels.traffic === 'chat')!,
    outcomes: { ...emptyOutcomeCounts(), completed: 10 },
    sent: 10,
    tokens: [{ source: 'usage', answers: 10, answersWithInput: 10, input: 100, output: 200 }],
  };
  return {
    ...result,
    plan: { ...sampleReportPlan, warmUp: milliseconds(0) },
    scheduled: milliseconds(5000),
    ended: milliseconds(8400),
    groups: [group],
    timeline,
  };
};

describe('rates', () => {
  it('of the measured window exclude the drain, except for answers to what was due before it', () => {
    expect(measuredRates(draining())).toEqual({
      seconds: 5,
      offered: 2,
      sent: 2,
      completed: 2,
      ended: 1,
      completedByKind: [{ kind: 'chat', completed: 2 }],
      inputTokens: 10,
      outputTokens: 20,
    });
  });

  it('of the whole run include the drain and its time', () => {
    const { seconds, sent, completed, tokens } = wholeRunRates(draining())!;
    expect(seconds).toBe(8.4);
    expect([sent, completed]).toEqual([10 / 8.4, 10 / 8.4]);
    expect(tokens).toEqual([{ source: 'usage', answers: 10, input: 100 / 8.4, output: 200 / 8.4 }]);
  });

  it('are distinguished in words', () => {
    expect(rateSentences(draining())).toMatchInlineSnapshot(`
      [
        "Over the 5 s measured: 2.00/s offered, 2.00/s sent, 2.00/s completed, only 1.00/s before the load ended; tokens 10.0/s in, 20.0/s out (counted by the server).",
        "Over the whole run of 8.4 s: 1.19/s sent, 1.19/s completed; tokens 11.9/s in, 23.8/s out (counted by the server, 10 answers).",
      ]
    `);
  });

  it('agree with the observations, answers counted when their request was due', () => {
    const rates = measuredRates(result)!;
    expect(rates.seconds).toBe(50);
    expect(rates.offered).toBe(observations.filter(({ due }) => within(due)).length / 50);
    expect(rates.sent).toBe(
      observations.filter(({ sent }) => sent !== null && within(sent)).length / 50,
    );
    expect(rates.completed).toBe(done.filter(({ due }) => within(due)).length / 50);
    for (const { kind, completed } of rates.completedByKind) {
      const own = done.filter(({ traffic, due }) => traffic === kind && within(due));
      expect([kind, completed]).toEqual([kind, own.length / 50]);
    }
  });

  it('of tokens add up the sources and name them; over the whole run sources are separate', () => {
    const guessed = {
      source: 'events' as const,
      answers: 3,
      answersWithInput: 0,
      input: 0,
      output: 90,
    };
    const [group, ...others] = draining().groups;
    const mixed = {
      ...draining(),
      groups: [{ ...group!, tokens: [...group!.tokens, guessed] }, ...others],
    };
    expect(sourcesText(mixed)).toBe(
      'counted by the server in 10 answers, counted as token events in 3 answers',
    );
    expect(wholeRunRates(mixed)?.tokens[1]).toEqual({
      source: 'events',
      answers: 3,
      input: null,
      output: 90 / 8.4,
    });
    expect(rateSentences(mixed)[1]).toContain('(counted as token events, 3 answers)');
  });

  it('of tokens are absent where no answer has any', () => {
    const none = { ...draining(), groups: [{ ...draining().groups[0]!, tokens: [] }] };
    expect(measuredRates(none)).toMatchObject({ inputTokens: null, outputTokens: null });
    expect(rateSentences(draining()).join()).toContain('tokens');
    expect(rateSentences(none).join()).not.toContain('tokens');
  });

  it('of a window without a whole second are left out, with a note', () => {
    const short = { ...draining(), scheduled: milliseconds(900), ended: milliseconds(800) };
    expect(measuredRates(short)).toBeNull();
    expect(rateSentences(short)).toEqual([
      'There are no rates for the measured window, because there is no whole second between the end of the warm-up and the end of the load.',
      expect.stringContaining('Over the whole run of 900 ms: 11.1/s sent'),
    ]);
  });

  it('of a run without due arrivals are absent', () => {
    expect(rateSentences({ ...result, groups: [], timeline: [] })).toEqual([]);
    expect(wholeRunRates({ ...result, ended: milliseconds(0) })).toBeNull();
  });
});
