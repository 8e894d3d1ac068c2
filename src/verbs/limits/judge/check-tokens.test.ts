import { describe, expect, it } from 'vitest';
import type { LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { limiterClassNames } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { checkTokenLimit, judgeTokens } from './check-tokens.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const window = milliseconds(60_000);

const reply = (sent: number, tokens: number, changes: Partial<ProbeReply> = {}): ProbeReply =>
  sampleReply(sent, {
    requestId: `r${sent}`,
    phase: 'even',
    answered: instant(sent + 50),
    ended: instant(sent + 50),
    asked: { characters: 4 * tokens, maxTokens: 1 },
    usage: { input: tokens - 1, output: 1 },
    ...changes,
  });
const refused = (sent: number, unit: 'tokens' | 'requests'): ProbeReply =>
  reply(sent, 10, {
    status: 429,
    admitted: false,
    usage: null,
    refusal: { form: 'error', unit, resetAt: null, message: '' },
  });

const logOf = (replies: readonly ProbeReply[], tokens: number | null = 1000): LimitLog => ({
  declared: {
    requests: { limit: 60, window },
    tokens: tokens === null ? null : { limit: tokens, window },
    permitted: limiterClassNames,
  },
  replies,
  unanswered: [],
  cut: null,
});

const findingsIn = (log: LimitLog, otherCause: string | null = null) =>
  Object.fromEntries(checkTokenLimit(log, otherCause).map(({ id, finding }) => [id, finding]));
const limit = { told: [{ profile: 'x', descriptor: null, unit: 'requests', resetIn: null }] };
const fresh = limit.told.map((each) => ({ ...each, limit: 60, remaining: 59 }));

describe('the limit of tokens in an examination', () => {
  it('was not examined, whatever was used of it', () => {
    const log = logOf([reply(0, 20), reply(2000, 20)]);
    expect(judgeTokens(log, [])).toStrictEqual({
      verdict: 'not examined',
      reasons: [
        'at most 40 of 1,000 tokens were used within 60 s, and nothing was refused for tokens',
      ],
    });
    expect(judgeTokens(logOf([], null), []).reasons).toStrictEqual(['no limit is declared']);
    expect(judgeTokens(logOf([refused(0, 'tokens')]), []).reasons[0]).toMatch(
      /1 request was refused for tokens$/,
    );
  });

  it('is violated by admissions after more than any limiter allows', () => {
    const replies = Array.from({ length: 7 }, (_, i) => reply(2000 * i, 500));
    expect(findingsIn(logOf(replies))).toMatchObject({ 'tokens-kept': 'refuted' });
    expect(findingsIn(logOf(replies.slice(0, 6)))).toMatchObject({ 'tokens-kept': 'undecided' });
  });

  it('is violated by a refusal of a key that used hardly anything, unless somebody else uses it', () => {
    const replies = [reply(0, 20, { told: fresh }), refused(5000, 'tokens')];
    expect(findingsIn(logOf(replies))).toMatchObject({ 'tokens-refused-early': 'refuted' });
    expect(findingsIn(logOf(replies), 'x')).toMatchObject({ 'tokens-refused-early': 'undecided' });
    // Without a header an earlier use can be the cause.
    const unknown = [reply(0, 20), refused(5000, 'tokens')];
    expect(findingsIn(logOf(unknown))).toMatchObject({ 'tokens-refused-early': 'undecided' });
  });
});
