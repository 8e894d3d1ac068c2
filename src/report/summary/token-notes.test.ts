import type { Group } from '../../model/measures/counts.ts';
import { describe, expect, it } from 'vitest';
import { emptyHistogram, type EncodedHistogram } from '../../model/measures/histogram.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { tokenNotes } from './rates.ts';

const result = sampleRunResult();
const streams = result.groups.find(
  ({ labels }) => labels.traffic === 'chat-stream' && !labels.warmUp,
)!;
const only = (differing: Partial<Group>): Result => ({
  ...result,
  groups: [{ ...streams, ...differing }],
});
const histogramOf = (...samples: readonly number[]): EncodedHistogram => {
  const histogram = emptyHistogram();
  for (const sample of samples) histogram.record(sample);
  return histogram.toJSON();
};
const estimate = (source: 'events' | 'characters', answers: number) => ({
  source,
  answers,
  answersWithInput: 0,
  input: 0,
  output: 30 * answers,
});

describe('notes on tokens', () => {
  it('are absent if the server counted all, about one per event', () => {
    expect(tokenNotes(result, 'chat-stream')).toEqual([]);
    expect(tokenNotes(result, 'models')).toEqual([]);
  });

  it('count the answers whose tokens were only estimated, with their sums', () => {
    const tokens = [...streams.tokens, estimate('events', 3), estimate('characters', 1)];
    expect(tokenNotes(only({ tokens }), 'chat-stream')).toMatchInlineSnapshot(`
      [
        "The server did not count the tokens of every answer; left out of time per output token, output speed, output tokens and cost: 3 answers (90 output tokens, counted as token events) and 1 answer (30 output tokens, estimated as characters / 4), of 298 completed chats.",
      ]
    `);
    const labels = { ...streams.labels, traffic: 'chat' as const };
    const chat = only({ labels, tokens: [estimate('characters', 2)], distributions: {} });
    expect(tokenNotes(chat, 'chat')).toMatchInlineSnapshot(`
      [
        "The server did not count the tokens of every answer; left out of output tokens: 2 answers (60 output tokens, estimated as characters / 4), of 2 completed chats.",
      ]
    `);
  });

  it('count the answers without input tokens, which have no cost', () => {
    const tokens = [
      { source: 'usage' as const, answers: 10, answersWithInput: 7, input: 70, output: 90 },
    ];
    expect(tokenNotes(only({ tokens }), 'chat-stream')).toEqual([
      'Of 10 answers with counted output tokens, 3 reported no input tokens: input tokens and cost leave them out.',
    ]);
    const none = tokens.map((sums) => ({ ...sums, answersWithInput: 0, input: 0 }));
    const labels = { ...streams.labels, traffic: 'chat' as const };
    const chat = { labels, distributions: {} };
    // Chats of the sample have no price, and a server that reports no input at all lacks nothing in part.
    expect(tokenNotes(only({ ...chat, tokens: none }), 'chat')).toEqual([]);
    expect(tokenNotes(only({ ...chat, tokens }), 'chat')).toEqual([
      'Of 10 answers with counted output tokens, 3 reported no input tokens: input tokens leave them out.',
    ]);
  });

  it('are of the measured requests only', () => {
    const labels = { ...streams.labels, warmUp: true };
    expect(tokenNotes(only({ labels, tokens: [estimate('events', 3)] }), 'chat-stream')).toEqual(
      [],
    );
  });

  it.each([
    [0.79, true],
    [0.8, false],
    [1.5, false],
    [1.51, true],
    [4, true],
  ])('warn of chunk gaps when the median event holds %d tokens: %s', (median, warns) => {
    const distributions = { tokensPerChunk: histogramOf(0.1, median, 9) };
    const notes = tokenNotes(only({ distributions }), 'chat-stream');
    expect(notes.map((note) => note.startsWith('Chunk gap is not inter-token latency'))).toEqual(
      warns ? [true] : [],
    );
  });

  it('say how many tokens an event had', () => {
    const distributions = { tokensPerChunk: histogramOf(4) };
    expect(tokenNotes(only({ distributions }), 'chat-stream')).toMatchInlineSnapshot(`
      [
        "Chunk gap is not inter-token latency here: the median token event held 4.00 tokens.",
      ]
    `);
  });
});
