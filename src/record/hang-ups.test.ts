import { describe, expect, it } from 'vitest';
import type { Group } from '../model/measures/counts.ts';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { recordHangUp } from './hang-ups.ts';
import { sampleObservation, sampleStream } from './sample-observations.fixture.ts';

const hungUp = (changes: Partial<Observation> = {}, tokens: readonly number[] = []): Observation =>
  sampleObservation({
    traffic: 'chat-stream',
    sent: instant(5000),
    ended: instant(5100),
    outcome: {
      kind: 'cancelled',
      bytes: 40,
      partial: tokens.length === 0 ? null : sampleStream(tokens),
    },
    ...changes,
  });

const recorded = (...observations: readonly Observation[]) => {
  const group: Pick<Group, 'hangUps'> = {};
  for (const observation of observations) recordHangUp(group, observation);
  return group.hangUps;
};

describe('the arrivals on which the client was to hang up', () => {
  it('are counted by their outcome', () => {
    const outcomes = recorded(hungUp(), hungUp(), sampleObservation())?.outcomes;
    expect(outcomes).toMatchObject({ cancelled: 2, completed: 1, refused: 0 });
  });

  it('have what they received if they are cancelled, and nothing else', () => {
    expect(recorded(hungUp({}, [5010, 5020]), hungUp({ head: null }))).toMatchObject({
      headers: 1,
      tokenEvents: 2,
      bytes: 80,
      time: 200,
    });
    expect(recorded(sampleObservation())).toMatchObject({
      headers: 0,
      tokenEvents: 0,
      bytes: 0,
      time: 0,
    });
  });

  it.each([
    [5100.4, 100],
    [5100.5, 101],
    [5100.9, 101],
  ])(
    'have the time from the request to its end at %f ms, to the nearest millisecond',
    (at, time) => {
      expect(recorded(hungUp({ ended: instant(at) }))?.time).toBe(time);
    },
  );

  it('took no time if they were never sent', () => {
    expect(recorded(hungUp({ sent: null }))?.time).toBe(0);
  });
});
