import { describe, expect, it } from 'vitest';
import type { TokenReply } from '../../model/token-log.ts';
import { calibrateTokens } from './measure-charges.ts';
import { openExamination } from './open-examination.ts';
import type { TokenQuery } from './token-client.ts';
import { forgottenAfter, planTokens } from './token-plan.ts';

const found = planTokens({
  rule: { tokens: 20_000, requests: 60, window: 60_000 },
  context: null,
  isQuick: false,
  sustain: 0,
  hasOtherModel: false,
  hasAudio: false,
});
if (typeof found === 'string') throw new Error(found);
const plan = found;

/** Calibrates with a gateway without headers, which answers within 10 ms with the status that the test says. */
const calibrated = async (statusOf: (query: TokenQuery, place: number) => number = () => 200) => {
  let now = 0;
  const queries: { readonly at: number; readonly query: TokenQuery }[] = [];
  const send = (query: TokenQuery): Promise<TokenReply> => {
    const sent = now;
    queries.push({ at: sent, query });
    now += 10;
    const { phase, kind, burst = 0, isTap = false, prompt, maxTokens } = query;
    const status = statusOf(query, queries.length);
    const times = { sent, answered: now, ended: now };
    const more = { unit: null, prompt, maxTokens, usage: null, reported: null };
    return Promise.resolve({ phase, kind, burst, isTap, ...times, status, ...more });
  };
  const client = {
    now: () => now,
    sleepUntil: (moment: number) => {
      now = Math.max(now, moment);
      return Promise.resolve();
    },
    send,
    charactersPerToken: () => null,
  };
  const examination = openExamination(client, {
    plan,
    budget: { requests: 1000, tokens: 1e9 },
    stopReason: () => null,
    onPhaseStart: () => undefined,
  });
  const ending: unknown = await calibrateTokens(examination).catch((error: unknown) => error);
  const why = ending instanceof Error ? ending.message : null;
  const asked = queries.map(({ query: { kind, isTap, prompt } }) =>
    isTap === true && prompt !== plan.visible ? '.' : `${kind} ${prompt}`,
  );
  const waits = queries.slice(1).map(({ at }, i) => at - queries[i]!.at - 10);
  return { why, asked, waits, latency: examination.latency };
};

const [{ visible, slice }, forgetting] = [plan, 1.01 * forgottenAfter(plan.rule.window)];

describe('the calibration of an examination of tokens', () => {
  it('sends two lengths of text, a chat and a stream, and looks at the limit between them', async () => {
    const { why, asked, latency } = await calibrated();
    expect(why).toBeNull();
    expect(asked.filter((each) => each !== '.')).toEqual([
      `chat ${visible}`,
      `chat ${slice}`,
      `stream ${slice}`,
    ]);
    expect([asked[0], asked[2], asked.at(-1)]).toEqual(['.', '.', '.']);
    expect(latency).toBe(10);
  });

  it('waits after a first refusal until all is forgotten', async () => {
    const first = await calibrated((_, place) => (place === 1 ? 429 : 200));
    expect([first.why, first.waits[0]]).toEqual([null, forgetting]);
    const second = await calibrated((_, place) => (place === 2 ? 429 : 200));
    expect([second.why, second.waits[0], second.waits[1]]).toEqual([null, 0, forgetting]);
    expect(second.asked.slice(1, 3)).toEqual([`chat ${visible}`, `chat ${visible}`]);
  });

  it.each<readonly [string, (query: TokenQuery, place: number) => number, RegExp, number]>([
    [
      'both first chats are refused',
      (_, place) => (place === 2 || place === 3 ? 429 : 200),
      /^the first chats were refused: the key is not idle$/,
      0,
    ],
    [
      'the first chat fails',
      (_, place) => (place === 2 ? 404 : 200),
      /^the first chat was answered with .*404/,
      0,
    ],
    [
      'a longer chat fails',
      ({ prompt }) => (prompt === slice ? 500 : 200),
      new RegExp(`^a chat of ${slice} tokens was answered with .*500`),
      1,
    ],
    [
      'all longer chats are refused',
      ({ prompt }) => (prompt === slice ? 429 : 200),
      new RegExp(`^chats of ${slice} tokens were refused: the key is not idle$`),
      3,
    ],
    [
      'all streams are refused',
      ({ isStream }) => (isStream ? 429 : 200),
      new RegExp(`^streamed chats of ${slice} tokens were refused where others were admitted$`),
      4,
    ],
  ])('ends if %s', async (_, statusOf, why, tries) => {
    const { why: seen, asked } = await calibrated(statusOf);
    expect(seen).toMatch(why);
    // What is refused is tried three times.
    expect(asked.filter((each) => each.endsWith(` ${slice}`))).toHaveLength(tries);
  });
});
