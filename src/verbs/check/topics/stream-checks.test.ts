import { describe, expect, it } from 'vitest';
import { reply, said } from './judged.fixture.ts';

const streamed = (text: string, received: object = {}, id = 'stream') =>
  reply(id, text, { headers: { 'content-type': 'text/event-stream' }, ...received });
const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (choice: object, more: object = {}): string =>
  event({ id: 'c', object: 'chat.completion.chunk', choices: [choice], ...more });
const words = (...texts: unknown[]): string =>
  texts.map((content) => chunk({ delta: { content } })).join('');
const done = 'data: [DONE]\n\n';

describe('a stream', () => {
  it.each([
    ['stream', done, 'violation: status 200 without an event'],
    ['stream', words('a') + done, 'pass: status 200'],
    ['stream.content-type', done, 'pass: text/event-stream'],
    ['stream.compressed', done, 'pass: plain'],
    ['stream.framing', words('a', 'b') + done, 'pass: 3 lines of data'],
    ['stream.framing', `\ufeff${done}`, 'deviation (byte-order-mark): a byte order mark'],
    [
      'stream.framing',
      `: hi\n\n${done.replaceAll('\n', '\r\n')}`,
      'deviation (carriage-returns): lines end in CR, comments',
    ],
    [
      'stream.framing',
      `event: x\nid: 1\n${words('a')}`,
      /^deviation \(event-names\): event: lines, id: or/,
    ],
    ['stream.framing', 'data:{}\n\n', 'deviation (no-space): data: without a space'],
    ['stream.framing', 'retry\n\n', 'deviation (other-fields): id: or retry: lines'],
    ['stream.framing', `${done}hello\n`, 'violation: line 3 is no line of an event stream'],
    ['stream.framing', 'data: {}', 'violation: the event of line 1 has no end'],
    [
      'stream.framing',
      'data: {}\ndata: {}\n\n',
      'violation: no blank line follows the event of line 1',
    ],
    [
      'stream.framing',
      'data: {\ndata: }\n\n',
      'deviation (multi-line): an event has several data lines',
    ],
    ['stream.done', done, 'pass: data: [DONE]'],
    ['stream.done', words('a'), 'violation: there is no line data: [DONE]'],
    ['stream.done', `${done}: end\n\n`, 'pass: data: [DONE]'],
    ['stream.done', `${done}data: {}\n\n`, 'violation: 1 lines follow data: [DONE]'],
    ['stream.done', 'data:[DONE]\n\n', 'deviation (no-space): data:[DONE] without a space'],
    ['stream.json', words('a', 'b') + done, 'pass: 2 events'],
    ['stream.json', `${words('a')}data: 7\n\n`, 'violation: the data of event 2 is no JSON object'],
    ['stream.json', `data: null\n\n`, 'violation: the data of event 1 is no JSON object'],
    ['stream.object', words('a', 'b'), 'pass: 2 chunks'],
    ['stream.object', words('a') + event({ object: 'x' }), 'violation: chunk 2: object is "x"'],
    ['stream.object', 'data: 7\n\n', 'pass: 1 chunks'],
    ['stream.id', words('a', 'b'), 'pass: the same id on every chunk'],
    [
      'stream.id',
      words('a') + event({ id: '' }),
      'violation: the id of chunk 2 is an empty string',
    ],
    ['stream.id', event({}), 'violation: the id of chunk 1 is missing'],
    [
      'stream.id',
      words('a') + event({ id: 'd' }),
      'deviation (changing-ids): chunk 2 has another id than the first',
    ],
    ['stream.choices', words('a'), 'pass: 1 chunks'],
    ['stream.choices', event({}), 'violation: chunk 1: choices is missing'],
    [
      'stream.choices',
      event({ usage: {} }),
      'deviation (usage-without-choices): chunk 1: choices is missing beside the usage',
    ],
    ['stream.choices', event({ usage: null }), 'violation: chunk 1: choices is missing'],
    ['stream.choices', event({ usage: {} }) + event({}), 'violation: chunk 2: choices is missing'],
    ['stream.choices', chunk({ delta: null }), 'violation: chunk 1: choices[0].delta is null'],
    ['stream.choices', chunk({}), 'violation: chunk 1: choices[0].delta is missing'],
    ['stream.content', words('a', '', null, 'b'), 'pass: 2 increments'],
    ['stream.content', words('', null), 'deviation (no-content): no chunk has delta.content'],
    ['stream.content', words('a', 7), 'violation: delta.content is a number'],
    ['stream.finish', words('a'), 'open: no chunk has finish_reason'],
    ['stream.finish', chunk({ finish_reason: '' }), 'open: no chunk has finish_reason'],
    [
      'stream.finish',
      chunk({ finish_reason: 'x' }) + chunk({ finish_reason: 'tool_calls' }),
      'pass: "tool_calls"',
    ],
    [
      'stream.finish',
      chunk({ finish_reason: 'length' }) + chunk({ finish_reason: 'x' }),
      'deviation (other-finish): finish_reason is "x"',
    ],
  ])('as %s says of %j', (id, text, expected) => {
    const answer = streamed(text);
    if (typeof expected === 'string') expect(said(id, [answer])).toBe(expected);
    else expect(said(id, [answer])).toMatch(expected);
  });

  it('ends the response after its last line', () => {
    expect(said('stream.done', [streamed(done, { isLeftOpen: true })])).toBe(
      'deviation (open-after-done): the response stayed open after data: [DONE]',
    );
  });
});

describe('the usage of a stream', () => {
  const used = (prompt: number, completion: unknown, total?: number): string =>
    event({
      choices: [],
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total },
    });
  it.each([
    [done, 'unchecked: no events'],
    [words('a'), 'open: no chunk has the usage'],
    [words('a') + used(5, '1', 6), 'violation: the usage has not the three counts'],
    [words('a', 'b') + used(5, 16, 21), 'pass: 2 increments of text, 16 tokens in the usage'],
    [words('a') + used(5, 17, 22), 'violation: 17 tokens were generated, 16 were allowed'],
    [words('a', 'b') + used(5, 2, 7), 'pass: 2 increments of text, 2 tokens in the usage'],
    [
      words('a', 'b') + used(5, 1, 6),
      'deviation (more-increments-than-tokens): 2 increments of text, but 1 tokens in the usage',
    ],
    [words('a') + used(5, 2, 8), 'pass: 1 increments of text, 2 tokens in the usage'],
    [words('a') + used(5, 2, 6), 'violation: 5 + 2 tokens, but the total is 6'],
    [used(5, 1, 9) + used(5, 2, 7), 'pass: 0 increments of text, 2 tokens in the usage'],
  ])('of %j', (text, expected) => {
    expect(said('stream.usage', [streamed(text, {}, 'stream-usage')])).toBe(expected);
  });

  it('may be refused, but not with any status', () => {
    const refused = (status: number) =>
      said('stream-usage', [reply('stream-usage', { message: 'no' }, { status })]);
    expect(refused(400)).toBe('open: stream_options is refused: status 400: no');
    expect(refused(422)).toBe('open: stream_options is refused: status 422: no');
    expect(refused(404)).toBe('violation: status 404: no');
    expect(said('stream-usage', [streamed(words('a') + done, {}, 'stream-usage')])).toBe(
      'pass: status 200',
    );
  });

  it('stands in a chunk with choices', () => {
    expect(said('stream-usage.choices', [streamed(event({ usage: {} }), {}, 'stream-usage')])).toBe(
      'deviation (usage-without-choices): chunk 1: choices is missing beside the usage',
    );
  });
});
