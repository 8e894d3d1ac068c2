import { describe, expect, it } from 'vitest';
import { reply } from '../topics/judged.fixture.ts';
import { auditedAnswer } from './audited-answer.ts';

const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
const message = { role: 'assistant', content: 'Yes.' };
const choice = { index: 0, message, finish_reason: 'stop' };
const chat = (changes: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  auditedAnswer(
    'id',
    reply(
      'id',
      { object: 'chat.completion', model: 'm', choices: [choice], usage, ...changes },
      { headers: { 'content-type': 'application/json', ...headers } },
    ),
  );
const stream = (...events: readonly object[]) =>
  auditedAnswer(
    'id',
    reply(
      'id',
      [...events.map((event) => JSON.stringify(event)), '[DONE]']
        .map((data) => `data: ${data}\n\n`)
        .join(''),
      { headers: { 'content-type': 'text/event-stream' } },
    ),
  );
const delta = (fields: object, finish: string | null = null) => ({
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});

describe('an answer for the audit', () => {
  it('has what a plain answer says', () => {
    expect(chat()).toMatchInlineSnapshot(`
      {
        "cost": null,
        "finish": "stop",
        "hasCalls": false,
        "id": "id",
        "input": 10,
        "listed": null,
        "origin": "m",
        "output": 4,
        "reasoningText": "",
        "serverTool": null,
        "text": "Yes.",
        "usage": {
          "classes": {},
          "input": 10,
          "isOdd": false,
          "isOff": false,
          "isPlain": true,
          "output": 4,
        },
        "written": 10,
      }
    `);
  });

  it('has what all events of a stream say', () => {
    expect(
      stream(
        delta({ role: 'assistant', reasoning_content: 'So.' }),
        delta({ content: 'Ye' }),
        delta({ content: 's.' }, 'length'),
        delta({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f' } }] }),
        { model: 'm', choices: [], usage },
      ),
    ).toMatchInlineSnapshot(`
      {
        "cost": null,
        "finish": "length",
        "hasCalls": true,
        "id": "id",
        "input": 10,
        "listed": null,
        "origin": "m",
        "output": 4,
        "reasoningText": "So.",
        "serverTool": null,
        "text": "So.Yes.f",
        "usage": {
          "classes": {},
          "input": 10,
          "isOdd": false,
          "isOff": false,
          "isPlain": true,
          "output": 4,
        },
        "written": 10,
      }
    `);
  });

  it('says why it is none', () => {
    expect(auditedAnswer('id', null)).toBe('id was not sent');
    expect(auditedAnswer('id', reply('id', {}, { status: 500 }))).toMatch(/^id: .*500/);
    expect(chat({ usage: null })).toBe('id: no usage is reported');
    expect(chat({ usage: { prompt_tokens: 3 } })).toBe('id: no usage is reported');
    expect(chat({ usage: { completion_tokens: 3 } })).toBe('id: no usage is reported');
    expect(stream(delta({ content: 'Yes.' }, 'stop'))).toBe('id: no usage is reported');
    expect(stream({ error: { message: 'no place', type: 't', code: 'c' } })).toMatch(
      /^id: .*no place/,
    );
  });

  it('has the model and the deployment that answered', () => {
    expect(chat({}, { 'x-litellm-model-id': 'here' })).toMatchObject({ origin: 'm here' });
    expect(chat({ model: null }, { 'x-litellm-model-id': 'here' })).toMatchObject({
      origin: 'here',
    });
    expect(chat({ model: 7 })).toMatchObject({ origin: '' });
  });

  it.each([
    [{}, {}, null],
    [{ cost: 0.5 }, {}, 0.5],
    [{ cost: { total_cost: 0.25 } }, {}, 0.25],
    [{ cost: '0.5' }, {}, null],
    [{}, { 'x-litellm-response-cost': '0.125' }, 0.125],
    [{}, { 'x-litellm-response-cost': 'none' }, null],
    [{ cost: 0.5 }, { 'x-litellm-response-cost': '0.125' }, 0.125],
    [{ cost: 0.5 }, { 'x-litellm-response-cost': 'none' }, 0.5],
  ])('has the cost in %j and %j', (more, headers, cost) => {
    expect(chat({ usage: { ...usage, ...more } }, headers)).toMatchObject({ cost });
  });

  it('has the prompt tokens as written if they add up to the total', () => {
    const cached = { cache_read_input_tokens: 20 };
    expect(chat({ usage: { ...usage, ...cached } })).toMatchObject({ written: 10 });
    const odd = chat({ usage: { ...usage, total_tokens: 15 } });
    expect(odd).toMatchObject({ input: 10, written: 10 });
  });

  it('counts the tokens that it lists with their probabilities', () => {
    const listed = (count: number) => ({
      ...choice,
      logprobs: { content: Array.from({ length: count }, () => ({ token: 'a', logprob: -1 })) },
    });
    expect(chat({ choices: [listed(3), { ...listed(2), index: 1 }] })).toMatchObject({ listed: 5 });
    expect(chat({ choices: [listed(0)] })).toMatchObject({ listed: 0 });
    expect(chat({ choices: [{ ...choice, logprobs: { content: null } }] })).toMatchObject({
      listed: null,
    });
  });

  it('has all texts, but no labels and nothing that is nested without end', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'deep' : [nested(depth - 1)]);
    const withPart = (part: unknown) =>
      chat({ choices: [{ ...choice, message: { ...message, id: 'i', type: 't', part } }] });
    expect(withPart({ index: 'no', say: 'more' })).toMatchObject({ text: 'Yes.more' });
    expect(withPart(nested(8))).toMatchObject({ text: 'Yes.deep' });
    expect(withPart(nested(9))).toMatchObject({ text: 'Yes.' });
  });
});
