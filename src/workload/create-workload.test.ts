import { describe, expect, it } from 'vitest';
import { textsOfContent } from '../model/workload/message.ts';
import { drawFrom } from '../model/workload/draw.ts';
import type { PromptSource } from '../model/workload/prompt-source.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { sampleTrace, sampleTraceLoad } from '../model/workload/sample-trace.fixture.ts';
import { createWorkload } from './create-workload.ts';
import type { Dataset } from './read-dataset.ts';

const sha256 = '0'.repeat(64);
const user = (content: string) => ({ role: 'user', content }) as const;
const system = (content: string) => ({ role: 'system', content }) as const;

const dataset: Dataset = {
  facts: { sha256, prompts: 2 },
  entries: [
    { messages: [user('one')], maxTokens: 5 },
    { messages: [system('own'), user('two')], maxTokens: null },
  ],
};
const [stage] = samplePlan().stages;
const users = {
  kind: 'closed',
  users: 2,
  duration: milliseconds(1000),
  thinkTime: milliseconds(100),
  rampUp: milliseconds(0),
} as const;
const plan = {
  ...samplePlan(),
  stages: [stage!, { ...stage!, load: sampleTraceLoad }, { ...stage!, load: users }],
};
const workload = createWorkload(plan, {
  wordsFor: (tokenizer) =>
    tokenizer === undefined
      ? { words: 'a b c d e f g', keepsLeadingSpace: true }
      : { words: 'x y z', keepsLeadingSpace: false },
  datasetOf: () => dataset,
  traceOf: () => sampleTrace,
});
const ask = (source: PromptSource, index: number, position = 0) =>
  workload.chatContentFor(
    source,
    { stage: position, index, due: instant(0) },
    drawFrom(1, position, index),
  );

describe('the content of a request', () => {
  it('is drawn from a file of prompts, with the entry’s system message if the prompt has none', () => {
    const source = { kind: 'dataset', file: 'p.jsonl', sha256, prompts: 2 } as const;
    const asked = new Set(
      Array.from({ length: 30 }, (_, index) =>
        JSON.stringify(ask({ ...source, system: 'common' }, index)),
      ),
    );
    expect([...asked].toSorted().map((text): unknown => JSON.parse(text))).toEqual([
      { messages: [system('common'), user('one')], maxTokens: 5 },
      { messages: [system('own'), user('two')], maxTokens: null },
    ]);
  });

  it('is generated up to the length, after the system message', () => {
    const source = {
      kind: 'synthetic',
      tokens: 4,
      turns: null,
      prefix: null,
      cache: 'avoid',
    } as const;
    expect(ask({ ...source, system: 's' }, 0)).toEqual({
      messages: [system('s'), user(expect.stringMatching(/^( [a-g]){4}$/) as string)],
      maxTokens: null,
    });
  });

  it('has the number of generated tokens if it has no other text', () => {
    const source = {
      kind: 'synthetic',
      tokens: { kind: 'uniform', min: 2, max: 9 },
      turns: null,
      prefix: null,
      cache: 'avoid',
      calibration: 0.5,
    } as const;
    const asked = Array.from({ length: 20 }, (_, index) => ask({ ...source, system: null }, index));
    expect(new Set(asked.map(({ tokens: declared }) => declared)).size).toBeGreaterThan(4);
    for (const { messages, tokens: declared } of asked) {
      // The server counts half a token for each generated one, so twice as many are generated.
      expect(textsOfContent(messages[0]!.content).join('').trim().split(' ')).toHaveLength(
        declared! * 2,
      );
    }
    // Where the server counts 1.5 for each, the nearest number is generated, and never none.
    for (const [tokens, words] of [
      [4, 3],
      [5, 3],
      [7, 5],
      [0.4, 1],
    ]) {
      const sized = { ...source, system: null, tokens: tokens!, calibration: 1.5 };
      const [message] = ask(sized, 0).messages;
      expect(textsOfContent(message!.content).join('').trim().split(' ')).toHaveLength(words!);
    }
    expect(ask({ ...source, system: 's' }, 0)).not.toHaveProperty('tokens');
    // From some 64 tokens on, a common beginning is worth a cache.
    expect(ask({ ...source, system: 's'.repeat(255) }, 0)).not.toHaveProperty('shared');
    expect(ask({ ...source, system: 's'.repeat(256) }, 0)).toHaveProperty('shared');
  });

  it('is the next question of its user’s conversation in a closed loop, and the next one of a single conversation in an open loop', () => {
    const source = {
      kind: 'synthetic',
      system: 's',
      tokens: 4,
      turns: { count: 3, answer: 2 },
      prefix: null,
      cache: 'avoid',
    } as const;
    const said = (index: number, position: number) => ask(source, index, position).messages.length;
    // The last stage has two users, so requests 0 and 1 are their first ones.
    expect([0, 1, 2, 3, 4, 5, 6].map((index) => said(index, 2))).toEqual([2, 2, 4, 4, 6, 6, 2]);
    expect([0, 1, 2, 3].map((index) => said(index, 0))).toEqual([2, 4, 6, 2]);
    const [before, after] = [1, 3].map((index) => ask(source, index, 2).messages);
    expect(after?.slice(0, 2)).toEqual(before);
    // Its answers are asked, too: a question’s length would not be the whole length.
    expect(ask({ ...source, system: null }, 0, 2)).not.toHaveProperty('tokens');
  });

  it('is that of the request with its index in the stage’s trace', () => {
    const asked = ask({ kind: 'trace', system: null }, 2, 1);
    expect(asked).toMatchObject({ messages: [{ role: 'user' }], maxTokens: 3 });
    expect(textsOfContent(asked.messages[0]!.content).join('').split(' ')).toHaveLength(
      1 + sampleTrace.inputTokens(2),
    );
  });

  it('from a trace shares the blocks with which others begin, and ends with its own tokens', () => {
    const shared = (index: number) => ask({ kind: 'trace', system: null }, index, 1).shared;
    expect(shared(0)).toEqual({
      beginnings: [
        { name: 'block 0 7', tokens: 512 },
        { name: 'block 1 8', tokens: 600 },
      ],
      isWhole: false,
      tokens: 600,
    });
    expect(shared(1)?.beginnings.map(({ name }) => name)).toEqual(['block 0 7', 'block 1 9']);
    expect(shared(2)).toEqual({ beginnings: [], isWhole: false, tokens: 3 });
  });

  it('that is generated shares what begins alike', () => {
    const source = { kind: 'synthetic', system: null, tokens: 40, turns: null } as const;
    const prefix = { tokens: 9, pool: 1 };
    const shared = (more: object) =>
      ask({ ...source, prefix: null, cache: 'avoid', ...more }, 3).shared;
    expect(shared({})).toBeUndefined();
    expect(shared({ prefix })).toEqual({
      beginnings: [{ name: 'prefix 0', tokens: 9 }],
      isWhole: false,
      tokens: 40,
    });
    expect(shared({ prefix, cache: 'invite' })?.beginnings).toEqual([
      { name: 'prefix 0', tokens: 9 },
      { name: 'common 0 9', tokens: 40 },
    ]);
    expect(shared({ prefix: { tokens: 99, pool: 1 } })?.beginnings[0]?.tokens).toBe(40);
    const turns = { count: 2, answer: 7 };
    const conversation = (index: number) =>
      ask({ ...source, turns, prefix, cache: 'avoid' }, index, 2).shared;
    expect(conversation(1)).toEqual({
      beginnings: [
        { name: 'prefix 0', tokens: 9 },
        { name: 'conversation 2 1 0', tokens: 40 },
      ],
      isWhole: true,
      tokens: 40,
    });
    // The second request of user 1: a question, an answer of seven tokens and another question.
    expect(conversation(3)).toEqual({
      beginnings: [
        { name: 'prefix 0', tokens: 9 },
        { name: 'conversation 2 1 0', tokens: 40 },
        { name: 'conversation 2 1 1', tokens: 87 },
      ],
      isWhole: true,
      tokens: 87,
    });
    expect(conversation(5)?.beginnings[1]?.name).toBe('conversation 2 3 0');
  });

  it('from a trace is an internal error in a stage without a trace', () => {
    expect(() => ask({ kind: 'trace', system: null }, 0)).toThrow('stage 0 replays no trace');
  });
});
