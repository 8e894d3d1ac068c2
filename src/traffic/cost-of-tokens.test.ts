import type { Outcome } from '../model/observation/outcome.ts';
import { expect, it } from 'vitest';
import type { Price } from '../model/workload/price.ts';
import type { TrafficKind } from '../model/workload/traffic.ts';
import { replay } from './kinds/replay.fixture.ts';
import { sampleTraffic } from './sample-traffic.fixture.ts';
import {
  doneData,
  sseEvents,
  stopChunk,
  textChunk,
  usageFields,
} from './kinds/stream-bodies.fixture.ts';

/** The sample bodies, whose usage counts 5 input tokens and the given number of output tokens. */
const bodies = {
  chat: (counted: object | null): string =>
    JSON.stringify({
      choices: [{ message: { content: 'abcdefgh' }, finish_reason: 'stop' }],
      usage: counted,
    }),
  'chat-stream': (counted: object | null): string =>
    sseEvents(textChunk('a'), textChunk('b'), stopChunk, { choices: [], usage: counted }, doneData),
} as const satisfies Partial<Record<TrafficKind, (counted: object | null) => string>>;
const kinds = ['chat', 'chat-stream'] as const;

const costOf = (
  kind: (typeof kinds)[number],
  counted: object | null,
  price: Price | null,
): unknown => {
  const entry = { ...sampleTraffic[kind], price };
  const outcome: Outcome = replay(entry, [Buffer.from(bodies[kind](counted))]);
  return outcome.kind === 'completed' && 'cost' in outcome.answer ? outcome.answer.cost : outcome;
};

it.each(kinds)(
  'a response to %s costs its tokens at the entry’s price, rounded half up',
  (kind) => {
    expect(costOf(kind, usageFields(3), { input: 1_000_000, output: 2_000_000 })).toBe(11);
    expect(costOf(kind, usageFields(3), { input: 100_000, output: 0 })).toBe(1);
    expect(costOf(kind, usageFields(3), { input: 99_999, output: 0 })).toBe(0);
  },
);

it.each(kinds)('a response to %s has an unknown cost without a price or without usage', (kind) => {
  const price = { input: 1_000_000, output: 2_000_000 };
  expect(costOf(kind, usageFields(3), null)).toBeNull();
  expect(costOf(kind, null, price)).toBeNull();
  // The cost of tokens that the server did not count is not estimated.
  expect(costOf(kind, usageFields(0), price)).toBeNull();
});
