import { expect, it } from 'vitest';
import { budgetFor, findHangUpFacts, type HangUpSituation } from './examine-disconnects.ts';
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
