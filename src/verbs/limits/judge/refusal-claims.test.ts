import { describe, expect, it } from 'vitest';
import type {
  LimitCheck,
  LimitLog,
  ProbeReply,
  RefusalDetails,
  ReportedLimit,
} from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { checkHeaders, checkRefusals, mayBeTokenRefusal } from './check-answers.ts';
import { checkOtherLimits } from './check-other-limits.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const window = milliseconds(10_000);

const logOf = (replies: readonly ProbeReply[], tokens: number | null = 1000): LimitLog => ({
  declared: {
    requests: { limit: 20, window },
    tokens: tokens === null ? null : { limit: tokens, window },
    permitted: [],
  },
  replies,
  unanswered: [],
  cut: null,
});

const limitOf = (unit: string, limit: number | null, remaining: number | null): ReportedLimit => ({
  profile: 'x',
  descriptor: null,
  unit,
  limit,
  remaining,
  resetIn: null,
});
const both = [limitOf('requests', 20, 19), limitOf('tokens', 1000, 996)];

const shown = (checks: readonly LimitCheck[], id: string): string => {
  const { finding, observed } = checks.find((check) => check.id === id)!;
  return `${finding}: ${observed}`;
};

describe('the headers', () => {
  const of = (id: string, ...replies: readonly ProbeReply[]): string =>
    shown(checkHeaders(logOf(replies)), id);
  const present = (...replies: readonly ProbeReply[]): string => of('headers-present', ...replies);

  it('are on every response but those before a key is known', () => {
    const whole = sampleReply(0, { told: both });
    const none = { told: [] };
    expect(present(whole)).toBe('proved: all 1 responses had them');
    expect(
      present(
        whole,
        sampleReply(1, { ...none, status: 401 }),
        sampleReply(2, { ...none, status: 0 }),
        sampleReply(3, { ...none, request: 'unknown-path', status: 404 }),
      ),
    ).toBe('proved: all 1 responses had them');
    expect(present(sampleReply(1, { status: 401 }))).toBe('undecided: all 0 responses had them');
    expect(
      present(
        whole,
        sampleReply(1, { request: 'speech' }),
        sampleReply(2, { request: 'speech' }),
        sampleReply(3, { status: 429, request: 'speech' }),
      ),
    ).toBe('refuted: 3 of 4 responses did not have all: speech, 429');
  });

  it('have the limit and what remains of both units', () => {
    for (const lacking of [
      [both[0]!],
      [both[1]!],
      [both[0]!, limitOf('tokens', null, 1)],
      [both[0]!, limitOf('tokens', 1, null)],
    ])
      expect(present(sampleReply(0, { told: lacking }))).toMatch(/^refuted/);
  });

  it('are readable', () => {
    const wrong = sampleReply(1, { unreadable: ['x-limit: a', 'x-rest: b'] });
    expect(of('headers-readable', sampleReply(0))).toBe('proved: all values were readable');
    expect(of('headers-readable', sampleReply(0), wrong)).toBe(
      'refuted: 1 responses had unreadable values',
    );
    expect(checkHeaders(logOf([wrong]))[1]!.evidence).toEqual([
      'r-1: x-limit: a',
      'r-1: x-rest: b',
    ]);
    expect(
      checkHeaders(
        logOf(Array.from({ length: 40 }, (_, i) => ({ ...wrong, requestId: `${i}` }))),
      )[1]!.evidence.length,
    ).toMatchInlineSnapshot(`10`);
  });

  it('name the declared limits', () => {
    expect(of('limit-requests', sampleReply(0, { told: both }))).toBe('proved: named: 20');
    expect(of('limit-tokens', sampleReply(0, { told: [limitOf('tokens', 900, 1)] }))).toMatch(
      /^refuted: named: 900/,
    );
    expect(checkHeaders(logOf([], null)).map(({ id }) => id)).toEqual([
      'headers-present',
      'headers-readable',
      'limit-requests',
    ]);
  });
});

const refused = (
  sent: number,
  details: Partial<RefusalDetails> = {},
  changes: Partial<ProbeReply> = {},
): ProbeReply =>
  sampleReply(sent, {
    phase: 'provocation',
    status: 429,
    admitted: false,
    refusal: { form: 'error', unit: null, resetAt: null, message: '', ...details },
    usage: null,
    ...changes,
  });

describe('a refusal', () => {
  const of = (id: string, ...replies: readonly ProbeReply[]): string =>
    shown(checkRefusals(logOf(replies)), id);

  it('has one of two documented bodies', () => {
    expect(of('refusal-body', refused(0), refused(1, { form: 'none-429' }))).toBe(
      'proved: forms: error, none-429',
    );
    expect(of('refusal-body', refused(0), refused(1, {}, { refusal: null }))).toBe(
      'refuted: forms: error, none',
    );
    expect(of('refusal-body')).toBe('undecided: nothing was refused with 429');
  });

  it('names tokens only if a quarter of their limit can be used', () => {
    const tokens = (used: number): string =>
      of(
        'refusal-names-limit',
        sampleReply(0, {
          asked: { characters: 0, maxTokens: 0 },
          usage: { input: used, output: 0 },
        }),
        refused(100, { unit: 'tokens' }, { asked: null }),
      );
    expect([100, 249, 250, 251, 400].map((used) => tokens(used).split(':')[0]))
      .toMatchInlineSnapshot(`
      [
        "refuted",
        "refuted",
        "proved",
        "proved",
        "proved",
      ]
    `);
    expect(of('refusal-names-limit', refused(0))).toBe('undecided: no 429 named a limit');
    expect(of('refusal-names-limit', refused(0, { unit: 'requests' }))).toBe(
      'proved: 0 of 1 named tokens although too few were used within two windows',
    );
    expect(tokens(1)).toBe(
      'refuted: 1 of 1 named tokens although too few were used within two windows',
    );
  });

  it('may be for tokens if it names nothing and enough was used by the same key in a window', () => {
    const used = (changes: Partial<ProbeReply> = {}): boolean => {
      const refusal = refused(20_000, {}, { asked: null });
      return mayBeTokenRefusal(
        logOf([
          sampleReply(19_000, { asked: null, usage: { input: 900, output: 100 }, ...changes }),
          refusal,
        ]),
        refusal,
      );
    };
    expect(used()).toBe(true);
    expect(used({ usage: { input: 900, output: 99 } })).toBe(false);
    expect(used({ key: 'second' })).toBe(false);
    // The longest window is 11 s.
    expect(used({ sent: instant(0), ended: instant(9000) })).toBe(true);
    expect(used({ sent: instant(0), ended: instant(8999) })).toBe(false);
    expect(used({ sent: instant(20_030) })).toBe(true);
    expect(used({ sent: instant(20_031) })).toBe(false);
    // A chat that reports nothing may use its characters, its max_tokens and those of a template.
    expect(used({ usage: null, asked: { characters: 950, maxTokens: 40 } })).toBe(true);
    expect(used({ usage: null, asked: { characters: 950, maxTokens: 39 } })).toBe(false);
    const named = refused(0, { unit: 'requests' });
    expect(mayBeTokenRefusal(logOf([named], 1), named)).toBe(false);
    const unnamed = refused(0);
    expect(mayBeTokenRefusal(logOf([unnamed], 1), unnamed)).toBe(true);
    expect(mayBeTokenRefusal(logOf([unnamed], null), unnamed)).toBe(false);
  });

  it('has the status 429', () => {
    expect(of('refusal-status', refused(0))).toBe('proved: all 1 refusals had status 429');
    expect(of('refusal-status', sampleReply(0))).toBe('undecided: nothing was refused');
    const failed = Array.from({ length: 4 }, (_, i) =>
      sampleReply(1000 + i, { status: 503, phase: 'sustained' }),
    );
    expect(of('refusal-status', sampleReply(0), ...failed)).toBe(
      'refuted: 4 chats were refused with 503, which other chats below the limit were not',
    );
  });
});

describe('the wait of a refusal', () => {
  const waits = (...replies: readonly ProbeReply[]): string =>
    shown(checkRefusals(logOf(replies)), 'retry-after');
  const wait = (sent: number, seconds: number | null): ProbeReply =>
    refused(sent, {}, { retryAfter: seconds === null ? null : milliseconds(1000 * seconds) });
  const admitted = (sent: number): ProbeReply => sampleReply(sent, { phase: 'provocation' });

  it('is exact, too long, or ends while the key is refused', () => {
    expect(waits(wait(0, 5), admitted(5100))).toBe('proved: 1 exact');
    expect(waits(wait(0, 9), admitted(2000))).toBe('proved: 1 conservative');
    expect(waits(wait(0, 1), wait(4000, 1), admitted(5100))).toBe('refuted: 1 exact, 1 deceptive');
    expect(waits(wait(0, 5))).toBe('undecided: 1 unknown');
  });

  it('is absent', () => {
    expect(waits(wait(0, null), admitted(5100))).toMatch(/^refuted: absent on 1 of 1$/);
    expect(waits(wait(0, null), wait(100, 5), admitted(5100))).toBe(
      'refuted: absent on 1 of 2; 1 exact',
    );
  });

  it('is always the same', () => {
    const constant = (...moments: readonly number[]): string =>
      waits(...moments.map((moment) => wait(moment, 9)), admitted(9500));
    expect(constant(0, 4000, 8000)).toMatchInlineSnapshot(
      `"refuted: always 9 s, at any remaining time; 1 exact, 2 conservative"`,
    );
    expect(constant(0, 8000)).toMatchInlineSnapshot(`"proved: 1 exact, 1 conservative"`);
    expect(constant(0, 500, 900)).toMatchInlineSnapshot(`"proved: 3 exact"`);
  });

  it('of other phases, keys and overlapping requests is not known', () => {
    const overlapped = waits(wait(0, 5), { ...admitted(20), phase: 'even' }, admitted(5100));
    expect(overlapped).toMatch(/^undecided: 1 was refused with 429, but none while/);
    expect(waits(wait(0, 5), { ...admitted(30), phase: 'even' }, admitted(5100))).toBe(
      'proved: 1 exact',
    );
    expect(waits(wait(0, 5), { ...admitted(5100), key: 'second' })).toBe('undecided: 1 unknown');
    expect(waits(wait(0, 5), { ...admitted(5100), phase: 'sustained' })).toBe(
      'undecided: 1 unknown',
    );
  });
});

describe('limits beside those that are examined', () => {
  const others = (...replies: readonly ProbeReply[]): string => {
    const { finding, observed } = checkOtherLimits(logOf(replies));
    return `${finding}: ${observed}`;
  };
  const daily = (
    remaining: number | null,
    unit = 'tokens',
    period = 86_400_000,
  ): ReportedLimit => ({
    ...limitOf(unit, 5000, remaining),
    descriptor: 'team',
    window: milliseconds(period),
  });
  const own: ReportedLimit = { ...limitOf('tokens', 1000, 990), descriptor: 'api_key' };

  it('are named with what remained and whether they count what they say', () => {
    const [one, two] = [daily(4000), daily(3996)];
    expect(
      others(sampleReply(0, { told: [own, one] }), sampleReply(100, { told: [own, two] })),
    ).toBe(
      'undecided: beside them: 5,000 tokens in 86,400 s of team, 3,996 remained at least, it fell by exactly what was used 1 of 1 times',
    );
    expect(
      others(
        sampleReply(0, { told: [own, daily(90, 'requests', 60_000)] }),
        sampleReply(100, {
          told: [
            own,
            { ...limitOf('requests', 9, 9), descriptor: 'api_key' },
            daily(88, 'requests', 60_000),
          ],
        }),
      ),
    ).toMatchInlineSnapshot(
      `"undecided: beside them: 5,000 requests a minute of team, 88 remained at least"`,
    );
  });

  it('are compared only from an answer to what was sent after it, where they fell', () => {
    const fell = (sent: number, left: number | null, unit = 'tokens'): string =>
      others(
        sampleReply(0, { told: [own, daily(4000, unit)] }),
        sampleReply(sent, { told: [own, daily(left, unit)] }),
      );
    expect(fell(30, 3990)).toContain('it fell by exactly what was used 0 of 1 times');
    expect(fell(29, 3990)).not.toContain('it fell');
    expect(fell(100, 4000)).not.toContain('it fell');
    expect(fell(100, 4001)).not.toContain('it fell');
    expect(fell(100, null)).not.toContain('it fell');
    expect(fell(100, 3997, 'input-tokens')).toContain('1 of 1');
    expect(fell(100, 3997, 'tokens-prompt')).toContain('1 of 1');
    expect(fell(100, 3999, 'output-tokens')).toContain('1 of 1');
    expect(fell(100, 3999, 'tokens-generated')).toContain('1 of 1');
    expect(fell(100, 3999, 'pages')).not.toContain('it fell');
    expect(others(sampleReply(0, { told: [own, daily(null)] }))).not.toContain('remained');
  });

  it('are none, or left out of a team’s', () => {
    expect(others(sampleReply(0))).toBe('undecided: the answers report no limits');
    expect(others(sampleReply(0, { told: both }))).toBe('proved: none');
    expect(
      others(
        sampleReply(0, { told: both }),
        sampleReply(1, { told: [own, daily(1)], key: 'second' }),
      ),
    ).toBe('proved: none');
    const team = checkOtherLimits({ ...logOf([sampleReply(0, { told: both })]), isTeam: true });
    expect(`${team.finding}: ${team.observed}`).toBe(
      'undecided: none of the team; those of single keys were left out',
    );
  });
});
