import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textsOfContent } from '../model/workload/message.ts';
import { drawFrom } from '../model/workload/draw.ts';
import type { PromptSourceOf } from '../model/workload/prompt-source.ts';
import { sampleTrace } from '../model/workload/sample-trace.fixture.ts';
import type { Trace } from '../model/workload/trace.ts';
import { syntheticConversation, syntheticText, tracedPrompt } from './create-workload.ts';
import { vocabularyOf } from './single-token-words.ts';

const vocabulary = vocabularyOf({
  words: Array.from({ length: 5000 }, (_, n) => `w${n}`).join(' '),
  keepsLeadingSpace: true,
});
const at = (index: number, seed = 1) => ({ vocabulary, seed, draw: drawFrom(seed, 0, index) });
const syntheticPrompt = (...words: Parameters<typeof syntheticText>): string =>
  syntheticText(...words).text;
const wordsOf = (prompt: string): readonly string[] => prompt.split(' ').slice(1);
const source = (parts: Partial<PromptSourceOf<'synthetic'>>): PromptSourceOf<'synthetic'> => ({
  kind: 'synthetic',
  system: null,
  tokens: 40,
  turns: null,
  prefix: null,
  cache: 'avoid',
  ...parts,
});

describe('a synthetic prompt', () => {
  it('has as many words as are drawn, including its prefix, each after a space', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.option(fc.record({ tokens: fc.integer({ min: 1, max: 300 }), pool: fc.nat(5) })),
        fc.constantFrom('avoid' as const, 'invite' as const),
        (tokens, some, cache) => {
          const prefix = some === null ? null : { tokens: some.tokens, pool: some.pool + 1 };
          const prompt = syntheticPrompt(source({ tokens, prefix, cache }), at(0));
          expect(prompt).toMatch(/^( w\d+)+$/);
          expect(wordsOf(prompt)).toHaveLength(tokens);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('differs from all others from the first word on, unless it shares a prefix', () => {
    const firsts = Array.from({ length: 200 }, (_, index) =>
      wordsOf(syntheticPrompt(source({}), at(index)))
        .slice(0, 3)
        .join(' '),
    );
    expect(new Set(firsts).size).toBe(200);
  });

  it('repeats for the same request, and differs for another seed', () => {
    expect(syntheticPrompt(source({}), at(4))).toBe(syntheticPrompt(source({}), at(4)));
    expect(syntheticPrompt(source({}), at(4))).not.toBe(syntheticPrompt(source({}), at(4, 2)));
  });

  it('begins with one of a pool of prefixes, evenly, and differs after it', () => {
    const prefixed = source({ prefix: { tokens: 16, pool: 4 } });
    const prompts = Array.from({ length: 400 }, (_, index) =>
      wordsOf(syntheticPrompt(prefixed, at(index))),
    );
    const counts = Map.groupBy(prompts, (words) => words.slice(0, 16).join(' '));
    expect(counts.size).toBe(4);
    for (const { length } of counts.values()) expect(Math.abs(length - 100)).toBeLessThan(40);
    const rests = new Set(prompts.map((words) => words.slice(16, 19).join(' ')));
    expect(rests.size).toBe(400);
  });

  it('names the beginnings that it shares: its prefix, and all of it if a cache is invited', () => {
    const prefix = { tokens: 16, pool: 1 };
    const named = (parts: Parameters<typeof source>[0]) =>
      syntheticText(source(parts), at(3)).beginnings;
    expect(named({})).toEqual([]);
    expect(named({ prefix })).toEqual([{ name: 'prefix 0', tokens: 16 }]);
    expect(named({ prefix, tokens: 9 })).toEqual([{ name: 'prefix 0', tokens: 9 }]);
    expect(named({ cache: 'invite' })).toEqual([{ name: 'common 0 0', tokens: 40 }]);
    expect(named({ prefix, cache: 'invite' })).toEqual([
      { name: 'prefix 0', tokens: 16 },
      { name: 'common 0 16', tokens: 40 },
    ]);
  });

  it('for a cache is the beginning of every longer one', () => {
    const tokens = { kind: 'uniform', min: 1, max: 100 } as const;
    const prompts = Array.from({ length: 50 }, (_, index) =>
      syntheticPrompt(source({ tokens, cache: 'invite' }), at(index)),
    ).toSorted((a, b) => a.length - b.length);
    for (const [i, prompt] of prompts.entries()) {
      expect(prompts[i + 1] ?? prompt).toSatisfy((longer: string) => longer.startsWith(prompt));
    }
  });
});

describe('a synthetic conversation', () => {
  const turns = { count: 3, answer: { kind: 'uniform', min: 5, max: 9 } } as const;
  const chatExchange = (user: number, iteration: number, users = 4) =>
    syntheticConversation(
      source({ prefix: { tokens: 8, pool: 1 }, tokens: 20 }),
      turns,
      { user, users, iteration },
      { vocabulary, seed: 1, stage: 0 },
    ).messages;

  it('continues with each request of its user, after all earlier messages', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.nat(20), (user, iteration) => {
        const now = chatExchange(user, iteration);
        const turn = iteration % turns.count;
        expect(now.map(({ role }) => role)).toEqual(
          Array.from({ length: 2 * turn + 1 }, (_, i) => (i % 2 === 0 ? 'user' : 'assistant')),
        );
        if (turn > 0) expect(now.slice(0, -2)).toEqual(chatExchange(user, iteration - 1));
      }),
      { numRuns: 60 },
    );
  });

  it('shares with others its prefix, and with its own later requests all up to each question', () => {
    const beginningsAt = (iteration: number) =>
      syntheticConversation(
        source({ prefix: { tokens: 8, pool: 1 }, tokens: 20 }),
        { count: 3, answer: 5 },
        { user: 2, users: 4, iteration },
        { vocabulary, seed: 1, stage: 0 },
      ).shared;
    const third = beginningsAt(5);
    expect(third.beginnings.map(({ tokens }) => tokens)).toEqual([8, 20, 45, 70]);
    expect(third.tokens).toBe(70);
    expect(new Set(third.beginnings.map(({ name }) => name)).size).toBe(4);
    expect(beginningsAt(4).beginnings).toEqual(third.beginnings.slice(0, 3));
    expect(beginningsAt(3).beginnings).toEqual(third.beginnings.slice(0, 2));
    // The next conversation has the prefix only.
    expect(beginningsAt(6).beginnings[0]).toEqual(third.beginnings[0]);
    expect(beginningsAt(6).beginnings[1]).not.toEqual(third.beginnings[1]);
  });

  it('has questions and answers of exactly the drawn lengths', () => {
    const lengths = chatExchange(1, 5).map(
      ({ content }) => wordsOf(textsOfContent(content).join('')).length,
    );
    expect([0, 2, 4].map((i) => lengths[i])).toEqual([20, 20, 20]);
    for (const i of [1, 3]) expect(lengths[i]! >= 5 && lengths[i]! <= 9).toBe(true);
  });

  it('differs for every user and every repetition, except for the prefix of its first question', () => {
    const firsts = [0, 1, 2, 3].flatMap((user) =>
      [0, 3, 6].map((iteration) =>
        textsOfContent(chatExchange(user, iteration)[0]!.content).join(''),
      ),
    );
    expect(new Set(firsts).size).toBe(12);
    const prefixes = firsts.map((content) => wordsOf(content).slice(0, 8).join(' '));
    expect(new Set(prefixes).size).toBe(1);
    expect(
      wordsOf(textsOfContent(chatExchange(0, 1)[2]!.content).join(''))
        .slice(0, 8)
        .join(' '),
    ).not.toBe(prefixes[0]);
  });
});

/** The number of tokens in a block, as the traces' publishers define it. */
const block = 512;

describe('a prompt from a trace', () => {
  it('has the length in the trace', () => {
    for (const index of [0, 1, 2]) {
      const words = wordsOf(tracedPrompt(sampleTrace, index, at(index)));
      expect(words).toHaveLength(sampleTrace.inputTokens(index));
    }
  });

  it('shares with another exactly the blocks with the same numbers', () => {
    const [first, second] = [0, 1].map((n) => wordsOf(tracedPrompt(sampleTrace, n, at(n))));
    expect(first?.slice(0, block)).toEqual(second?.slice(0, block));
    expect(first?.slice(block, block + 3)).not.toEqual(second?.slice(block, block + 3));
  });

  it('shares the blocks with equal numbers at the beginning, and nothing after them', () => {
    const ids = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 });
    const lengths = fc.integer({ min: 1, max: 4 * block });
    fc.assert(
      fc.property(fc.tuple(ids, ids), fc.tuple(lengths, lengths), (blocks, inputs) => {
        const trace: Trace = {
          ...sampleTrace,
          inputTokens: (index) => inputs[index]!,
          blocksOf: (index) => blocks[index]!,
        };
        const [one, other] = [0, 1].map((n) => wordsOf(tracedPrompt(trace, n, at(n))));
        const differs = blocks[0].findIndex((id, i) => id !== blocks[1][i]);
        const alike = differs < 0 ? blocks[0].length : differs;
        const shared = Math.min(alike * block, ...inputs);
        expect(one?.slice(0, shared)).toEqual(other?.slice(0, shared));
        const next = [one, other].map((words) => words?.slice(shared, shared + 4));
        if (next[0]?.length === 4 && next[1]?.length === 4) expect(next[0]).not.toEqual(next[1]);
      }),
      { numRuns: 60 },
    );
  });
});
