import { join } from 'node:path';
import { expect, it } from 'vitest';
import { figuresOver } from '../../model/result/summary.ts';
import { addCosts, billParts } from '../../report/run/bill.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Prompts and answers whose lengths the plan knows, with prices that have to be rounded for each answer. */
const scenario = `
traffic:
  - { kind: chat, model: weir/small, prompt: { tokens: 101 }, maxTokens: 19 }
  - { kind: chat-stream, model: weir/large, prompt: { tokens: 57 }, maxTokens: 7 }
  - { kind: speech, model: weir-tts, text: The gate is open. }
  - { kind: transcription, model: weir/whisper, clips: bundled }
prices:
  weir/small: { input: 0.153, output: 0.607, request: 0.000003 }
  weir/large: { input: 1.25, output: 5.01 }
  weir-tts: { perCharacter: 0.000015 }
  weir/whisper: { perSecond: 0.0001007, roundUpTo: 1s }
load: { kind: constant, rate: 20/s, duration: 2s }
mock: { ttft: 5ms, gap: 1ms, speech: { base: 5ms, perCharacter: 0ms }, transcription: { base: 5ms, perSecond: 0ms } }
limits: { requestsPerMinute: none, tokensPerMinute: none }
`;

it('a plan, a bill, an answer and a budget have the same cost to the millionth', async () => {
  const path = await tempFile('s.yaml', scenario);
  const planned = await weir(['plan', path, '--json']);
  const { total } = JSON.parse(planned.stdout) as {
    readonly total: { readonly cost: { sum: number } };
  };
  const cost = total.cost.sum;
  const run = async (most: number) => {
    const out = join(await tempFolder(), 'out');
    const budget = `budget={cost: ${(most / 1e6).toFixed(6)}}`;
    const ended = await weir(['run', path, '--out', out, '--yes', '--set', budget]);
    return { code: ended.code, result: await resultIn(out) };
  };
  const { result } = await run(cost);
  expect(result.partial).toBeFalsy();
  const bill = addCosts(billParts(result)!);
  expect(bill).toEqual({ known: 40, unknown: 0, cost });
  const { mean } = figuresOver(result, 'cost', () => true);
  expect(Math.round(mean! * 40)).toBe(cost);
  // A millionth less, and the last request does not fit.
  const less = await run(cost - 1);
  expect(less.result.partial).toContain('budget.cost');
});
