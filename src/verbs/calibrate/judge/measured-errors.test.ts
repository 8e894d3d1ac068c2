import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../model/observation/observation.ts';
import { instant } from '../../../model/quantity.ts';
import { measuredErrors } from './measured-errors.ts';

/** A stream whose tokens were read at these moments of the run; only what the join looks at. */
const seen = (requestId: string, tokens: readonly number[], due = 5000): Observation =>
  ({
    requestId,
    due: instant(due),
    outcome: {
      kind: 'completed',
      answer: { kind: 'chat-stream', tokenInstants: Float64Array.from(tokens) },
    },
  }) as unknown as Observation;

const zero = 70_000;
const sentAt = (requestId: string, tokens: readonly number[]) => ({
  requestId,
  sent: tokens.map((at) => zero + at),
});

describe('the measurement error of a run', () => {
  it('is the difference between its instants and those at which the gateway sent', () => {
    const truths = [sentAt('a', [5100, 5120, 5140])];
    const observations = [seen('a', [5100.5, 5121, 5140.25])];
    const found = measuredErrors(truths, { zero, observations }, 1000);
    expect(found?.answers).toBe(1);
    expect(found?.errors.ttft).toMatchObject({ n: 1, p50: 0.5, max: 0.5 });
    expect(found?.errors.endToEnd).toMatchObject({ n: 1, max: 0.25 });
    // 20.5 and 19.25 ms were recorded where 20 were sent.
    expect(found?.errors.gap).toMatchObject({ n: 2, p50: 0.5, max: 0.75 });
  });

  it('is joined by request id in any order, without the warm-up and unmatched requests', () => {
    const truths = ['d', 'c', 'b', 'a'].map((id) => sentAt(id, [5100, 5120]));
    const observations = [
      seen('a', [5101, 5121]),
      seen('b', [5150, 5170], 900),
      seen('c', [5150]),
      seen('unknown', [5150, 5170]),
    ];
    const found = measuredErrors(truths, { zero, observations }, 1000);
    expect(found?.answers).toBe(1);
    expect(found?.errors.ttft.max).toBe(1);
  });

  it('has no direction, and counts a gap as wrong by the difference of both ends', () => {
    const truths = [sentAt('a', [5100, 5120])];
    const errorsOf = (...tokens: readonly number[]) =>
      measuredErrors(truths, { zero, observations: [seen('a', tokens)] }, 1000)!.errors;
    expect(errorsOf(5098, 5121)).toMatchObject({
      ttft: { n: 1, p50: 2, p99: 2, max: 2 },
      gap: { n: 1, max: 3 },
      endToEnd: { n: 1, max: 1 },
    });
    expect(errorsOf(5102, 5119)).toMatchObject({ ttft: { max: 2 }, gap: { max: 3 } });
  });

  it('begins with the first answer that is due as the warm-up ends', () => {
    const answersAt = (due: number): number =>
      measuredErrors(
        [sentAt('a', [5100, 5120])],
        { zero, observations: [seen('a', [5101, 5121], due)] },
        1000,
      )?.answers ?? 0;
    expect([answersAt(999), answersAt(1000)]).toEqual([0, 1]);
  });

  it('has no answer of which the gateway sent nothing, which failed, or which was no stream', () => {
    const failed = { ...seen('a', [5101]), outcome: { kind: 'cancelled' } } as never;
    const chat = {
      ...seen('a', [5101]),
      outcome: { kind: 'completed', answer: { kind: 'chat', tokenInstants: [5101] } },
    } as never;
    const found = (sent: readonly number[], observation: Observation) =>
      measuredErrors([sentAt('a', sent)], { zero, observations: [observation] }, 0);
    expect(found([], seen('a', []))).toBeNull();
    expect(found([5100], failed)).toBeNull();
    expect(found([5100], chat)).toBeNull();
    // Without a second token there is no gap, and so no error of one.
    expect(found([5100], seen('a', [5101]))).toBeNull();
  });

  it('is unknown if no request matches', () => {
    expect(measuredErrors([], { zero, observations: [seen('a', [1, 2])] }, 0)).toBeNull();
  });
});
