import { describe, expect, it } from 'vitest';
import { readScenario } from './read-scenario.ts';
import { trafficEntryReaders } from './sample-entries.fixture.ts';

const read = (entry: string, load = 'kind: constant, rate: 1/s, duration: 10s') =>
  readScenario({
    text: `traffic:\n  - {${entry}}\nload: {${load}}\n`,
    name: 'f.yaml',
    environment: {},
  });
const { entryOf, problemsOf } = trafficEntryReaders((entry) => read(entry));

describe('the hang-ups of an entry', () => {
  it.each([
    ['kind: chat-stream, model: m', '5 tokens', { kind: 'tokens', count: 5 }],
    ['kind: chat-stream, model: m', '1 token', { kind: 'tokens', count: 1 }],
    ['kind: chat, model: m', '1m30s', { kind: 'time', time: 90_000 }],
    ['kind: speech, model: m', 'headers', { kind: 'headers' }],
    ['kind: transcription, model: m', 'sent', { kind: 'sent' }],
    ['kind: models', '200ms', { kind: 'time', time: 200 }],
  ])('of {%s} can be after %s', (entry, after, moment) => {
    expect(entryOf(`${entry}, cancel: {share: 12.5%, after: ${after}}`)?.cancel).toEqual({
      share: 0.125,
      after: moment,
    });
  });

  it('are absent from a plan without them', () => {
    for (const kind of ['chat', 'chat-stream', 'speech', 'transcription'])
      expect(entryOf(`kind: ${kind}, model: m`)).not.toHaveProperty('cancel');
    expect(entryOf('kind: models')).not.toHaveProperty('cancel');
  });

  it.each([
    ['{share: 10%}', '"after"'],
    ['{after: sent}', 'share'],
    ['{share: 10, after: sent}', 'a number needs its unit: 10%'],
    ['{share: 0%, after: sent}', 'expected a percentage above 0%, got "0%"'],
    ['{share: 101%, after: sent}', 'expected a percentage from 0% to 100%'],
    ['{share: 10%, after: 5}', 'a number needs its unit: 5 tokens, 5s or 5ms'],
    ['{share: 10%, after: 0 tokens}', 'expected 5 tokens, a length of time such as 2s'],
    ['{share: 10%, after: 1.5 tokens}', 'expected 5 tokens, a length of time such as 2s'],
    ['{share: 10%, after: 0s}', 'expected a length of time above 0s'],
    ['{share: 10%, after: heders}', 'did you mean "headers"?'],
    ['10%', 'expected a mapping such as {share: 10%, after: 2s}'],
  ])('cannot be %s', (cancel, words) => {
    expect(problemsOf(`kind: chat-stream, model: m, cancel: ${cancel}`)).toContain(words);
  });

  it.each(['true', '-5'])('have no unit for %s', (after) => {
    expect(problemsOf(`kind: chat, model: m, cancel: {share: 10%, after: ${after}}`)).not.toContain(
      'needs its unit',
    );
  });

  it('count tokens only of a streamed chat, and no saturating load has them', () => {
    for (const kind of ['chat', 'speech', 'transcription'])
      expect(
        problemsOf(`kind: ${kind}, model: m, cancel: {share: 10%, after: 5 tokens}`),
      ).toContain('only in a streamed chat (kind: chat-stream)');
    const reading = read(
      'kind: chat, model: m, cancel: {share: 10%, after: sent}',
      'kind: saturate, connections: 1, duration: 1s',
    );
    expect(reading.ok ? '' : reading.problems.map(({ message }) => message).join()).toContain(
      '"cancel" cannot be combined with a load of the kind "saturate"',
    );
  });
});
