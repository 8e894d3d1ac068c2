import { describe, expect, it } from 'vitest';
import { type Outcome, partialOf } from '../../model/observation/outcome.ts';
import { replay, type ReplayedResponse } from '../kinds/replay.fixture.ts';
import {
  chatChunk,
  doneData,
  sseEvents,
  stopChunk,
  textChunk,
  usageFields,
} from '../kinds/stream-bodies.fixture.ts';
import { sampleTraffic } from '../sample-traffic.fixture.ts';

const price = { input: 1_000_000, output: 2_000_000 };

const reset: ReplayedResponse = { failure: { cause: 'reset', detail: 'reset' } };

const streamed = (response: ReplayedResponse, ...events: readonly (object | string)[]): Outcome =>
  replay({ ...sampleTraffic['chat-stream'], price }, [Buffer.from(sseEvents(...events))], response);

const withUsage = (chunk: object, output: number): object => ({
  ...chunk,
  usage: usageFields(output),
});

describe('the usage of a stream that did not come to its end', () => {
  it('is not what the answer will have had: its cost is unknown, its tokens are those that came', () => {
    const chunks = [1, 2, 3].map((count) => withUsage(textChunk('a'), count));
    expect(partialOf(streamed(reset, ...chunks))).toMatchObject({
      tokens: { input: 5, output: 3, source: 'events' },
      cost: null,
    });
    // Anthropic's first event has the prompt, and one token of an answer that may become long.
    const start = { choices: [], usage: usageFields(1) };
    expect(partialOf(streamed(reset, start, textChunk('a'), textChunk('b')))).toMatchObject({
      tokens: { input: 5, output: 2, source: 'events' },
      cost: null,
    });
    // A chunk can have several tokens, which its usage counts.
    expect(partialOf(streamed(reset, withUsage(textChunk('a b c d'), 4)))).toMatchObject({
      tokens: { output: 4, source: 'events' },
    });
    const one = [
      withUsage(chatChunk({ content: 'a' }, 'stop'), 1),
      chatChunk({ content: 'b' }, null, 1),
    ];
    expect(partialOf(streamed(reset, ...one))).toMatchObject({ cost: null });
  });

  it('counts if the server said [DONE] after a choice that failed, while another was open', () => {
    const events = [chatChunk({ content: 'a' }, null, 1), withUsage(chatChunk({}, 'error'), 1)];
    const tokens = { input: 5, output: 1 };
    expect(partialOf(streamed({}, ...events, doneData))).toMatchObject({
      tokens: { ...tokens, source: 'usage' },
    });
    expect(partialOf(streamed({}, ...events))).toMatchObject({
      tokens: { ...tokens, source: 'events' },
      cost: null,
    });
  });

  it('counts if every choice had ended before the connection broke', () => {
    const events = [textChunk('a'), withUsage(stopChunk, 1)];
    expect(streamed(reset, ...events)).toMatchObject({
      kind: 'broken',
      partial: { tokens: { input: 5, output: 1, source: 'usage' }, cost: 7 },
    });
    expect(streamed({}, ...events, doneData)).toMatchObject({ answer: { cost: 7 } });
  });
});
