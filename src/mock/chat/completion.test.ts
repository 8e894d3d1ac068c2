import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Draw, drawFrom } from '../../model/workload/draw.ts';
import { generateCompletion, type CompletionOptions } from './completion.ts';
import { countTokens, commonWords } from './tokens.ts';

const wish = (asked: Partial<CompletionOptions> = {}): CompletionOptions => ({
  maxTokens: null,
  stopSequences: [],
  format: 'text',
  tools: [],
  ...asked,
});

const complete = (draw: Draw, options: CompletionOptions) =>
  generateCompletion(draw, options, { min: 3, max: 5 });

describe('the word list', () => {
  it('has 256 different words of lower-case letters', () => {
    expect(new Set(commonWords).size).toBe(256);
    expect(commonWords.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  });
});

describe('a completion', () => {
  it('has exactly max_tokens tokens, by the mock’s own count too', () => {
    for (const maxTokens of [1, 2, 7, 500]) {
      const { tokens, finish } = complete(drawFrom(1), wish({ maxTokens }));
      expect(tokens).toHaveLength(maxTokens);
      expect(countTokens(tokens.join(''))).toBe(maxTokens);
      expect(finish).toBe('length');
    }
  });

  it('without max_tokens has every length of its range and ends by itself', () => {
    const drawn = Array.from({ length: 60 }, (_, n) => complete(drawFrom(n), wish()));
    expect(new Set(drawn.map(({ tokens }) => tokens.length))).toEqual(new Set([3, 4, 5]));
    expect(new Set(drawn.map(({ finish }) => finish))).toEqual(new Set(['stop']));
  });

  it('is a function of its draw', () => {
    const text = (...key: number[]) =>
      complete(drawFrom(...key), wish({ maxTokens: 12 })).tokens.join('');
    expect(text(1, 2)).toBe(text(1, 2));
    expect(text(1, 2)).not.toBe(text(1, 3));
    expect(text(1, 2)).toMatchInlineSnapshot(
      `" read listen several person put two person warm cross run has water"`,
    );
  });

  it('ends before the first stop sequence, even inside a word or across two', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(100), fc.integer({ min: 1, max: 8 }), (seed, start, size) => {
        const text = complete(drawFrom(seed), wish({ maxTokens: 30 })).tokens.join('');
        const stop = text.slice(start, start + size);
        fc.pre(stop !== '');
        const others = ['never to be found', text.slice(-3)];
        const cut = complete(
          drawFrom(seed),
          wish({ maxTokens: 30, stopSequences: [...others, stop] }),
        );
        expect(cut.tokens.join('')).toBe(
          text.slice(0, Math.min(text.indexOf(stop), text.indexOf(text.slice(-3)))),
        );
        expect(cut.tokens).not.toContain('');
        expect(cut.finish).toBe('stop');
      }),
    );
  });

  it('is unchanged by stop sequences that do not occur', () => {
    const asked = wish({ maxTokens: 5, stopSequences: ['\n\n', 'END'] });
    expect(complete(drawFrom(4), asked)).toEqual(complete(drawFrom(4), wish({ maxTokens: 5 })));
  });
});

describe('an answer in JSON', () => {
  it('is an object of exactly max_tokens tokens if that is enough', () => {
    for (const maxTokens of [9, 10, 64, 500]) {
      const { tokens, finish } = complete(drawFrom(1), wish({ maxTokens, format: 'json' }));
      expect(typeof JSON.parse(tokens.join(''))).toBe('object');
      expect(countTokens(tokens.join(''))).toBe(maxTokens);
      expect([tokens.length, finish]).toEqual([maxTokens, 'stop']);
    }
  });

  it('is cut with the finish reason length if max_tokens is too small for an object', () => {
    const { tokens, finish } = complete(drawFrom(1), wish({ maxTokens: 8, format: 'json' }));
    expect([tokens.length, finish]).toEqual([8, 'length']);
  });

  it('is complete without max_tokens, however short answers are', () => {
    const { tokens, finish } = complete(drawFrom(1), wish({ format: 'json' }));
    expect([typeof JSON.parse(tokens.join('')), finish]).toEqual(['object', 'stop']);
  });
});

describe('a call', () => {
  const parameters = {
    type: 'object',
    required: ['city', 'days', 'unit', 'exact', 'stops', 'place'],
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', minimum: 1, maximum: 7 },
      unit: { enum: ['C', 'F'] },
      exact: { type: 'boolean' },
      stops: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 3 },
      place: {
        type: 'object',
        required: ['x'],
        properties: { x: { type: ['integer', 'null'] }, self: { type: 'object' } },
      },
      note: { type: 'string' },
    },
  };
  const argumentsSchema = z.strictObject({
    city: z.string().min(1),
    days: z.int().min(1).max(7),
    unit: z.enum(['C', 'F']),
    exact: z.boolean(),
    stops: z.array(z.number()).min(1).max(3),
    place: z.strictObject({ x: z.int(), self: z.strictObject({}).optional() }),
    note: z.string().optional(),
  });
  const tools = [
    { name: 'forecast', parameters, strict: null },
    { name: 'now', parameters: undefined, strict: null },
  ];

  it('has arguments that the function’s schema allows, token by token', () => {
    const called = new Set<string>();
    for (let seed = 0; seed < 200; seed += 1) {
      const { toolCall, tokens, finish } = complete(drawFrom(seed), wish({ tools }));
      const given: unknown = JSON.parse(tokens.join(''));
      if (toolCall?.name === 'forecast') argumentsSchema.parse(given);
      else expect(given).toEqual({});
      expect(countTokens(tokens.join(''))).toBe(tokens.length);
      expect(finish).toBe('tool_calls');
      called.add(toolCall?.name ?? '');
    }
    expect([...called].toSorted()).toEqual(['forecast', 'now']);
  });

  it('is cut by max_tokens with the finish reason length', () => {
    const { tokens, finish } = complete(
      drawFrom(1),
      wish({ tools: tools.slice(0, 1), maxTokens: 5 }),
    );
    expect([tokens.length, finish]).toEqual([5, 'length']);
  });

  it('ends even if its schema is recursive', () => {
    const endless: Record<string, unknown> = { type: 'array' };
    endless['items'] = endless;
    const { tokens } = complete(
      drawFrom(3),
      wish({ tools: [{ name: 'f', parameters: endless, strict: null }] }),
    );
    expect(Array.isArray(JSON.parse(tokens.join('')))).toBe(true);
  });
});
