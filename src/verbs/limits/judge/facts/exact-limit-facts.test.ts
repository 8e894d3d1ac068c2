import { describe, expect, it } from 'vitest';
import { type LimiterDecision, limiterClassNames } from '../../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../../model/quantity.ts';
import { ignoresRefusals, limitFacts } from './limit-facts.ts';

/** A limit of 6 in 10 s: windows of 9 to 11 s, and an even pace of 5 in 11 s, which is one every 2.2 s. */
const rule = { limit: 6, window: milliseconds(10_000) };

const decision = (sent: number, admitted = true, answered = sent + 10): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(answered),
  ended: instant(answered),
  admitted,
});

const every = (
  count: number,
  spacing: number,
  isAdmitted: (i: number) => boolean = () => true,
  from = 0,
) => Array.from({ length: count }, (_, i) => decision(from + i * spacing, isAdmitted(i)));

const factsOf = (decisions: readonly LimiterDecision[]) =>
  limitFacts(
    {
      decisions,
      paced: decisions,
      sustained: decisions,
      history: {
        requests: decisions.map(({ sent, answered }) => ({ from: sent, until: answered })),
        isIdleBefore: true,
        isFreshBefore: false,
      },
      permitted: limiterClassNames,
    },
    rule,
  );

const sustained = (decisions: readonly LimiterDecision[]) => factsOf(decisions).sustained;

describe('the rate of a sustained load', () => {
  it('is unknown below a window', () => {
    expect(sustained([])).toBeNull();
    expect(sustained([decision(0), decision(9_999)])).toBeNull();
    expect(sustained([decision(0), decision(10_000)])).not.toBeNull();
  });

  it('lies between what the admissions of a window less and a window more mean', () => {
    // 41 requests in 40 s, of which every second one was admitted: 21, the last of them at 40 s.
    const found = sustained(every(41, 1000, (i) => i % 2 === 0));
    expect(found).toEqual({
      windows: 4.001,
      admitted: 21,
      offered: 41,
      // One every third second, since an answer takes 10 ms and the even pace 2.2 s.
      spaced: 14,
      rate: { least: 21 / 5.001, most: 21 / 3 },
      isLow: false,
      isShort: false,
    });
    // The order does not matter.
    expect(sustained(every(41, 1000, (i) => i % 2 === 0).toReversed())).toEqual(found);
  });

  it('has no highest value if nothing was refused after the longest window', () => {
    const early = (at: number) => sustained(every(41, 1000, (i) => i !== at))!.rate.most;
    expect([early(11), early(12)]).toEqual([null, 40 / 3]);
    // An answer that takes as long as a request of the limit, 1.67 s, was delayed.
    const late = (time: number) => {
      const all = every(41, 1000);
      return sustained([
        ...all.slice(0, 20),
        decision(20_000, true, 20_000 + time),
        ...all.slice(21),
      ])!.rate.most;
    };
    expect([late(1666), late(1667)]).toEqual([null, 41 / 3]);
    expect(sustained([decision(0), decision(10_000, false)])!.rate.most).toBeNull();
  });

  it('ends with the last answer, even if that came after the load', () => {
    const all = every(41, 1000);
    expect(sustained([...all, decision(39_500, true, 45_000)])!.windows).toBe(4.5);
    expect(sustained([...all, decision(39_500, false, 45_000)])!.windows).toBe(4.001);
  });

  it('is low if the even pace, less a limit and two requests, would be admitted more often', () => {
    // 40 s at the even pace are 18.2 requests; less the limit 12.2, so with two more: 10.
    const low = (admitted: number) => sustained(every(41, 1000, (i) => i < admitted))!.isLow;
    expect([low(10), low(11)]).toEqual([true, false]);
  });

  it('is short if spaced requests lack admissions, and the limiter surely ignores refusals', () => {
    // Of 81 requests in 40 s, 17 are spaced, one every 2.5 s: less the limit and two, these are 9. The
    // admission at 38 s shows that refusals are ignored, as 18 requests came in the window before it.
    const short = (admitted: number) =>
      sustained(every(81, 500, (i) => i < admitted - 1 || i === 76))!;
    expect([short(8).spaced, short(8).isShort, short(9).isShort]).toEqual([17, true, false]);
    const none = sustained(every(81, 500, () => false))!;
    expect([none.isShort, none.rate]).toEqual([false, { least: 0, most: 0 }]);
  });
});

describe('a limiter ignores refusals', () => {
  /** So many refusals in less than half a second, and then an admission at 20 s. */
  const after = (count: number, from: number, isAdmitted = true) =>
    ignoresRefusals([...every(count, 10, () => false, from), decision(20_000, isAdmitted)], rule);

  it('if it admits what every other would have refused for them', () => {
    // If a window began 12/16 of a window before, all requests at 12 s are of the one before that,
    // and weigh 1 − 12/16 − 1/16 = 3/16: 38 of them are more than the limit and one, 37 are fewer.
    expect([after(38, 12_000), after(37, 12_000)]).toEqual([true, false]);
    expect([after(38, 12_000, false), after(1000, 1000)]).toEqual([false, false]);
  });
});

describe('a refusal', () => {
  const room = (decisions: readonly LimiterDecision[]) => {
    const { refusedWithRoom, refusalsWithRoom, lockedOut } = factsOf(decisions);
    return [refusedWithRoom, refusalsWithRoom, lockedOut];
  };

  it('came with room if fewer than the limit were admitted in the two windows before', () => {
    expect(room([...every(5, 100), decision(600, false)])).toEqual(['proved', [5], 'refuted']);
    expect(room([...every(6, 100), decision(600, false)])).toEqual(['refuted', [], 'refuted']);
    expect(room(every(6, 100))).toEqual(['refuted', [], 'refuted']);
    // Six more than a window but less than two ago may still count.
    expect(room([...every(6, 100), decision(12_000, false)])).toEqual(['undecided', [], 'proved']);
    expect(room([...every(6, 100), decision(23_000, false)])).toEqual(['proved', [6], 'proved']);
    expect(room([...every(6, 100), decision(9_600, false)])).toEqual([
      'undecided',
      [],
      'undecided',
    ]);
  });
});

it('more than the limit was admitted in the shortest window, or not in the longest', () => {
  const over = (spacing: number) => factsOf(every(7, spacing)).overAdmitted;
  // Seven span six spacings and an answer of 10 ms: certainly within 9 s, or never within 11 s.
  expect([over(1490), over(1600), over(1840)]).toEqual(['proved', 'undecided', 'refuted']);
  expect(factsOf(every(7, 1000)).mostAdmitted).toEqual({ least: 7, most: 7 });
});
