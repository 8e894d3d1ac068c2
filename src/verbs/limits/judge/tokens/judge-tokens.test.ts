import { describe, expect, it } from 'vitest';
import type { TokenLog, TokenReply } from '../../model/token-log.ts';
import { judgeTokenLog } from './judge-tokens.ts';
import { refusedReply, tapReply, tokenLog, tokenReply } from './sample-token-log.fixture.ts';

/** What is said of a limit of 20,000 tokens a minute by logs that are made by hand. */

const large = (sent: number, input: number, changes: Partial<TokenReply> = {}): TokenReply =>
  tokenReply(sent, {
    phase: 'burst',
    burst: 1,
    prompt: input,
    usage: { input, output: 0 },
    ...changes,
  });

const found = (log: TokenLog, isPromised = false) => judgeTokenLog(log, { isPromised });

const claim = (id: string, replies: readonly TokenReply[]): string => {
  const { finding, observed } = found(tokenLog(replies)).checks.find((check) => check.id === id)!;
  return `${finding}: ${observed}`;
};

describe('requests that are sent together', () => {
  const atOnce = (input: number) =>
    claim('token-at-once', [large(0, input), large(0, input), tapReply(9000, null)]);

  it('use more than the limit if they are above any count of it', () => {
    expect(atOnce(10_700)).toBe(
      'undecided: 2 in flight at once with 1.07 of the limit were admitted',
    );
    expect(atOnce(10_701)).toBe(
      'refuted: 2 in flight at once with 1.07 of the limit were admitted',
    );
    expect(claim('token-at-once', [tapReply(0, null)])).toBe(
      'undecided: 0 in flight at once with 0.00 of the limit were admitted',
    );
  });

  it('are reported with how much they can use, if they are charged at their end', () => {
    const { atOnce: few } = found(tokenLog([large(0, 10_700), large(0, 10_700)]));
    expect(few).toBe(null);
    const { atOnce: many, bursts } = found(tokenLog([large(0, 15_000), large(0, 15_000)]));
    expect(many).toEqual({ requests: 2, limits: 1.5 });
    expect(bursts).toEqual([
      { burst: 1, admitted: 2, refused: 0, tokens: 30_000, before: null, atOnce: 30_000 },
    ]);
    const reserved = refusedReply(5, { phase: 'reserve' });
    const { atOnce: none, chargedAt } = found(
      tokenLog([reserved, large(10, 15_000), large(10, 15_000)]),
    );
    expect([none, chargedAt]).toEqual([null, 'reserved']);
  });
});

describe('a limit is not called kept', () => {
  const why = (replies: readonly TokenReply[], changes: Partial<TokenLog> = {}) => {
    const { verdict, reasons } = found(tokenLog(replies, changes));
    return [verdict, ...reasons];
  };

  it('if the examination ended early', () => {
    expect(why([large(0, 1)], { cut: 'stopped' })).toEqual([
      'undecided',
      'the examination ended early: stopped',
    ]);
  });

  it('if nothing was refused for tokens', () => {
    expect(why([large(0, 21_399)])).toEqual([
      'undecided',
      'nothing was refused for tokens: 21,399 tokens were used in the fullest window, and 20,000 were never reached',
    ]);
    expect(why([large(0, 21_400)])).toEqual([
      'undecided',
      'nothing was refused for tokens, after 21,400 of 20,000 in a window',
    ]);
    expect(why([large(0, 1), refusedReply(500, { unit: 'requests' })])).toEqual([
      'undecided',
      'nothing was refused for tokens, and 1 for requests: the limit of tokens was never reached',
    ]);
  });

  it('for each thing that was not shown', () => {
    const refused = refusedReply(1000, { phase: 'burst', burst: 1 });
    expect(why([large(0, 20_000), refused])).toMatchSnapshot('in full');
    expect(why([large(0, 20_000), refused], { isQuick: true })).toMatchSnapshot('quickly');
    const recovered = tapReply(300_000, null, { phase: 'recovery' });
    expect(why([large(0, 20_000), refused, recovered], { isQuick: true })).toMatchSnapshot(
      'recovered',
    );
  });
});
