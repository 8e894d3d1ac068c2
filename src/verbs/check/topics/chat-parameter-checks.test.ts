import { describe, expect, it } from 'vitest';
import { boundRequests } from './chat-parameter-checks.ts';
import { reply, said } from './judged.fixture.ts';

const chat = (finish: unknown, message: object) => ({
  choices: [{ index: 0, message, finish_reason: finish }],
});
const saying = (content: unknown) => chat('stop', { content });
const refusal = { status: 400 };

describe('a parameter at the end of its range', () => {
  it('is accepted with all others, or sent alone if they are refused together', () => {
    const yes = reply('bounds-high', saying('x'));
    const no = reply('bounds-high', { message: 'bad' }, refusal);
    expect(said('temperature.high', [])).toBe('unchecked: the request was not sent');
    expect(said('temperature.high', [yes])).toBe('pass: accepted 2');
    expect(said('temperature.high', [no])).toBe(
      'unchecked: the request with all bounds: status 400: bad',
    );
    expect(said('temperature.high', [no, reply('temperature-high', saying('x'))])).toBe(
      'pass: status 200',
    );
    expect(said('temperature.high', [no, reply('temperature-high', {}, refusal)])).toBe(
      'violation: status 400: a body that is no error',
    );
    expect(said('temperature.low', [yes])).toBe('unchecked: the request was not sent');
  });

  it('is asked for by 13 requests, each only if its bound was refused', () => {
    expect(boundRequests.map(({ id, onlyIfRefused }) => `${id} after ${onlyIfRefused}`))
      .toMatchInlineSnapshot(`
      [
        "temperature-low after bounds-low",
        "temperature-high after bounds-high",
        "top_p-low after bounds-low",
        "top_p-high after bounds-high",
        "presence_penalty-low after bounds-low",
        "presence_penalty-high after bounds-high",
        "frequency_penalty-low after bounds-low",
        "frequency_penalty-high after bounds-high",
        "top_k-low after bounds-low",
        "top_k-high after bounds-high",
        "stop-low after bounds-low",
        "stop-high after bounds-high",
        "stream-low after bounds-low",
      ]
    `);
    const bodies = boundRequests.map(({ build }) =>
      JSON.parse(Buffer.from(build({ chat: 'm' } as never)!.body!).toString('utf8')),
    );
    expect(bodies[1]).toMatchObject({ model: 'm', temperature: 2 });
    expect(boundRequests[0]!.cost.outputTokens).toBe(8);
  });
});

describe('stop sequences', () => {
  it.each([
    ['low', 'This is it', 'pass: the answer contains none'],
    ['low', 'the', 'violation: the answer contains "e"'],
    ['high', 'try', 'pass: the answer contains none'],
    ['high', 'tea', 'violation: the answer contains "e", "a"'],
    ['high', null, 'pass: the answer contains none'],
  ])('of the %s bound in %j', (end, content, expected) => {
    const answer = reply(`bounds-${end}`, saying(content));
    expect(said(`stop.${end}-obeyed`, [answer])).toBe(expected);
  });
});

describe('JSON that was asked for', () => {
  it.each([
    ['stop', '{"river":1}', 'pass: a JSON object'],
    ['stop', '[1]', 'violation: the content is JSON, but no object'],
    ['stop', 'null', 'violation: the content is JSON, but no object'],
    ['stop', '```json\n{}\n```', 'deviation (fenced-json): the JSON stands in a fence of Markdown'],
    ['stop', 'river', 'violation: the content is not JSON'],
    ['length', 'river', 'unchecked: the answer was cut off at 200 tokens'],
  ])('ended by %s: %s', (finish, content, expected) => {
    expect(said('json-mode.valid', [reply('json-mode', chat(finish, { content }))])).toBe(expected);
  });
});

describe('a chat with a tool', () => {
  const calls = [{ id: 'c' }];
  it.each([
    ['tool_calls', calls, 'pass: finish_reason is tool_calls, with tool_calls in the message'],
    ['tool_calls', [], 'open: finish_reason is tool_calls; the message has no tool_calls'],
    ['tool_calls', null, 'open: finish_reason is tool_calls; the message has no tool_calls'],
    ['stop', calls, 'violation: the message has tool_calls, but finish_reason is "stop"'],
    ['length', calls, 'unchecked: the model answered without the tool'],
    ['stop', [], 'unchecked: the model answered without the tool'],
  ])('that ended by %s with %j', (finish, tool_calls, expected) => {
    expect(said('tools.finish', [reply('tools', chat(finish, { tool_calls }))])).toBe(expected);
  });
});

it('chats end by reasons that are known, whichever of them were answered', () => {
  const one = reply('chat', chat('length', {}));
  const other = reply('tools', chat('tool_calls', {}));
  expect(said('chats.finish', [])).toBe('unchecked: no chat was answered');
  expect(said('chats.finish', [reply('chat', {}, refusal)])).toBe(
    'unchecked: no chat was answered',
  );
  expect(said('chats.finish', [one, other])).toBe('pass: 2 chats');
  expect(said('chats.finish', [one, reply('minimal', chat('eos', {}))])).toBe(
    'violation: finish_reason of minimal is "eos"',
  );
});

describe('the list of models', () => {
  const models = (...ids: unknown[]) => reply('models', { data: ids.map((id) => ({ id })) });
  it.each([
    [{}, 'pass: a/b, a/w'],
    [{ chat: 'b' }, 'violation: b has no publisher'],
    [{ chat: 'b', transcription: '/w' }, 'violation: b, /w has no publisher'],
    [{ chat: 'a/', transcription: null }, 'violation: a/ has no publisher'],
    [{ chat: null, transcription: null }, 'unchecked: no model was recognised'],
  ])('names models in their form with %j', (target, expected) => {
    expect(said('models.form', [models('a/b')], target)).toBe(expected);
  });

  it.each([
    [{ listed: ['a/s', 'a/w'] }, 'pass: a/s, a/w'],
    [{ listed: ['a/s'] }, 'deviation (unlisted-models): the list has no a/w'],
    [{ listed: [] }, 'deviation (unlisted-models): the list has no a/s and no a/w'],
    [
      { speech: null },
      'deviation (no-audio-models): no model looks like one for speech (--speech-model names it)',
    ],
    [
      { speech: null, transcription: null },
      'deviation (no-audio-models): no model looks like one for speech (--speech-model names it), none for transcription (--transcription-model names it)',
    ],
  ])('has models for audio with %j', (target, expected) => {
    expect(said('models.audio', [models('a/b')], target)).toBe(expected);
  });

  it('has each id once, and its type is noted', () => {
    expect(said('models.unique', [models('a', 'b')])).toBe('pass: 2 ids');
    expect(said('models.unique', [models('a', 'b', 'a', 'a')])).toBe(
      'deviation (doubled-models): 2 of 4 ids come more than once',
    );
    expect(said('models.content-type', [models()])).toBe('pass: application/json');
    const typed = (headers: Record<string, string>) => reply('models', {}, { headers });
    expect(said('models.content-type', [typed({ 'content-type': 'text/x' })])).toBe(
      'open: the content type is text/x',
    );
    expect(said('models.content-type', [typed({})])).toBe('open: the content type is missing');
  });
});
