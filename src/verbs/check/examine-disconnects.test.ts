import { expect, it } from 'vitest';
import type { WireRequest } from '../../model/observation/exchange.ts';
import { readyTarget } from '../../run/target/ready-target.fixture.ts';
import {
  budgetFor,
  findHangUpFacts,
  type HangUpSituation,
  spentOn,
} from './examine-disconnects.ts';
import type { HeldStream } from './reading/hang-up-facts.ts';
import { checkTable, requestsFor, checkBudgetFor } from './suite/check-table.ts';
import type { CheckRun } from './suite/run-checks.ts';
import { disconnectChecks } from './topics/disconnect-checks.ts';

const usual = checkTable;

it('the budget of checks has the streams that are hung up on where a check asks for them', () => {
  const requests = requestsFor(usual);
  const budget = checkBudgetFor(requests);
  expect(budgetFor(requests, usual)).toEqual(budget);
  const more = budgetFor(requests, [...usual, ...disconnectChecks]);
  expect({
    requests: more.requests - budget.requests,
    more: more.more - budget.more,
    inputTokens: more.inputTokens - budget.inputTokens,
    outputTokens: more.outputTokens - budget.outputTokens,
    characters: more.characters - budget.characters,
    audioCost: more.audioCost - budget.audioCost,
  }).toMatchInlineSnapshot(`
    {
      "audioCost": 0,
      "characters": 0,
      "inputTokens": 4320,
      "more": 60,
      "outputTokens": 4860,
      "requests": 12,
    }
  `);
});

it('nothing is hung up on where no check asks for it, or no chat model is known', async () => {
  const run = { sent: 0, target: { chat: null } } as unknown as CheckRun;
  const before = structuredClone(run);
  // It is not touched.
  const situation = {} as HangUpSituation;
  await findHangUpFacts(usual, situation, run);
  await findHangUpFacts(disconnectChecks, situation, run);
  expect(run).toEqual(before);
});

const streamOf = (changes: Partial<HeldStream>): HeldStream => ({
  begun: 0,
  status: 200,
  headers: {},
  events: 0,
  hasEnded: true,
  text: '',
  hangUp: () => undefined,
  ...changes,
});
const usageText = (input: number, output: number): string =>
  `data: {"usage":{"prompt_tokens":${input},"completion_tokens":${output}}}`;

it('streams cost what they report, else their events and the most prompt tokens of the others', () => {
  expect(spentOn([])).toEqual({ input: 0, output: 0 });
  expect(
    spentOn([
      streamOf({ text: usageText(21, 400), events: 399 }),
      streamOf({ text: usageText(19, 1) }),
      streamOf({ events: 6 }),
      streamOf({ status: 429, text: usageText(1000, 1000), events: 5 }),
      streamOf({ status: null }),
    ]),
  ).toEqual({ input: 21 + 19 + 21, output: 400 + 1 + 6 });
});

const bodyOf = ({ body }: WireRequest): unknown =>
  JSON.parse(Buffer.from(body as Uint8Array).toString());

it('a check of hang-ups asks for a long stream of the chat model, and counts it', async () => {
  const asked: WireRequest[] = [];
  const run = { sent: 3, target: { chat: 'm' } } as unknown as CheckRun;
  const session = {
    client: { now: () => 0, sleep: async () => undefined },
    open: (request: WireRequest) => {
      asked.push(request);
      return streamOf({ status: asked.length > 2 ? 500 : 200, text: usageText(7, 8) });
    },
  };
  const target = readyTarget('http://127.0.0.1:9/v1');
  const situation = { session, plan: {}, target, isStopped: () => false };
  await findHangUpFacts(disconnectChecks, situation as never, run);
  // Two short chats come before the first stream, which is the last request here.
  expect(asked.map(bodyOf)).toEqual([
    expect.objectContaining({ model: 'm', max_tokens: 1 }),
    expect.objectContaining({ model: 'm', max_tokens: 1 }),
    expect.objectContaining({
      model: 'm',
      messages: [{ role: 'user', content: expect.stringContaining('from 1 to 500') }],
      max_tokens: 400,
      stream: true,
      stream_options: { include_usage: true },
    }),
  ]);
  expect(run.sent).toBe(6);
  expect(run.hungUp).toEqual({ input: 14, output: 16 });
  expect(run.hangUps).toMatchObject({
    charge: { unseen: 'a streamed chat was answered with status 500' },
  });
});

it('a check whose streams fail still counts what they cost', async () => {
  const run = { sent: 0, target: { chat: 'm' } } as unknown as CheckRun;
  const session = {
    client: { now: () => 0, sleep: async () => undefined },
    open: () => streamOf({ hasEnded: false, text: usageText(7, 8) }),
  };
  const target = readyTarget('http://127.0.0.1:9/v1');
  const situation = {
    session,
    plan: {},
    target,
    isStopped: () => {
      throw new Error('a defect');
    },
  };
  await expect(findHangUpFacts(disconnectChecks, situation as never, run)).rejects.toThrow(
    'a defect',
  );
  expect([run.sent, run.hungUp]).toEqual([1, { input: 7, output: 8 }]);
});
