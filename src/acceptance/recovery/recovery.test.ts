import { expect, it } from 'vitest';
import { judgeRecovery, type OverloadRun } from '../../verbs/recovery/judge/judge-recovery.ts';
import type { SeenRequest } from '../../verbs/recovery/model/seen-request.ts';

const phases = { policy: 'none', from: 0, peak: 30_000, gone: 40_000, until: 100_000 } as const;

/** What becomes of a request that is due at an instant: how long it takes, and how often it is sent. */
type Fate = (due: number, place: number) => { readonly takes: number; readonly attempts?: number };

/** Twenty requests a second, and sixty in the overload. */
const overloadRun = (fate: Fate, changes: Partial<OverloadRun> = {}): OverloadRun => {
  const requests: SeenRequest[] = [];
  for (
    let due = 0;
    due < phases.until;
    due += due >= phases.peak && due < phases.gone ? 16.7 : 50
  ) {
    const { takes, attempts = 1 } = fate(due, requests.length);
    const came = due + takes;
    const isAnswered = Number.isFinite(takes);
    requests.push({
      policy: 'none',
      due,
      came,
      ended: Math.min(came, due + 1000),
      attempts: Array.from({ length: attempts }, () => ({ sent: due, isAnswered })),
      named: 0,
    });
  }
  const usual = { requests, phases: [phases], within: null, isInvalid: false };
  return { ...usual, seenUntil: phases.until, ...changes };
};

const judged = (fate: Fate, changes: Partial<OverloadRun> = {}) =>
  judgeRecovery(overloadRun(fate, changes)).policies[0]!;

/** As usual, but so while a condition holds. */
const whileIt =
  (isSo: (due: number) => boolean, takes: number): Fate =>
  (due, place) =>
    isSo(due) ? { takes } : { takes: 100 + (place % 17) };

const overloaded = (due: number): boolean => due >= phases.peak && due < phases.gone;

it('finds when a target is back, to a window, and counts all that was due', () => {
  const found = judged(whileIt((due) => due >= 32_000 && due < 47_000, Infinity));
  expect(found).toMatchObject({ state: 'back', after: 7000, resolution: 1000, within: 348 });
  expect(found.overload).toMatchObject({ due: 599, failed: 479, good: 120, late: 0 });
  expect(found.watched).toMatchObject({ due: 1200, failed: 140, good: 1060 });
  // Answers that come too late are no goodput.
  const late = judged(whileIt((due) => due >= 32_000 && due < 47_000, 900));
  expect(late).toMatchObject({ state: 'back', after: 7000 });
  expect(late.overload).toMatchObject({ late: 479, failed: 0 });
  expect(judged(whileIt(overloaded, Infinity))).toMatchObject({ state: 'back', after: 0 });
});

/** From the middle of the overload on all fail; so many attempts are made for each of four requests. */
const failing =
  (...attempts: readonly number[]): Fate =>
  (due, place) =>
    due < 35_000 ? { takes: 100 } : { takes: Infinity, attempts: attempts[place % 4]! };

it('says why a target is still bad, by what it is sent and what it completed', () => {
  // It completed 60 a second in the first half of the overload.
  expect(judged(failing(5, 5, 5, 5))).toMatchObject({ state: 'kept', sentAtEnd: 100 });
  expect(judged(failing(3, 3, 3, 4))).toMatchObject({ state: 'unknown', reason: 'balanced' });
  // What waits are the 750 attempts of the second half, and 60 − 50 a second work on them.
  const draining = judged(failing(2, 2, 3, 3));
  expect(draining).toMatchObject({ state: 'unknown', reason: 'draining' });
  expect(draining.needs).toBeCloseTo(75_000, -4);
  expect(judged(failing(1, 1, 1, 1))).toMatchObject({ state: 'stuck', needs: null });
  // The same retries, where the target is back without any.
  const alone = overloadRun(whileIt(overloaded, Infinity));
  const retrying = overloadRun(failing(1, 1, 2, 2)).requests.map((each) => ({
    ...each,
    policy: 'backoff',
  }));
  const { policies } = judgeRecovery({
    ...alone,
    requests: [...alone.requests, ...retrying],
    phases: [phases, { ...phases, policy: 'backoff' }],
  });
  expect(policies.map(({ state }) => state)).toEqual(['back', 'kept']);
});

it.each([
  ['unharmed', () => ({ takes: 100 }), {}],
  ['partial', whileIt(overloaded, Infinity), { seenUntil: 99_000 }],
  ['invalid', whileIt(overloaded, Infinity), { isInvalid: true }],
  [
    'base-fails',
    (_due: number, place: number) => ({ takes: place % 10 === 0 ? Infinity : 100 }),
    {},
  ],
  ['few', whileIt(overloaded, Infinity), { phases: [{ ...phases, until: 42_000 }] }],
  // One in nine is late until the end, where one in ten is allowed.
  [
    'unsure',
    (due: number, place: number) => ({
      takes: due > 40_000 && place % 9 !== 0 ? 100 : due > 30_000 ? 9000 : 100,
    }),
    {},
  ],
] as const)('cannot tell: %s', (reason, fate, changes) => {
  const found = judged(fate, changes);
  expect(found).toMatchObject({ state: 'unknown', reason, after: null });
});

it('cannot tell with a policy that begins before the target is as before', () => {
  const first = overloadRun(whileIt(overloaded, Infinity));
  const second = first.requests.map((each) => ({
    ...each,
    policy: 'backoff',
    ...(each.due < 30_000 && each.due % 500 === 0 ? { came: Infinity } : {}),
    ...(each.due < 15_000 ? { came: each.due + 900 } : {}),
  }));
  const { policies } = judgeRecovery({
    ...first,
    requests: [...first.requests, ...second],
    phases: [phases, { ...phases, policy: 'backoff' }],
    within: 500,
  });
  expect(policies.map(({ reason }) => reason)).toEqual([null, 'base-worse']);
});

it('says of a first base that fails what to do, also if a later one is good', () => {
  const cold = overloadRun((due, place) => ({
    takes: due < 30_000 && place % 2 === 0 ? Infinity : 100,
  }));
  const warm = overloadRun(whileIt(overloaded, Infinity));
  const { policies } = judgeRecovery({
    ...warm,
    requests: [...cold.requests, ...warm.requests.map((each) => ({ ...each, policy: 'backoff' }))],
    phases: [phases, { ...phases, policy: 'backoff' }],
  });
  expect(policies.map(({ reason }) => reason)).toEqual(['base-fails', null]);
});
