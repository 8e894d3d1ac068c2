import { describe, expect, it } from 'vitest';
import type { TokenLog, TokenReply } from '../../model/token-log.ts';
import { requestsRegained, wronglyNamed } from './token-refusals.ts';

const rule = { tokens: 20_000, requests: 60, window: 60_000 };
const reply = (sent: number, status: number, unit: TokenReply['unit'] = null): TokenReply => ({
  phase: 'burst',
  kind: 'chat',
  burst: 1,
  isTap: false,
  sent,
  answered: sent + 100,
  ended: sent + 100,
  status,
  unit,
  prompt: 20,
  maxTokens: 1,
  usage: null,
  reported: null,
});

/** A log of two refusals that name requests, and so many admissions between them, evenly in `span` ms. */
const logOf = (admitted: number, span: number): TokenLog => ({
  rule,
  replies: [
    reply(0, 200),
    reply(199_000, 200),
    reply(200_000, 429, 'requests'),
    ...Array.from({ length: admitted }, (_, i) => reply(200_200 + (i * span) / admitted, 200)),
    reply(200_400 + span, 429, 'requests'),
  ],
  charactersPerToken: 4,
  isQuick: false,
  context: null,
  cut: null,
});

describe('a refusal that names requests', () => {
  it('is wrong if more were admitted since an earlier one than any small bucket regains', () => {
    // 1, a sixth of 60, and one a second for two seconds.
    expect(requestsRegained(rule, 2000)).toBeCloseTo(13, 9);
    expect(wronglyNamed(logOf(14, 1500)).map(({ sent }) => sent)).toEqual([201_900]);
  });

  it('is not wrong if a small bucket can regain as many', () => {
    expect(wronglyNamed(logOf(12, 1500))).toEqual([]);
    expect(wronglyNamed(logOf(16, 4500))).toEqual([]);
  });

  it('is not wrong if a window can have ended between, since the limit was sent before', () => {
    const log = logOf(14, 1500);
    const before = Array.from({ length: 43 }, (_, i) => reply(190_000 + i, 200));
    expect(
      wronglyNamed({ ...log, replies: [log.replies[0]!, ...before, ...log.replies.slice(1)] }),
    ).toEqual([]);
  });

  // Found by a threat of `npm run bench tokens`.
  it('is not wrong some seconds after requests that use up a window of ten seconds', () => {
    const wrongAfter = (admitted: number): readonly TokenReply[] =>
      wronglyNamed({
        ...logOf(0, 0),
        replies: [
          reply(0, 200),
          ...Array.from({ length: admitted }, (_, i) => reply(200_000 + i, 200)),
          reply(207_500, 429, 'requests'),
        ],
      });
    // A ninth of 60 are 6.7.
    expect(wrongAfter(10)).toEqual([]);
    expect(wrongAfter(7)).toEqual([]);
    expect(wrongAfter(6).map(({ sent }) => sent)).toEqual([207_500]);
  });
});
