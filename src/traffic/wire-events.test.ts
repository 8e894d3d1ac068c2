import { describe, expect, it } from 'vitest';
import { readAt, replay } from './replay.ts';
import {
  answerOf,
  chunk,
  completed,
  done,
  event,
  events,
  inReads,
  readEveryWay,
  stop,
  text,
  usage,
} from './stream-suite.ts';

const twoTokens = { tokenInstants: 2, finish: 'stop', notes: [] };

describe('a streamed chat answer, each quirk of real servers in every cut', () => {
  it('takes a role-only or empty first chunk for the first event, not the first token', () => {
    for (const first of [{ role: 'assistant' }, { role: 'assistant', content: '' }, {}, null]) {
      const answer = inReads(event(chunk(first)), event(text('a')), events(stop, done));
      expect(answer).toMatchObject({ firstEvent: readAt(0), firstToken: readAt(1) });
      expect(readEveryWay(events(chunk(first), text('a'), text('b'), stop, done))).toEqual(
        completed(twoTokens),
      );
    }
  });

  it('reads usage from a chunk whose choices are empty, absent or null', () => {
    for (const rest of [{ choices: [] }, {}, { choices: null }]) {
      const last = { id: 'c1', ...rest, usage: usage(9) };
      expect(readEveryWay(events(text('a'), text('b'), stop, last, done))).toEqual(
        completed({ ...twoTokens, tokens: { input: 5, output: 9, source: 'usage' } }),
      );
    }
  });

  it('does not take a chunk without choices for the first event', () => {
    const answer = inReads(event({ choices: [], usage: null }), events(text('a'), stop, done));
    expect(answer.firstEvent).toBe(readAt(1));
  });

  it('lets the last usage win and knows the first chunk’s tokens from it', () => {
    const body = events(
      { ...chunk({ role: 'assistant' }), usage: usage(0) },
      { ...text('ab'), usage: usage(2) },
      { ...text('c'), usage: usage(3) },
      { ...stop, usage: usage(4) },
      done,
    );
    expect(readEveryWay(body)).toEqual(
      completed({ tokens: { input: 5, output: 4, source: 'usage' }, firstChunkTokens: 2 }),
    );
  });

  it('does not know the first chunk’s tokens from a final usage', () => {
    const body = events(text('a'), text('b'), { ...stop, usage: usage(4) }, done);
    expect(readEveryWay(body)).toEqual(completed({ firstChunkTokens: null }));
  });

  it('passes over comments and keeps their instants', () => {
    const body = `: ping\n\n${event(text('a'))}: PROCESSING\n${event(text('b'))}${events(stop, done)}`;
    expect(readEveryWay(body)).toEqual(completed({ ...twoTokens, commentInstants: 2 }));
    const answer = inReads(event(text('a')), ': ping\n\n', event(stop) + event(done));
    expect([...answer.commentInstants]).toEqual([readAt(1)]);
  });

  it('accepts data without a space behind the colon', () => {
    const body = events(text('a'), text('b'), stop, done).replaceAll('data: ', 'data:');
    expect(readEveryWay(body)).toEqual(completed(twoTokens));
  });

  it.each(['\r\n', '\r'])('accepts the line end %j, and a byte order mark', (lineEnd) => {
    const body = `\ufeff${events(text('a'), text('b'), stop, done)}`.replaceAll('\n', lineEnd);
    expect(readEveryWay(body)).toEqual(completed(twoTokens));
  });

  it('counts several events of one read as coalesced, with one instant', () => {
    const answer = inReads(events(text('a'), text('b'), text('c')), events(text('d'), stop, done));
    expect([...answer.tokenInstants]).toEqual([readAt(0), readAt(0), readAt(0), readAt(1)]);
    expect(answer.coalesced).toBe(2);
  });

  it('reads events and characters that are split over reads', () => {
    const body = events(text('é😀'), text('漢\n"x"\\'), stop, done);
    expect(readEveryWay(body)).toEqual(completed(twoTokens));
    const bytes = Buffer.from(event(text('a')));
    const reads = [bytes.subarray(0, 20), bytes.subarray(20), Buffer.from(events(stop, done))];
    expect(answerOf(replay('chat-stream', reads)).firstToken).toBe(readAt(1));
  });

  it('reads data of several lines, and passes over id, retry and unknown event names', () => {
    const several = JSON.stringify(text('a'), null, 1).replaceAll(/^/gm, 'data: ');
    const body = `id: 1\nretry: 5\nevent: chunk\n${several}\n\n${events(text('b'), stop, done)}`;
    expect(readEveryWay(body)).toEqual(completed(twoTokens));
  });

  it('tells reasoning from visible tokens, by either name', () => {
    for (const name of ['reasoning', 'reasoning_content']) {
      const answer = inReads(
        event(chunk({ content: null, [name]: 'hm' })),
        event(chunk({ content: '', [name]: 'hmm' })),
        event(chunk({ content: 'a', [name]: null })),
        events(stop, done),
      );
      expect(answer).toMatchObject({ firstToken: readAt(0), firstVisible: readAt(2) });
      expect([...answer.tokenInstants]).toEqual([readAt(0), readAt(1), readAt(2)]);
    }
  });

  it('takes refusals and fragments of tool calls for visible tokens', () => {
    for (const delta of [
      { refusal: 'no' },
      {
        tool_calls: [
          { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } },
        ],
      },
      { content: null, tool_calls: [{ index: 0, function: { arguments: '{"a' } }] },
      { function_call: { name: 'f', arguments: '' } },
    ]) {
      const body = events(chunk({ role: 'assistant', content: null }), chunk(delta), stop, done);
      expect(readEveryWay(body)).toEqual(completed({ tokenInstants: 1, firstVisible: true }));
    }
  });

  it('takes null and empty fields and empty tool calls for no token', () => {
    for (const delta of [
      { content: '', reasoning: '', reasoning_content: '', refusal: '', tool_calls: [] },
      { content: null, reasoning: null, reasoning_content: null, refusal: null, tool_calls: null },
      { tool_calls: [{ index: 0, type: 'function', function: { arguments: '' } }] },
    ]) {
      expect(readEveryWay(events(chunk(delta), stop, done))).toEqual(
        completed({ tokenInstants: 0, firstEvent: true, firstToken: false, lastToken: false }),
      );
    }
  });

  it('counts tokens by events where the server does not tell usage', () => {
    expect(readEveryWay(events(text('many words at once'), text('b'), stop, done))).toEqual(
      completed({ tokens: { input: null, output: 2, source: 'events' } }),
    );
  });

  it('does not believe a usage of no tokens beside tokens, nor one it cannot read', () => {
    const zero = { choices: [], usage: usage(0) };
    expect(readEveryWay(events(text('a'), stop, zero, done))).toEqual(
      completed({ tokens: { input: 5, output: 1, source: 'events' }, notes: ['usage-zero'] }),
    );
    const odd = { choices: [], usage: { completion_tokens: 'two' } };
    expect(readEveryWay(events(text('a'), stop, odd, done))).toEqual(
      completed({
        tokens: { input: null, output: 1, source: 'events' },
        notes: ['usage-unreadable'],
      }),
    );
  });
});
