import { expect, it } from 'vitest';
import type { LimitCheck, LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { checkCounting } from './check-counting.ts';
import { sampleReply } from './sample-reply.fixture.ts';

/** A chat of the counting, and the requests and tokens that its answer reported as remaining. */
type CountedChat = readonly [request: ProbeReply['request'], requests: number, tokens: number];

/** The tokens that the probe's chats ask for and use. */
const sizes = {
  chat: { asked: { characters: 8, maxTokens: 1 }, usage: { input: 3, output: 1 } },
  'long-prompt': { asked: { characters: 1509, maxTokens: 1 }, usage: { input: 303, output: 1 } },
  'longer-answer': { asked: { characters: 8, maxTokens: 40 }, usage: { input: 3, output: 40 } },
};

const window = milliseconds(10_000);

const counted = ([request, requests, tokens]: CountedChat, place: number): ProbeReply =>
  sampleReply(place * 600, {
    request,
    told: Object.entries({ requests, tokens }).map(([unit, remaining]) => ({
      profile: 'litellm' as const,
      descriptor: 'api_key' as const,
      unit,
      limit: null,
      remaining,
      resetIn: null,
    })),
    ...sizes[request as keyof typeof sizes],
  });

const accountingOf = (...chats: readonly CountedChat[]): LimitCheck => {
  const log: LimitLog = {
    declared: {
      requests: { limit: 20, window },
      tokens: { limit: 2_000_000, window },
      permitted: [],
    },
    replies: chats.map(counted),
    unanswered: [],
    cut: null,
  };
  return checkCounting(log).find(({ id }) => id === 'token-accounting')!;
};

it('tokens that come back within a window show a correction, even if each drop alone matches the estimate', () => {
  // These are the values that LiteLLM's proxy reported. Its window of ten seconds ended before the second chat here.
  const check = accountingOf(
    ['long-prompt', 10, 1_999_547],
    ['chat', 19, 1_999_997],
    ['longer-answer', 18, 1_999_954],
    ['chat', 17, 1_999_950],
    ['long-prompt', 16, 1_999_571],
    ['chat', 15, 1_999_642],
  );
  expect(check.observed).toMatch(/estimate of the gateway’s own, corrected later/);
  expect(check.finding).toBe('proved');
});

it('an estimate that is never corrected refutes the claim', () => {
  const check = accountingOf(
    ['chat', 19, 1_999_997],
    ['longer-answer', 18, 1_999_955],
    ['chat', 17, 1_999_952],
    ['long-prompt', 16, 1_999_573],
    ['chat', 15, 1_999_570],
  );
  expect(check.observed).toMatch(/max_tokens, never corrected/);
  expect(check.finding).toBe('refuted');
});

it('tokens that come back at the end of a window show no correction', () => {
  const check = accountingOf(
    ['chat', 12, 1_999_642],
    ['long-prompt', 11, 1_999_263],
    ['chat', 19, 1_999_334],
    ['longer-answer', 18, 1_999_292],
    ['chat', 17, 1_999_289],
  );
  expect(check.observed).toMatch(/max_tokens, never corrected/);
});

it('remaining tokens that never fall refute the claim, though no drop was reported', () => {
  const chats = Array.from({ length: 5 }, (_, i) => ['chat', 19 - i, 2_000_000] as const);
  const check = accountingOf(...chats);
  expect(check.finding).toBe('refuted');
  expect(check.observed).toBe('5 chats that used 20 tokens all reported 2000000 remaining');
  expect(accountingOf(...chats.slice(1)).finding).toBe('undecided');
});
