import { describe, expect, it } from 'vitest';
import type { LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { judgeLimits } from './judge-limits.ts';
import { sampleReply } from './sample-reply.fixture.ts';

/** What is said of few decisions on a limit of 10 requests in 10 s; `judged-loads.test.ts` has whole loads. */

const logOf = (replies: readonly ProbeReply[], more: Partial<LimitLog> = {}): LimitLog => ({
  declared: {
    requests: { limit: 10, window: milliseconds(10_000) },
    tokens: null,
    permitted: [],
  },
  replies,
  unanswered: [],
  cut: null,
  ...more,
});

const refusedFor = (unit: string | null): Partial<ProbeReply> => ({
  admitted: false,
  status: 429,
  refusal: { form: 'error', unit, resetAt: null, message: '' } as ProbeReply['refusal'],
});
const refused = refusedFor('requests');

/** A chat that was answered after so many ms. */
const chat = (sent: number, changes: Partial<ProbeReply> = {}, took = 2): ProbeReply =>
  sampleReply(sent, {
    phase: 'sustained',
    answered: instant(sent + took),
    ended: instant(sent + took),
    ...changes,
  });

const every = (count: number, spacing: number, from = 0, changes: Partial<ProbeReply> = {}) =>
  Array.from({ length: count }, (_, i) => chat(from + i * spacing, changes));

/** Chats 5 ms apart, of which the first ones are admitted. */
const burst = (admitted: number, all: number, from: number): readonly ProbeReply[] =>
  Array.from({ length: all }, (_, i) =>
    chat(from + i * 5, { phase: 'provocation', ...(i < admitted ? {} : refused) }),
  );

const said = (replies: readonly ProbeReply[], more: Partial<LimitLog> = {}): readonly string[] => {
  const { verdict, requests, reasons } = judgeLimits(logOf(replies, more));
  expect(requests).toBe(verdict);
  return [verdict, ...reasons];
};

const neverReached = 'nothing was refused or delayed: the limit was never reached';
const failed = { status: 404 };
const few = every(3, 3000);

describe('nothing is decided', () => {
  it.each<readonly [string, readonly ProbeReply[], Partial<LimitLog>, readonly string[]]>([
    ['of no decisions', [], {}, [neverReached]],
    ['of admissions alone', few, {}, [neverReached]],
    ['by a part', few, { cut: 'stopped' }, ['the examination ended early: stopped']],
    [
      'if more than a fifth failed',
      [...few, chat(9000, failed)],
      {},
      ['1 of 4 chats failed for reasons that are not the limit’s'],
    ],
    ['if a fifth failed', [...every(4, 3000), chat(12_000, failed)], {}, [neverReached]],
    [
      'if all refusals were for tokens',
      [...few, chat(9000, refusedFor('tokens')), chat(9500, refusedFor('tokens'))],
      {},
      [
        'nothing was refused for requests, only chats for tokens (2): the limit of requests was never reached',
      ],
    ],
    [
      'if the only refusal was for tokens',
      [...few, chat(9000, refusedFor('tokens'))],
      {},
      [
        'nothing was refused for requests, only chats for tokens (1): the limit of requests was never reached',
      ],
    ],
    [
      'if all refusals were of requests in flight',
      [...few, chat(9000), ...every(2, 0, 9000, refusedFor('in-flight'))],
      {},
      ['a cap on requests in flight explains every refusal, and such a cap limits no rate'],
    ],
    [
      'of a load of which less than the limit was admitted',
      [...burst(2, 8, 0), chat(15_000), ...burst(2, 4, 30_000)].map((reply) => ({
        ...reply,
        phase: 'sustained' as const,
      })),
      {},
      [
        'of a load above the limit less than the limit was admitted, and nothing shows that this is because refusals count',
      ],
    ],
    [
      'of bursts that no bucket explains',
      [chat(0), ...burst(3, 6, 20_000), ...burst(9, 14, 50_000)],
      {},
      [
        'of an idle key 3 were admitted at once and another time 9, which no bucket of one size explains',
      ],
    ],
    [
      'of refusals in turns with admissions',
      [
        chat(0),
        ...Array.from({ length: 8 }, (_, i) =>
          chat(20_000 + i * 5, { phase: 'provocation', ...(i % 2 === 0 ? {} : refused) }),
        ),
      ],
      {},
      ['requests were refused far below the limit, and no limiter that we know explains it'],
    ],
    [
      'if the first request was refused',
      [chat(0, refused), ...every(3, 3000, 4000)],
      {},
      [
        'the key was refused after a window in which nothing was admitted, which no limiter explains',
      ],
    ],
    [
      'of two bursts above the limit whose boundary may be one',
      [chat(0), ...burst(13, 18, 20_000), ...burst(14, 18, 53_300)],
      {},
      [
        'of an idle key 14 were admitted at once, where 11 are allowed, and no burst at another phase shows that a window’s boundary was the cause',
      ],
    ],
    [
      'of a first burst above the limit',
      burst(13, 18, 0),
      {},
      [
        '13 were admitted at once, where 11 are allowed, and no burst at another phase shows that a window’s boundary was the cause',
      ],
    ],
  ])('%s', (_, replies, more, reasons) => {
    expect(said(replies, more)).toEqual(['undecided', ...reasons]);
  });

  it('of refusals that each last for a window', () => {
    const locks = (refusals: number, spacing: number) =>
      [0, spacing, 2 * spacing].flatMap((from) => [
        ...every(4, 5, from),
        ...every(refusals, 1000, from + 100, refused),
      ]);
    const like =
      'most refusals were followed by a whole window of refusals, which no limiter explains';
    expect(said(locks(12, 15_000))).toContain(like);
    expect(said(locks(4, 5000))).not.toContain(like);
  });
});

describe('the limit is kept', () => {
  const none = 'no span had more than any limiter of the limit admits';

  it('if a burst had what it allows, and an even pace was not refused', () => {
    const even = every(26, 1300, 0, { phase: 'even' });
    expect(said([...even, ...burst(10, 14, 60_000)])).toEqual(['kept', none]);
    const fresh = { listed: { sent: instant(-20), answered: instant(-10) } };
    expect(said([...even, ...burst(10, 14, 60_000)], fresh)[0]).toBe('kept');
  });

  it('if what waited was let through at its pace', () => {
    // 25 chats at once, answered one after another, and ten that were answered promptly before.
    const waiting = Array.from({ length: 25 }, (_, i) => chat(50_000 + i * 10, {}, 50 + i * 990));
    expect(said([...every(10, 3000), ...waiting])).toEqual([
      'kept',
      'no span certainly had more than any limiter of the limit admits',
      'an even pace below the limit was never refused',
      'what was delayed was let through at the limit’s pace, every 1 s',
    ]);
  });
});

it('a burst of more than twice the limit violates it, which no other reason hides', () => {
  const wrong = 'over-admission: 25 were admitted within 9 s, where any limiter admits at most 20';
  expect(said([chat(0), ...burst(25, 30, 20_000)], { cut: 'stopped' })).toEqual([
    'violated',
    wrong,
  ]);
});
