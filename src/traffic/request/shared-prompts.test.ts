import { describe, expect, it } from 'vitest';
import type { SharedText } from '../../model/workload/workload.ts';
import { rememberPrompt } from './sent-prompts.ts';

type Remembered = Parameters<typeof rememberPrompt>;
type Beginnings = readonly (readonly [name: string, tokens: number])[];

const slice =
  (memory = {} as Remembered[0]) =>
  (
    begun: Beginnings,
    { tokens = 150, isWhole = false, model = 'm', system = '' } = {},
  ): ((input: number) => number) => {
    const beginnings = begun.map(([name, length]) => ({ name, tokens: length }));
    const shared: SharedText = { beginnings, isWhole, tokens };
    const user = { role: 'user', content: 'never read' } as const;
    const messages =
      system === '' ? [user] : ([{ role: 'system', content: system }, user] as const);
    const traffic = { model, conversations: { kind: 'synthetic' } } as never;
    return rememberPrompt(memory, traffic, { messages, shared }, 0)!.repeatedOf;
  };

describe('of a generated prompt', () => {
  it('its longest beginning that an earlier one had was sent before, and what is no word of it', () => {
    const sent = slice();
    expect(sent([['a', 100]])(160)).toBe(0);
    // 160 tokens less the 150 words of the prompt belong to what comes before it.
    expect(sent([['a', 100]])(160)).toBe(110);
    expect(sent([['a', 100]])(150)).toBe(100);
    expect(sent([['a', 100]])(140)).toBe(100);
    expect(
      sent([
        ['a', 100],
        ['b', 120],
      ])(160),
    ).toBe(110);
    expect(
      sent([
        ['a', 100],
        ['b', 120],
      ])(160),
    ).toBe(130);
    expect(sent([['b', 120]])(160)).toBe(130);
  });

  it('the shorter of two beginnings of one name is part of the longer', () => {
    const sent = slice();
    sent([['a', 100]]);
    expect(sent([['a', 130]])(150)).toBe(100);
    expect(sent([['a', 140]])(150)).toBe(130);
    expect(sent([['a', 20]])(150)).toBe(20);
    expect(sent([['a', 145]])(150)).toBe(140);
  });

  it('its last token is never from a cache', () => {
    const sent = slice();
    sent([['a', 100]]);
    expect(sent([['a', 100]], { tokens: 100 })(100)).toBe(99);
    expect(sent([['a', 100]])(101)).toBe(100);
    expect(sent([['a', 100]])(0)).toBe(0);
  });

  it('a known system message was sent before, even if no beginning was', () => {
    const sent = slice();
    expect(sent([['a', 100]], { system: 'Be kind.' })(160)).toBe(0);
    expect(sent([['b', 100]], { system: 'Be kind.' })(160)).toBe(10);
    expect(sent([['c', 100]], { system: 'Be brief.' })(160)).toBe(0);
    expect(sent([['b', 100]], { system: 'Be new.' })(160)).toBe(110);
    // The first message is no system message.
    expect(sent([['d', 100]])(160)).toBe(0);
  });

  it('that repeats a whole one, all tokens that the server counted for that were sent before', () => {
    const sent = slice();
    const turn = { isWhole: true, tokens: 100 };
    expect(sent([['q', 100]], turn)(123)).toBe(0);
    const next = sent(
      [
        ['q', 100],
        ['r', 200],
      ],
      { isWhole: true, tokens: 200 },
    );
    expect(next(250)).toBe(123);
    // What was counted first is kept.
    expect(sent([['q', 100]], turn)(140)).toBe(123);
    expect(sent([['q', 100]], turn)(124)).toBe(123);
    expect(sent([['q', 100]], turn)(120)).toBe(119);
    // Of a part that is no whole prompt, the words are counted.
    expect(sent([['q', 100]], { tokens: 200 })(230)).toBe(130);
    expect(sent([['p', 50]], { tokens: 100 })(130)).toBe(0);
    // The server had counted nothing for p alone.
    expect(
      sent(
        [
          ['p', 50],
          ['s', 90],
        ],
        { isWhole: true, tokens: 90 },
      )(100),
    ).toBe(60);
  });

  it('nothing was sent before to another model or target', () => {
    const sent = slice();
    sent([['a', 100]]);
    expect(sent([['a', 100]], { model: 'other' })(150)).toBe(0);
    expect(slice()([['a', 100]])(150)).toBe(0);
    expect(sent([['a', 100]])(150)).toBe(100);
  });

  it('the oldest of a hundred thousand names is forgotten for a newer one', () => {
    const memory = {} as Remembered[0];
    const sent = slice(memory);
    const beginnings = Array.from({ length: 100_000 }, (_, i) => ({ name: `n${i}`, tokens: 10 }));
    rememberPrompt(
      memory,
      { model: 'm' } as never,
      { messages: [], shared: { beginnings, isWhole: false, tokens: 150 } },
      0,
    );
    expect(sent([['n0', 10]])(150)).toBe(10);
    expect(sent([['new', 10]])(150)).toBe(0);
    expect(sent([['n1', 10]])(150)).toBe(10);
    expect(sent([['n0', 10]])(150)).toBe(0);
  });
});

it('only prompts that are written down are remembered by their messages', () => {
  const remembered = (conversations: unknown) =>
    rememberPrompt(
      {} as Remembered[0],
      { model: 'm', conversations } as never,
      { messages: [{ role: 'user', content: 'one' }] },
      256,
    );
  expect(remembered([])).toBeDefined();
  expect(remembered({ kind: 'dataset' })).toBeDefined();
  expect(remembered({ kind: 'trace' })).toBeUndefined();
  expect(remembered({ kind: 'synthetic' })).toBeUndefined();
});
