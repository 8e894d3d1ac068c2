import { describe, expect, it } from 'vitest';
import type { LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { checkRemaining, checkReported } from './check-remaining.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const window = milliseconds(10_000);

/** A reply of which the headers say how many requests remain; answers take 30 ms. */
const reply = (
  sent: number,
  remaining: number | null,
  changes: Partial<ProbeReply> = {},
): ProbeReply =>
  sampleReply(sent, {
    phase: 'even',
    told:
      remaining === null
        ? []
        : [
            {
              profile: 'x',
              descriptor: 'api_key',
              unit: 'requests',
              limit: 20,
              remaining,
              resetIn: null,
            },
          ],
    ...changes,
  });

const logOf = (replies: readonly ProbeReply[]): LimitLog => ({
  declared: { requests: { limit: 20, window }, tokens: null, permitted: [] },
  replies,
  unanswered: [],
  cut: null,
});

const found = (id: string, replies: readonly ProbeReply[]): string => {
  const { finding, observed } = checkRemaining(logOf(replies)).find((check) => check.id === id)!;
  return `${finding}: ${observed}`;
};

/** Chats that were sent one by one, each a second after the one before. */
const oneByOne = (...values: readonly number[]): readonly ProbeReply[] =>
  values.map((value, i) => reply(1000 * i, value));

describe('chats one by one', () => {
  const serial = (replies: readonly ProbeReply[]): string => found('remaining-serial', replies);

  it('lower remaining by one each, as five drops show', () => {
    expect(serial(oneByOne(9, 8, 7, 6, 5, 4))).toBe(
      'proved: 5 of 5 drops were one; remaining was negative 0 times',
    );
    expect(serial(oneByOne(9, 8, 7, 6, 5))).toBe(
      'undecided: only 4 consecutive requests reported a drop in remaining',
    );
    expect(serial([])).toBe('undecided: no consecutive requests reported a drop in remaining');
    expect(serial(oneByOne(9, 7))).toBe(
      'refuted: 0 of 1 drops were one; remaining was negative 0 times',
    );
    expect(serial(oneByOne(0, -1))).toBe(
      'refuted: 1 of 1 drops were one; remaining was negative 1 times',
    );
  });

  it('do not count where remaining rose or stood still', () => {
    expect(serial(oneByOne(3, 2, 9, 9, 8))).toBe(
      'undecided: only 2 consecutive requests reported a drop in remaining',
    );
  });

  it('do not count where others overlapped them, or were sent before an answer', () => {
    const pair = [reply(0, 9), reply(1000, 6)];
    expect(serial(pair)).toMatch(/^refuted/);
    // From the first sending to the last answer nothing else may be under way.
    const beside = (sent: number): string => serial([...pair, reply(sent, null)]);
    expect(beside(500)).toMatch(/^undecided: no /);
    expect(beside(1029)).toMatch(/^undecided: no /);
    expect(beside(1030)).toMatch(/^refuted/);
    expect(beside(-30)).toMatch(/^refuted/);
    expect(beside(-29)).toMatch(/^undecided: no /);
    expect(serial([reply(0, 9), reply(30, 6)])).toMatch(/^refuted/);
    expect(serial([reply(0, 9), reply(29, 6)])).toMatch(/^undecided: no /);
    expect(serial([...pair, reply(500, null, { key: 'second' })])).toMatch(/^refuted/);
  });

  it('count in each phase alone, of the first key, if they were admitted', () => {
    expect(serial([reply(0, 9), reply(1000, 6, { phase: 'provocation' })])).toMatch(/no cons/);
    expect(serial([reply(0, 9), reply(1000, 6, { phase: 'counting' })])).toMatch(/no cons/);
    expect(serial([reply(0, 9), reply(1000, 6, { admitted: false })])).toMatch(/no cons/);
    expect(serial([reply(0, 9), reply(1000, 6, { key: 'second' })])).toMatch(/no cons/);
  });
});

describe('somebody else who uses the key', () => {
  const spender = (replies: readonly ProbeReply[]): string => found('no-hidden-spender', replies);

  it('is seen by drops of more than one, and missing only after a window of watching', () => {
    expect(spender(oneByOne(9, 8, 5))).toBe(
      'refuted: remaining dropped by 2 requests that this examination did not send',
    );
    expect(spender(oneByOne(19, 18, 17))).toBe(
      'undecided: remaining showed every request for only 2 s',
    );
    expect(spender(oneByOne(19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9))).toMatch(/^proved/);
    expect(spender(oneByOne(19, 18, 17, 16, 15, 14, 13, 12, 11, 10))).toMatch(/^undecided/);
  });

  it('is not seen by values that contradict each other', () => {
    const workers = Array.from({ length: 26 }, (_, i) =>
      reply(50_000, Math.floor(i / 2), { phase: 'concurrency' }),
    );
    expect(spender([...oneByOne(9, 8, 5), ...workers])).toBe(
      'undecided: the reported values contradict each other',
    );
  });
});

describe('chats at once', () => {
  const at = (sent: number, remaining: number, answered = sent + 30): ProbeReply =>
    reply(sent, remaining, {
      phase: 'concurrency',
      answered: instant(answered),
      ended: instant(answered),
    });
  const lost = (replies: readonly ProbeReply[]): string =>
    found('remaining-no-lost-updates', replies);
  const together = (...values: readonly number[]): readonly ProbeReply[] =>
    values.map((value) => at(0, value));

  it('report different values, as five of them show', () => {
    expect(lost(together(5, 4, 3, 2, 1))).toBe('proved: 0 of 5 values had been reported before');
    expect(lost(together(5, 4, 3, 2))).toBe(
      'undecided: only 4 concurrent requests reported remaining',
    );
    expect(lost([])).toBe('undecided: no concurrent requests reported remaining');
  });

  it('lose updates if values come twice, unless a refill explains it', () => {
    expect(lost(together(5, 5, 5, 4))).toBe('refuted: 2 of 4 values had been reported before');
    // One may have been refilled meanwhile.
    expect(lost(together(5, 5))).toBe(
      'undecided: 1 of 2 values had been reported before, which a refill meanwhile explains',
    );
    // A step of half the limit raises neighbouring values by as many.
    expect(lost(together(9, 9, 8, 8, 7, 7))).toMatch(/^undecided: 3 of 6 .* a refill/);
    expect(lost(together(9, 9, 8, 8, 6, 6))).toMatch(/^refuted: 3 of 6/);
    expect(lost(together(9, 9, 8, 8, 7, 7, 7))).toMatch(/^refuted: 4 of 7/);
    const pairs = (count: number) =>
      together(...Array.from({ length: 2 * count }, (_, i) => Math.floor(i / 2)));
    expect(lost(pairs(10))).toMatch(/^undecided/);
    expect(lost(pairs(11))).toMatch(/^refuted/);
  });

  it('are those until one was sent after all earlier ones were answered', () => {
    expect(lost([...together(5, 4, 3, 2), at(30, 1)])).toMatch(/^proved: 0 of 5/);
    expect(lost([...together(5, 4, 3, 2), at(31, 1)])).toMatch(/^undecided: only 4/);
    expect(lost([at(0, 5, 100), at(10, 4), at(90, 3), at(110, 2), at(115, 1)])).toMatch(
      /^proved: 0 of 5/,
    );
  });

  it('of more than the limit in a twentieth of a window give room for a refill of as many', () => {
    // In 900 ms two are refilled, of which one may be begun.
    expect(lost([at(0, 5, 870), at(0, 5), at(0, 5), at(0, 4)])).toMatch(/^undecided: 2 of 4/);
    expect(lost([at(0, 5, 400), at(0, 5), at(0, 5), at(0, 4)])).toMatch(/^refuted: 2 of 4/);
  });

  it('come from one counter unless half the limit comes twice in a burst', () => {
    const counter = (count: number, phase: ProbeReply['phase']): string =>
      found(
        'remaining-one-counter',
        Array.from({ length: 2 * count }, (_, i) => ({ ...at(0, Math.floor(i / 2)), phase })),
      );
    expect(counter(11, 'concurrency')).toBe(
      'proved: values reported before within a burst: 11 of 22',
    );
    expect(counter(12, 'concurrency')).toMatch(/^refuted: .* 12 of 24$/);
    expect(counter(12, 'provocation')).toMatch(/^refuted: .* 12 of 24$/);
    expect(counter(12, 'even')).toBe('undecided: no burst reported remaining 5 times');
    expect(found('remaining-one-counter', together(4, 3, 2, 1))).toMatch(/^undecided/);
    expect(found('remaining-one-counter', together(5, 4, 3, 2, 1))).toMatch(/^proved/);
    // What comes later than a tenth of a window is of no burst.
    expect(found('remaining-one-counter', [...together(5, 4, 3, 2), at(971, 1)])).toMatch(
      /^undecided/,
    );
    expect(found('remaining-one-counter', [...together(5, 4, 3, 2), at(970, 1)])).toMatch(
      /^proved/,
    );
  });

  it('that a cap refuses cost nothing', () => {
    const refusal = { form: 'error', unit: 'in-flight', resetAt: null, message: '' } as const;
    const capped = { ...at(0, 0), admitted: false, status: 429, refusal };
    const free = (...values: readonly number[]): string =>
      found('cap-refusals-free', [...together(...values), capped]);
    expect(free(3, 2)).toBe(
      'proved: remaining dropped by 0 unsent requests while the cap refused 1',
    );
    expect(free(4, 2)).toMatch(/^refuted: remaining dropped by 1 unsent/);
    expect(free(3)).toBe('undecided: no cap on requests in flight refused anything');
    expect(found('cap-refusals-free', together(4, 2))).toMatch(/^undecided/);
    expect(free(4, 4, 2)).toMatch(/^proved/);
    // Beside a cap, gaps show nobody else.
    expect(found('no-hidden-spender', [...together(4, 2), capped])).toMatch(/^undecided/);
    expect(found('no-hidden-spender', together(4, 2))).toMatch(/^refuted/);
  });
});

describe('what remained before a decision', () => {
  const reported = (replies: readonly ProbeReply[]): string => {
    const { finding, observed } = checkReported(logOf(replies), replies);
    return `${finding}: ${observed}`;
  };
  const refused = (sent: number): ProbeReply => reply(sent, null, { admitted: false, status: 429 });
  const nothing = 'undecided: nothing was refused';

  it('agrees if five reported it and one was refused', () => {
    expect(reported([...oneByOne(4, 3, 2, 1, 0), refused(5000)])).toBe(
      'proved: 0 were refused with requests certainly remaining, 0 admitted with certainly none',
    );
    expect(reported([...oneByOne(4, 3, 2, 1), refused(5000)])).toMatch(/^undecided: only 4/);
    expect(reported(oneByOne(4, 3, 2, 1, 0))).toBe(nothing);
    expect(reported([refused(0)])).toBe('undecided: no admitted requests reported remaining');
    expect(reported([reply(0, 0), refused(5000)])).toBe(
      'undecided: only 1 admitted requests reported remaining',
    );
  });

  it('is contradicted by a refusal with two left, for what was sent since then', () => {
    expect(reported([reply(0, 2), refused(1000)])).toMatch(/^refuted: 1 were refused/);
    expect(reported([reply(0, 1), refused(1000)])).toMatch(/^undecided/);
    expect(reported([reply(0, 3), reply(100, null), refused(1000)])).toMatch(/^refuted: 1 were/);
    expect(reported([reply(0, 2), reply(100, null), refused(1000)])).toMatch(/^undecided/);
    expect(reported([reply(0, 9), refused(29)])).toMatch(/^undecided/);
    expect(reported([reply(0, 9), refused(30)])).toMatch(/^refuted/);
  });

  it('is contradicted by admissions at zero, more than a refill allows', () => {
    expect(reported([reply(0, 0), reply(1, 0), reply(2, 0)])).toBe(
      'refuted: 0 were refused with requests certainly remaining, 1 admitted with certainly none',
    );
    expect(reported([reply(0, 0), reply(1, 0)])).toBe(nothing);
    // In half a second one is refilled.
    expect(reported([reply(0, 0), reply(1, 0), reply(470, 0)])).toBe(nothing);
    expect(reported([reply(0, 0), reply(1, 0), reply(469, 0)])).toMatch(/^refuted/);
    expect(reported([reply(0, 0), reply(1, 1), reply(2, 0), reply(3, 0)])).toBe(nothing);
    expect(reported([reply(0, 0), reply(1, null), reply(2, 0), reply(3, 0)])).toBe(nothing);
  });
});
