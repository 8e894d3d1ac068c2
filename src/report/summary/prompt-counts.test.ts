import { describe, expect, it } from 'vitest';
import type { PromptSourceOf } from '../../model/workload/prompt-source.ts';
import type { Result } from '../../model/result/result.ts';
import { promptCountNotes } from './rates.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';

const made = {
  kind: 'synthetic',
  system: null,
  tokens: 512,
  turns: null,
  prefix: null,
  cache: 'avoid',
} as const;

/** A result with ten chats; the server counted `each` tokens for each, 512 on average were requested. */
const counted = (each: number, source: Partial<PromptSourceOf<'synthetic'>> = {}): Result => {
  const result = sampleRunResult();
  const [stage] = result.plan.stages;
  const traffic = {
    kind: 'chat',
    weight: 1,
    model: 'm',
    conversations: { ...made, ...source },
    maxTokens: null,
    body: {},
    price: null,
  } as const;
  const group = result.groups.find(({ labels }) => !labels.warmUp)!;
  const { entry: _, ...labels } = group.labels;
  const sums = { source: 'usage', answers: 10, answersWithInput: 10, output: 1 } as const;
  return {
    ...result,
    plan: { ...result.plan, stages: [{ ...stage!, traffic: [traffic] }] },
    groups: [
      {
        ...group,
        labels: { ...labels, stage: stage!.name, traffic: 'chat', model: 'm' },
        tokens: [
          {
            ...sums,
            input: each * 10,
            made: { answers: 10, asked: 5120, input: each * 10 },
          },
        ],
      },
    ],
  };
};

describe('the server’s count of synthetic prompts', () => {
  it.each([
    [
      counted(498),
      'm: requested 512 input tokens, the server counted 498 (−2.73 %; `calibration: 0.9727` in the prompt corrects it).',
    ],
    [
      counted(10),
      'm: requested 512 input tokens, the server counted 10.0 (−98.0 %; so large a difference is rarely the tokenizer’s: the server may add a prompt of its own, or not count this one).',
    ],
    [counted(512), 'm: requested 512 input tokens, the server counted 512.'],
    [
      counted(614.4, { calibration: 1.5 }),
      'm: requested 512 input tokens, the server counted 614 (+20.0 %; `calibration: 1.8` in the prompt corrects it).',
    ],
  ])('is compared with the requested number (%#)', (result, note) => {
    expect(promptCountNotes(result, 'chat')).toEqual([note]);
    expect(promptCountNotes(result, 'chat-stream')).toEqual([]);
  });

  it('is given for mixed lengths by their means', () => {
    const tokens = { kind: 'uniform', min: 500, max: 524 } as const;
    expect(promptCountNotes(counted(498, { tokens }), 'chat')).toEqual([
      'm: requested 512 input tokens on average, the server counted 498 (−2.73 %; `calibration: 0.9727` in the prompt corrects it).',
    ]);
  });

  it('is left out if no prompt is synthetic, or the group has other entries', () => {
    const result = counted(498);
    const groups = result.groups.map((group) => ({
      ...group,
      tokens: group.tokens.map((sums) => ({ ...sums, made: undefined })),
    }));
    expect(promptCountNotes({ ...result, groups }, 'chat')).toEqual([]);
    const [stage] = result.plan.stages;
    const stages = [{ ...stage!, traffic: [...stage!.traffic, ...stage!.traffic] }];
    expect(promptCountNotes({ ...result, plan: { ...result.plan, stages } }, 'chat')).toEqual([]);
  });

  it.each([
    ['kind', { kind: 'chat-stream' }],
    ['model', { model: 'other' }],
    ['name', { name: 'named' }],
  ] as const)('is of the entry that sent them, beside one of another %s', (_, other) => {
    const result = counted(498);
    const [stage] = result.plan.stages;
    const [entry] = stage!.traffic;
    if (entry?.kind !== 'chat') throw new Error('no chat');
    const plan: Result['plan'] = {
      ...result.plan,
      stages: [{ ...stage!, traffic: [{ ...entry, ...other, conversations: [] }, entry] }],
    };
    expect(promptCountNotes({ ...result, plan }, 'chat')).toHaveLength(1);
  });
});
