import { describe, expect, it } from 'vitest';
import type { Answers } from '../reading/check-case.ts';
import { disconnectChecks } from './disconnect-checks.ts';

const unseen = { unseen: 'not looked at' };
const judged = (name: 'slot' | 'generation' | 'charge', facts: object | undefined): string => {
  const all = { slot: unseen, generation: unseen, charge: unseen, [name]: facts };
  const hangUps = facts === undefined ? undefined : all;
  const check = disconnectChecks.find(({ id }) => id === `disconnect.${name}`)!;
  const { outcome, observed } = check.judge({ hangUps } as unknown as Answers);
  return `${outcome}: ${observed}`;
};

describe('whether a key admits again after a hang-up', () => {
  const slot = (changes: object): string =>
    judged('slot', {
      admitted: 3,
      refusedFor: 2_000,
      refusals: 4,
      admittedAfter: null,
      triedFor: 10_000,
      naturalRest: 10_000,
      namesInFlight: true,
      ...changes,
    });
  const full =
    'with 3 streams a further chat was refused 4 times in 2.0 s; one stream was hung up on, which would have taken another 10.0 s';
  it.each([
    [{ admittedAfter: 999 }, `pass: admitted again 999 ms after the hang-up: ${full}`],
    [{ admittedAfter: 1_999 }, `pass: admitted again 2.0 s after the hang-up: ${full}`],
    [
      { admittedAfter: 2_000 },
      `unchecked: admitted again only after 2.0 s, which time may have done: ${full}`,
    ],
    [
      { admittedAfter: 4_999 },
      `unchecked: admitted again only after 5.0 s, which time may have done: ${full}`,
    ],
    [
      { admittedAfter: 5_000 },
      `unchecked: admitted after 5.0 s, which may be due to another limit: ${full}`,
    ],
    [
      { admittedAfter: 8_000 },
      `deviation: admitted again only 8.0 s after the hang-up, when the answer would have ended: ${full}`,
    ],
    [{ triedFor: 8_000 }, `deviation: not admitted for 8.0 s after the hang-up: ${full}`],
    [
      { triedFor: 7_999 },
      `unchecked: not admitted for 8.0 s, which may be due to another limit: ${full}`,
    ],
    [{ namesInFlight: false }, /^unchecked: not admitted for 10.0 s/],
    [{ admitted: 1 }, /^unchecked: not admitted for 10.0 s/],
    [{ admitted: 2 }, /^deviation: not admitted for 10.0 s/],
  ])('%j', (changes, expected) => {
    if (typeof expected === 'string') expect(slot(changes)).toBe(expected);
    else expect(slot(changes)).toMatch(expected);
  });
});

describe('whether a server generates on', () => {
  const rest = (tokens: string): string => `the answer would have taken another 4.0 s; ${tokens}`;
  const none = rest('the metrics count no tokens');
  it.each([
    [
      { naturalRest: 999 },
      /^unchecked: too short to tell: the answer would have taken another 999 ms/,
    ],
    [{ naturalRest: 1_000 }, /^deviation/],
    [{ idleAfter: 1_999 }, `pass: no request ran 2.0 s after the hang-up: ${none}`],
    [{ idleAfter: 2_000 }, `unchecked: no request ran 2.0 s after the hang-up: ${none}`],
    [{ idleAfter: 3_199 }, `unchecked: no request ran 3.2 s after the hang-up: ${none}`],
    [{ idleAfter: 3_200 }, `deviation: a request still ran 3.2 s after the hang-up: ${none}`],
    [
      { tokensAfter: 7 },
      `deviation: a request still ran 5.0 s after the hang-up: ${rest('7 tokens were counted after the hang-up')}`,
    ],
    [
      { tokensAfter: 0, idleAfter: 3_500 },
      `unchecked: the metrics still counted a request as running 3.5 s after the hang-up, but no new tokens: ${rest('0 tokens were counted after the hang-up')}`,
    ],
  ])('%j', (changes, expected) => {
    const facts = { idleAfter: null, lookedFor: 5_000, naturalRest: 4_000, tokensAfter: null };
    const found = judged('generation', { ...facts, ...changes });
    if (typeof expected === 'string') expect(found).toBe(expected);
    else expect(found).toMatch(expected);
  });
});

describe('what a hang-up is charged', () => {
  const charge = (ofHangUp: number, promptTokens: number | null = null): string =>
    judged('charge', { ofHangUp, ofWhole: 100, events: 8, wholeEvents: 90, promptTokens });
  const seen = (of: number): string =>
    `${of} tokens of the limit for a hang-up after 8 token events, 100 for a whole answer of 90`;
  it('is what came of the answer, or all of it', () => {
    expect(charge(0)).toBe(`open: nothing was charged: ${seen(0)}`);
    expect(charge(1)).toBe(`pass: ${seen(1)}`);
    expect(charge(94)).toBe(`pass: ${seen(94)}`);
    expect(charge(95)).toBe(`deviation: charged as if it were whole: ${seen(95)}`);
    expect(charge(30, 12)).toBe(`pass: ${seen(30)}; the prompt has 12`);
  });

  it('is unknown where no stream was hung up on, or nothing was seen', () => {
    expect(judged('charge', undefined)).toBe(
      'unchecked: no stream was hung up on: no chat model is known',
    );
    expect(judged('charge', unseen)).toBe('unchecked: not looked at');
  });
});
