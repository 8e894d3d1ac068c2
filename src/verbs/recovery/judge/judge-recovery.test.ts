import { describe, expect, it } from 'vitest';
import type { PolicyPhases, SeenRequest } from '../model/seen-request.ts';
import { judgeRecovery, type OverloadRun } from './judge-recovery.ts';

const phases: PolicyPhases = { policy: 'none', from: 0, peak: 2000, gone: 3000, until: 5500 };
const again: PolicyPhases = {
  policy: 'backoff',
  from: 6000,
  peak: 8000,
  gone: 9000,
  until: 11_500,
};

interface Fate {
  /** The time of an answer in ms; infinite for a failure. */
  readonly took?: number;
  readonly sent?: number;
  readonly isAnswered?: boolean;
  readonly named?: number;
}

/** A hundred requests a second over the phases of a policy, which end as `fateAt` says of their ms since its begin. */
const load = (
  fateAt: (at: number) => Fate,
  { policy, from, until }: PolicyPhases = phases,
): readonly SeenRequest[] =>
  Array.from({ length: (until - from) / 10 }, (_, index) => {
    const at = 10 * index;
    const { took = 20, sent = 1, isAnswered = true, named = 0 } = fateAt(at);
    const due = from + at;
    return {
      policy,
      due,
      ended: due + (Number.isFinite(took) ? took : 50),
      came: due + took,
      attempts: Array.from({ length: sent }, () => ({ sent: due, isAnswered })),
      named,
    };
  });

const failed: Fate = { took: Infinity };
const judge = (requests: readonly SeenRequest[], changes: Partial<OverloadRun> = {}) =>
  judgeRecovery({
    requests,
    phases: [phases],
    within: null,
    seenUntil: 5500,
    isInvalid: false,
    ...changes,
  });
const findingOf = (...run: Parameters<typeof judge>) => {
  const { state, reason, needs, after } = judge(...run).policies.at(-1)!;
  return { state, reason, needs, after };
};
const isPeak = (at: number): boolean => at >= 2000 && at < 3000;
/** Fails from the overload on until so many ms after it. */
const backAfter = (time: number) => load((at) => (at >= 2000 && at < 3000 + time ? failed : {}));

describe('a target that comes back', () => {
  it('is reported with all that was counted in its phases and windows', () => {
    const requests = load((at) => {
      if (isPeak(at)) return at < 2500 ? { ...failed, sent: 2, named: 1 } : { took: 90 };
      if (at >= 3000 && at < 3500) return { took: 61 };
      return { took: at % 100 === 0 ? 30 : 20 };
    });
    expect(judge(requests)).toMatchSnapshot();
  });

  it.each([
    [0, 0],
    [500, 500],
    [1000, 1000],
  ])('%d ms after the overload is back after %d ms', (time, after) => {
    expect(findingOf(backAfter(time))).toEqual({ state: 'back', reason: null, needs: null, after });
  });

  it('was never away if the overload did not harm it', () => {
    expect(findingOf(load(() => ({})))).toMatchObject({ state: 'unknown', reason: 'unharmed' });
    // The effect of an overload may begin as it ends, in the first window after it, but not in the second.
    const late = (from: number) => load((at) => (at >= from && at < from + 500 ? failed : {}));
    expect(findingOf(late(3000))).toMatchObject({ state: 'back', after: 500 });
    expect(findingOf(late(3500))).toMatchObject({ reason: 'unharmed' });
    // A part of the overload is enough.
    expect(findingOf(late(2500))).toMatchObject({ state: 'back', after: 0 });
  });

  it('is unsure if the last windows are neither surely good nor surely bad', () => {
    const some = load((at) => (isPeak(at) || (at >= 3000 && at % 100 === 0) ? failed : {}));
    expect(findingOf(some)).toEqual({
      state: 'unknown',
      reason: 'unsure',
      needs: null,
      after: null,
    });
  });
});

describe('the time of a good request', () => {
  const requests = load((at) => (isPeak(at) ? { took: 61 } : { took: 20 }));

  it('is three times what 95 % of the base needed, or what the user sets', () => {
    const { within, overload, base } = judge(requests).policies[0]!;
    expect([within, overload.good, overload.late, base.good]).toEqual([60, 0, 100, 200]);
    const set = judge(requests, { within: 61 }).policies[0]!;
    expect([set.within, set.overload.good, set.overload.late]).toEqual([61, 100, 0]);
  });

  it('is not known if more than one in twenty of the base fail', () => {
    const failing = (count: number) =>
      judge(load((at) => (at < 10 * count || isPeak(at) ? failed : {}))).policies[0]!;
    expect(failing(11)).toMatchObject({
      state: 'unknown',
      reason: 'base-fails',
      within: null,
      resolution: null,
      windows: [],
      base: { due: 200, good: 189, late: 0, failed: 11, p50: 20, p95: null },
    });
    expect(failing(10)).toMatchObject({ within: 60, base: { good: 190, failed: 10, p95: 20 } });
  });

  it('of an answer before its time is none', () => {
    const early = load(() => ({ took: -5 }));
    expect(judge(early).policies[0]!.base).toMatchObject({ p50: 0, p95: 0 });
  });
});

describe('a target that is still bad', () => {
  /** Every request fails from the overload on; `after` says how those after it fare. */
  const bad = (peak: Fate, after: Fate) =>
    load((at) => (at < 2000 ? {} : { ...failed, ...(isPeak(at) ? peak : after) }));
  const answered: Fate = { isAnswered: true };

  it('is kept bad by retries if surely more attempts came than ever completed', () => {
    // A hundred a second completed, and 83 requests of the last third are due with twice as many attempts.
    expect(findingOf(bad({}, { sent: 2 }))).toEqual({
      state: 'kept',
      reason: null,
      needs: null,
      after: null,
    });
    // 1 − 2 / √83 of the attempts must be more than a hundred a second: 128 are, of which one request in three has two.
    expect(findingOf(bad(answered, { sent: 1 })).state).toBe('stuck');
  });

  it('is balanced if as many attempts come as it completes, and some wait', () => {
    expect(findingOf(bad({ isAnswered: false }, {}))).toMatchObject({ reason: 'balanced' });
  });

  it('is balanced from as many attempts on, even if a single one waits', () => {
    // The last third of three seconds has a hundred requests, as many as completed in each second of the base.
    const even = { ...phases, until: 6000 };
    const requests = (waiting: number) =>
      load(
        (at) =>
          at < 2000
            ? { took: 0 }
            : { ...failed, isAnswered: !isPeak(at) || at >= 2000 + 10 * waiting },
        even,
      );
    const run = { phases: [even], seenUntil: 6000, within: 60 };
    expect(judge(requests(1), run)).toMatchObject({
      mostCompleted: 100,
      policies: [{ reason: 'balanced', sentAtEnd: 100 }],
    });
    expect(findingOf(requests(0), run)).toMatchObject({ state: 'stuck' });
  });

  it('drains its queue, if it is not certain to have done so', () => {
    // It completes 99 a second and one in two requests is sent: 49 a second are left for the 300 that wait.
    const half = (waiting: number) =>
      load((at) => {
        if (at < 2000) return {};
        if (isPeak(at)) return { ...failed, sent: waiting, isAnswered: false };
        return { ...failed, sent: (at / 10) % 2 };
      });
    const { reason, needs } = findingOf(half(3));
    expect([reason, needs]).toEqual(['draining', expect.closeTo(300 / 0.0486, 6)]);
    expect(findingOf(half(1))).toMatchObject({ state: 'stuck', reason: null });
  });

  it('is kept bad by retries, too, if it is back without them', () => {
    const clients = load((at) => (at < 2000 ? {} : failed), again);
    const both = { phases: [phases, again], seenUntil: 11_500 };
    expect(findingOf([...backAfter(500), ...clients], both).state).toBe('kept');
    expect(findingOf([...load((at) => (at < 2000 ? {} : failed)), ...clients], both).state).toBe(
      'stuck',
    );
  });
});

it('a window is surely bad by the chance of all windows after the overload', () => {
  const bad = [9, 10, 50, 50, 50];
  const requests = load((at) =>
    at >= 3000 && ((at - 3000) % 500) / 10 < bad[Math.floor((at - 3000) / 500)]! ? failed : {},
  );
  const { windows } = judge(requests).policies[0]!;
  expect(windows.slice(-5).map(({ good, isBad }) => [good, isBad])).toEqual([
    [41, false],
    [40, true],
    [0, true],
    [0, true],
    [0, true],
  ]);
});

describe('a policy is not judged', () => {
  it('if it was not seen to its end, or the load was not as planned', () => {
    const seen = backAfter(500);
    expect(findingOf(seen, { seenUntil: 5499 })).toMatchObject({ reason: 'partial' });
    expect(findingOf(seen, { isInvalid: true })).toMatchObject({ reason: 'invalid' });
    expect(findingOf(seen, { isInvalid: true, seenUntil: 0 })).toMatchObject({ reason: 'partial' });
  });

  it('if its base is surely worse than the first', () => {
    const both = { phases: [phases, again], seenUntil: 11_500 };
    const second = (bad: number) =>
      load((at) => (isPeak(at) ? failed : { took: at < bad ? 61 : 20 }), again);
    expect(findingOf([...backAfter(500), ...second(600)], both)).toMatchObject({
      reason: 'base-worse',
    });
    expect(findingOf([...backAfter(500), ...second(0)], both)).toMatchObject({ state: 'back' });
  });

  it('if too few requests were due', () => {
    const few = backAfter(500).filter((_, index) => index % 50 === 0);
    expect(judge(few)).toMatchObject({
      policies: [{ reason: 'few', resolution: null, windows: [], within: 60 }],
    });
    expect(judge([])).toMatchObject({
      mostCompleted: 0,
      policies: [{ reason: 'base-fails', base: { due: 0, attempts: 0, p50: null } }],
    });
  });
});

it('the most that a target completed in a second is of two seconds that begin with the run', () => {
  const ended = (...instants: readonly number[]): readonly SeenRequest[] =>
    instants.map((each) => ({ ...load(() => ({}))[0]!, ended: each, came: each }));
  expect(judge(ended(0, 1999, 2000)).mostCompleted).toBe(1);
  expect(judge(ended(1999, 2000, 2001, 3999)).mostCompleted).toBe(1.5);
  expect(judge(load(() => failed)).mostCompleted).toBe(0);
});
