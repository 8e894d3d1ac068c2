import { expect, it } from 'vitest';
import type { TokenReply } from '../../model/token-log.ts';
import type { TokenClient, TokenQuery } from './token-client.ts';
import { Cut, forget, latencyOf, openExamination, settleOf } from './open-examination.ts';
import { forgottenAfter, tapTokens } from './token-plan.ts';

const plan = { rule: { window: 60_000 }, slice: 100 } as never;

/** Opens an examination at 5 s, of a gateway that answers with these statuses in turn. */
const opened = (statuses: readonly number[], budget = { requests: 10, tokens: 1000 }) => {
  const slept: number[] = [];
  const queries: TokenQuery[] = [];
  const client: TokenClient = {
    now: () => 5000,
    sleepUntil: async (moment) => void slept.push(moment),
    send: async (query) => {
      const status = statuses[queries.length] ?? 200;
      queries.push(query);
      // Later ones were sent first.
      return { ...query, sent: 100 - queries.length, status } as unknown as TokenReply;
    },
    charactersPerToken: () => null,
  };
  let stop: string | null = null;
  const examination = openExamination(client, {
    plan,
    budget,
    stopReason: () => stop,
    onPhaseStart: () => undefined,
  });
  return {
    examination,
    slept,
    queries,
    stopFor: (reason: string) => {
      stop = reason;
    },
  };
};

it('a pause lasts from now on, and forgetting a hundredth longer than the rule remembers', async () => {
  const { examination, slept } = opened([]);
  await examination.pause(250);
  await forget(examination);
  expect(slept).toEqual([5250, 5000 + 1.01 * forgottenAfter(60_000)]);
});

it('a tap is the smallest chat, and replies are sorted by when they were sent', async () => {
  const { examination, queries } = opened([]);
  await examination.tap('reserve');
  await examination.tap('reserve', 3);
  expect(
    queries.map(({ burst, prompt, maxTokens, isTap, kind }) => [
      burst,
      prompt,
      maxTokens,
      isTap,
      kind,
    ]),
  ).toEqual([
    [0, tapTokens, 1, true, 'chat'],
    [3, tapTokens, 1, true, 'chat'],
  ]);
  expect(examination.sorted().map(({ sent }) => sent)).toEqual([98, 99]);
});

it('the budget counts the tokens of what was not refused, and is not exceeded by one', async () => {
  const ask = (prompt: number, maxTokens: number): TokenQuery => ({
    phase: 'even',
    kind: 'chat',
    prompt,
    maxTokens,
    isStream: false,
  });
  const { examination, queries } = opened([200, 429], { requests: 4, tokens: 100 });
  await examination.send(ask(50, 10));
  await examination.send(ask(30, 10));
  await expect(examination.send(ask(30, 11))).rejects.toThrow(Cut);
  await examination.send(ask(30, 10));
  await examination.send(ask(0, 0));
  await expect(examination.send(ask(0, 0))).rejects.toThrow('the budget is spent');
  expect(queries).toHaveLength(4);
  const stopped = opened([]);
  stopped.stopFor('the run was stopped');
  await expect(stopped.examination.send(ask(1, 1))).rejects.toThrow('the run was stopped');
});

it('longer prompts take longer by their length, shorter ones as long', () => {
  const { examination } = opened([]);
  examination.latency = 40;
  expect([50, 100, 250].map((prompt) => latencyOf(examination, prompt))).toEqual([40, 40, 100]);
  expect(settleOf(examination)).toBeGreaterThan(0);
});
