import { describe, expect, it } from 'vitest';
import { readAt, replay } from '../kinds/replay.fixture.ts';
import {
  streamAnswerOf,
  chatChunk,
  expectCompleted,
  doneData,
  sseEvent,
  sseEvents,
  answerFromReads,
  readEverySplit,
  stopChunk,
  textChunk,
  usageFields,
} from '../kinds/stream-bodies.fixture.ts';

const twoTokens = { tokenInstants: 2, finish: 'stop', notes: [] };

describe('a streamed chat, however it is cut,', () => {
  it('takes a role-only or empty first chunk for the first event, not the first token', () => {
    for (const first of [{ role: 'assistant' }, { role: 'assistant', content: '' }, {}, null]) {
      const answer = answerFromReads(
        sseEvent(chatChunk(first)),
        sseEvent(textChunk('a')),
        sseEvents(stopChunk, doneData),
      );
      expect(answer).toMatchObject({ firstEvent: readAt(0), firstToken: readAt(1) });
      expect(
        readEverySplit(
          sseEvents(chatChunk(first), textChunk('a'), textChunk('b'), stopChunk, doneData),
        ),
      ).toEqual(expectCompleted(twoTokens));
    }
  });

  it('reads usage from a chunk whose choices are empty, absent or null', () => {
    for (const rest of [{ choices: [] }, {}, { choices: null }]) {
      const last = { id: 'c1', ...rest, usage: usageFields(9) };
      expect(
        readEverySplit(sseEvents(textChunk('a'), textChunk('b'), stopChunk, last, doneData)),
      ).toEqual(
        expectCompleted({
          ...twoTokens,
          tokens: { input: 5, output: 9, most: 18, source: 'usage' },
        }),
      );
    }
  });

  it.each([
    ['a message instead of a delta', (text: string) => ({ message: { content: text } })],
    ['a text instead of a delta', (text: string) => ({ text })],
    [
      'a message so far beside each delta',
      (text: string) => ({
        delta: { content: text },
        message: { content: `so far ${text}` },
      }),
    ],
  ])('counts the tokens of chunks with %s', (_, piece) => {
    const chunks = ['a', 'b'].map((text) => ({ choices: [{ index: 0, ...piece(text) }] }));
    expect(readEverySplit(sseEvents(...chunks, stopChunk, doneData))).toEqual(
      expectCompleted({ ...twoTokens, tokens: { input: null, output: 2, source: 'events' } }),
    );
  });

  it('does not take a chunk without choices for the first event', () => {
    const answer = answerFromReads(
      sseEvent({ choices: [], usage: null }),
      sseEvents(textChunk('a'), stopChunk, doneData),
    );
    expect(answer.firstEvent).toBe(readAt(1));
  });

  it('uses the last usage and knows the first chunk’s tokens from it', () => {
    const body = sseEvents(
      { ...chatChunk({ role: 'assistant' }), usage: usageFields(0) },
      { ...textChunk('ab'), usage: usageFields(2) },
      { ...textChunk('c'), usage: usageFields(3) },
      { ...stopChunk, usage: usageFields(4) },
      doneData,
    );
    expect(readEverySplit(body)).toEqual(
      expectCompleted({
        tokens: { input: 5, output: 4, most: 19, source: 'usage' },
        firstChunkTokens: 2,
      }),
    );
  });

  it('does not know the first chunk’s tokens from a final usage', () => {
    const body = sseEvents(
      textChunk('a'),
      textChunk('b'),
      { ...stopChunk, usage: usageFields(4) },
      doneData,
    );
    expect(readEverySplit(body)).toEqual(expectCompleted({ firstChunkTokens: null }));
  });

  it('skips comments and keeps their instants', () => {
    const body = `: ping\n\n${sseEvent(textChunk('a'))}: PROCESSING\n${sseEvent(textChunk('b'))}${sseEvents(stopChunk, doneData)}`;
    expect(readEverySplit(body)).toEqual(expectCompleted({ ...twoTokens, commentInstants: 2 }));
    const answer = answerFromReads(
      sseEvent(textChunk('a')),
      ': ping\n\n',
      sseEvent(stopChunk) + sseEvent(doneData),
    );
    expect([...answer.commentInstants]).toEqual([readAt(1)]);
  });

  it('accepts data without a space after the colon', () => {
    const body = sseEvents(textChunk('a'), textChunk('b'), stopChunk, doneData).replaceAll(
      'data: ',
      'data:',
    );
    expect(readEverySplit(body)).toEqual(expectCompleted(twoTokens));
  });

  it.each(['\r\n', '\r'])('accepts the line end %j, and a byte order mark', (lineEnd) => {
    const body =
      `\ufeff${sseEvents(textChunk('a'), textChunk('b'), stopChunk, doneData)}`.replaceAll(
        '\n',
        lineEnd,
      );
    expect(readEverySplit(body)).toEqual(expectCompleted(twoTokens));
  });

  it('counts several events of one read as coalesced, with one instant', () => {
    const answer = answerFromReads(
      sseEvents(textChunk('a'), textChunk('b'), textChunk('c')),
      sseEvents(textChunk('d'), stopChunk, doneData),
    );
    expect([...answer.tokenInstants]).toEqual([readAt(0), readAt(0), readAt(0), readAt(1)]);
    expect(answer.coalesced).toBe(2);
  });

  it('reads events and characters that are split over reads', () => {
    const body = sseEvents(textChunk('é😀'), textChunk('漢\n"x"\\'), stopChunk, doneData);
    expect(readEverySplit(body)).toEqual(expectCompleted(twoTokens));
    const bytes = Buffer.from(sseEvent(textChunk('a')));
    const reads = [
      bytes.subarray(0, 20),
      bytes.subarray(20),
      Buffer.from(sseEvents(stopChunk, doneData)),
    ];
    expect(streamAnswerOf(replay('chat-stream', reads)).firstToken).toBe(readAt(1));
  });

  it('reads data of several lines, and skips id, retry and unknown event names', () => {
    const several = JSON.stringify(textChunk('a'), null, 1).replaceAll(/^/gm, 'data: ');
    const body = `id: 1\nretry: 5\nevent: chunk\n${several}\n\n${sseEvents(textChunk('b'), stopChunk, doneData)}`;
    expect(readEverySplit(body)).toEqual(expectCompleted(twoTokens));
  });

  it('distinguishes reasoning from visible tokens, under each of its names', () => {
    for (const name of ['reasoning', 'reasoning_content', 'reasoning_details', 'thinking']) {
      const answer = answerFromReads(
        sseEvent(chatChunk({ content: null, [name]: 'hm' })),
        sseEvent(chatChunk({ content: '', [name]: 'hmm' })),
        sseEvent(chatChunk({ content: 'a', [name]: null })),
        sseEvents(stopChunk, doneData),
      );
      expect(answer).toMatchObject({ firstToken: readAt(0), firstVisible: readAt(2) });
      expect([...answer.tokenInstants]).toEqual([readAt(0), readAt(1), readAt(2)]);
    }
  });

  it('counts the transcript and the sound of audio models as visible tokens', () => {
    const chunks = [
      chatChunk({ audio: { transcript: 'a' } }),
      chatChunk({ audio: { data: 'AAAA' } }),
    ];
    expect(readEverySplit(sseEvents(...chunks, stopChunk, doneData))).toEqual(
      expectCompleted({ tokenInstants: 2, firstVisible: true }),
    );
  });

  it('reads content as parts, of which thinking ones are reasoning', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    const answer = answerFromReads(
      sseEvent(chatChunk({ role: 'assistant', content: [] })),
      sseEvent(chatChunk({ content: [{ ...thinking, thinking: [], signature: 'abc' }] })),
      sseEvent(chatChunk({ content: [thinking] })),
      sseEvent(chatChunk({ content: [{ type: 'text', text: '' }] })),
      sseEvent(chatChunk({ content: [thinking, { type: 'text', text: 'a' }] })),
      sseEvent(chatChunk({ content: [{ type: 'reference', reference_ids: [1] }] })),
      sseEvent(textChunk('b')),
      sseEvents(stopChunk, doneData),
    );
    expect(answer).toMatchObject({ firstToken: readAt(2), firstVisible: readAt(4) });
    expect([...answer.tokenInstants]).toEqual([readAt(2), readAt(4), readAt(6)]);
  });

  it('reads the usage that Groq reports in "x_groq"', () => {
    const start = { ...chatChunk({ content: 'a' }), x_groq: { id: 'req_1' } };
    const end = { ...stopChunk, x_groq: { id: 'req_1', usage: usageFields(9) } };
    const body = sseEvents(start, end, doneData);
    expect(readEverySplit(body)).toEqual(
      expectCompleted({ tokens: { input: 5, output: 9, most: 17, source: 'usage' } }),
    );
    const both = { ...end, usage: usageFields(2) };
    expect(readEverySplit(sseEvents(start, both, doneData))).toEqual(
      expectCompleted({ tokens: { input: 5, output: 2, most: 17, source: 'usage' } }),
    );
  });

  it('reads the streams of Azure, with content filters in separate chunks', () => {
    const filters = { hate: { filtered: false, severity: 'safe' } };
    const empty = { id: '', object: '', created: 0, model: '' };
    const body = sseEvents(
      { ...empty, choices: [], prompt_filter_results: [{ prompt_index: 0, filters }] },
      chatChunk({ role: 'assistant', content: '' }),
      textChunk('a'),
      textChunk('b'),
      { ...empty, choices: [{ index: 0, finish_reason: null, content_filter_results: filters }] },
      stopChunk,
      { ...empty, choices: [{ index: 0, finish_reason: null, content_filter_offsets: {} }] },
      doneData,
    );
    expect(readEverySplit(body)).toEqual(expectCompleted(twoTokens));
  });

  it('counts a tool call without a list, as Text Generation Inference sends it', () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{' } };
    const body = sseEvents(chatChunk({ role: 'assistant', tool_calls: call }), stopChunk, doneData);
    expect(readEverySplit(body)).toEqual(expectCompleted({ tokenInstants: 1, firstVisible: true }));
  });

  it('counts refusals and fragments of tool calls as visible tokens', () => {
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
      const body = sseEvents(
        chatChunk({ role: 'assistant', content: null }),
        chatChunk(delta),
        stopChunk,
        doneData,
      );
      expect(readEverySplit(body)).toEqual(
        expectCompleted({ tokenInstants: 1, firstVisible: true }),
      );
    }
  });

  it('counts null and empty fields and empty tool calls as no token', () => {
    for (const delta of [
      { content: '', reasoning: '', reasoning_content: '', refusal: '', tool_calls: [] },
      { content: null, reasoning: null, reasoning_content: null, refusal: null, tool_calls: null },
      { tool_calls: [{ index: 0, type: 'function', function: { arguments: '' } }] },
    ]) {
      expect(readEverySplit(sseEvents(chatChunk(delta), stopChunk, doneData))).toEqual(
        expectCompleted({
          tokenInstants: 0,
          firstEvent: true,
          firstToken: false,
          lastToken: false,
        }),
      );
    }
  });

  it('counts tokens by events if the server does not report usage', () => {
    expect(
      readEverySplit(
        sseEvents(textChunk('many words at once'), textChunk('b'), stopChunk, doneData),
      ),
    ).toEqual(expectCompleted({ tokens: { input: null, output: 2, source: 'events' } }));
  });

  it('ignores a usage of 0 tokens next to tokens, and one that it cannot read', () => {
    const zero = { choices: [], usage: usageFields(0) };
    expect(readEverySplit(sseEvents(textChunk('a'), stopChunk, zero, doneData))).toEqual(
      expectCompleted({ tokens: { input: 5, output: 1, source: 'events' }, notes: ['usage-zero'] }),
    );
    const odd = { choices: [], usage: { completion_tokens: 'two' } };
    expect(readEverySplit(sseEvents(textChunk('a'), stopChunk, odd, doneData))).toEqual(
      expectCompleted({
        tokens: { input: null, output: 1, source: 'events' },
        notes: ['usage-unreadable'],
      }),
    );
  });
});
