import { describe, expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { queueDelays, queuePace } from './queue-pace.ts';

const rule = { limit: 60, window: milliseconds(60_000) };
const roundTrip = 20;

interface Timing {
  /** The time between two answers of the queue, in ms. */
  readonly spacing: number;
  /** The time that a serial server needs for each request, in ms; 0 if it answers all at once. */
  readonly serial?: number;
  /** Returns the delay, in ms, of an answer that is due at a time. */
  readonly late?: (due: number) => number;
}

/**
 * Returns the log of thirty requests at an even pace followed by eighty at once, answered by a queue or a slow server.
 */
const logOf = ({ spacing, serial = 0, late = () => 0 }: Timing): readonly LimiterDecision[] => {
  const sent = [
    ...Array.from({ length: 30 }, (_, i) => i * 2000),
    ...Array.from({ length: 80 }, () => 100_000),
  ];
  let free = 0;
  return sent.map((at) => {
    const through = Math.max(at, free);
    free = through + spacing;
    const answered = instant(through + serial + roundTrip + late(through));
    return { sent: instant(at), answered, ended: answered, admitted: true };
  });
};

describe('the pace of a queue', () => {
  it.each([
    [985, false],
    [1005, false],
    [940, true],
    [1060, false],
  ])('of one answer every %i ms is surely faster than the limit: %s', (spacing, isFaster) => {
    expect(queuePace(logOf({ spacing }), rule)).toMatchObject({ isFaster });
  });

  it('is not surely faster where late answers leave open whether it is', () => {
    const late = (due: number): number => (Math.round((due - 100_000) / 953) % 3 === 0 ? 400 : 0);
    const pace = queuePace(logOf({ spacing: 953, late }), rule);
    expect(pace).toMatchObject({ match: 'near', isFaster: false });
  });
});

describe('the delays of a queue', () => {
  it('match a queue of the declared limit if every answer came at its time', () => {
    const found = queueDelays(logOf({ spacing: 1000 }), rule);
    expect(found?.waited.length).toBeGreaterThan(70);
    expect(found).toMatchObject({ contradicted: [], other: null });
  });

  it('match a queue of the declared limit on a machine that pauses, which delays single answers only', () => {
    const late = (due: number): number => (Math.floor(due / 1000) % 7 === 0 ? 900 : 0);
    const found = queueDelays(logOf({ spacing: 1000, late }), rule);
    expect(found?.other).toBeNull();
    expect(found?.contradicted.length).toBeLessThan(15);
  });

  it.each([900, 1100])('show another rate: every %i ms', (spacing) => {
    const found = queueDelays(logOf({ spacing }), rule);
    expect(found?.other?.window.value).toBeCloseTo(60 * spacing, -2);
    expect(found?.isDoubtful).toBe(false);
    expect(found?.contradicted.length).toBe(found?.waited.length);
  });

  it.each([1005, 985])(
    'are those of the declared limit within what a clock of whole seconds is off: every %i ms',
    (spacing) => {
      expect(queueDelays(logOf({ spacing }), rule)).toMatchObject({
        contradicted: [],
        other: null,
      });
    },
  );

  it('are not taken for a queue where a server answers one request after the other', () => {
    expect(queueDelays(logOf({ spacing: 300, serial: 300 }), rule)).toBeNull();
  });

  it('are doubtful where a server can be as slow as that', () => {
    const found = queueDelays(logOf({ spacing: 1100, serial: 1100 }), rule);
    expect(found?.isDoubtful ?? true).toBe(true);
  });
});

it('the pace of a queue is the same if some chats failed after they had waited, which show no decision', () => {
  const log = logOf({ spacing: 1000 }).filter((_, place) => place % 40 !== 39);
  expect(queueDelays(log, rule)?.other ?? null).toBeNull();
  expect(queuePace(log, rule)).toMatchObject({ match: 'own' });
});

describe('the delays after a burst', () => {
  /** Returns a burst of which ten requests are answered at once and the others every `spacing` ms. */
  const afterBurst = (spacing: number): readonly LimiterDecision[] =>
    logOf({ spacing }).map((decision, place) => {
      const early = place < 30 ? decision.answered : decision.answered - 10 * spacing;
      const answered = instant(Math.max(decision.sent + roundTrip, early));
      return { ...decision, answered, ended: answered };
    });

  it('do not match a queue of the limit, but show its pace', () => {
    expect(queuePace(afterBurst(1000), rule)).toMatchObject({ match: 'own', canBeServer: false });
  });

  it('show another rate', () => {
    const found = queueDelays(afterBurst(1200), rule);
    expect(found?.other?.window.value).toBeCloseTo(72_000, -2);
    expect(found?.other?.wrong).toBeLessThanOrEqual(1);
  });
});

it('ten requests that waited show no pace, eleven do', () => {
  // The first of a burst does not wait.
  const waiting = (count: number): readonly LimiterDecision[] =>
    logOf({ spacing: 1000 }).slice(0, 30 + count);
  const found = [10, 11, 12, 13].map((count) => queuePace(waiting(count), rule)?.waited.length);
  expect(found).toEqual([undefined, undefined, 11, 12]);
});
