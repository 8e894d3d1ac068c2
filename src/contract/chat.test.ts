import { describe, expect, it } from 'vitest';
import { chatRequestSchema, servedChatSchema, servedChunkSchema, usageSchema } from './chat.ts';
import { chatChunkSchema, chatResponseSchema } from './reference-answers.fixture.ts';

const user = { role: 'user', content: 'x' };
const smallest = { model: 'm', messages: [user] };
const takes = (fields: object): boolean =>
  chatRequestSchema.safeParse({ ...smallest, ...fields }).success;

describe('a chat request', () => {
  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['model', ['m'], ['', 5, null]],
    ['messages', [[user], [user, user]], [[], 'x', null]],
    ['max_tokens', [1, 100_000, null], [0, -1, 1.5, '1']],
    ['max_completion_tokens', [1, null], [0, 1.5]],
    ['temperature', [0, 2, 0.5, null], [-0.1, 2.1, '1']],
    ['top_p', [0, 1, null], [-0.1, 1.1]],
    ['top_k', [-1, 0, 5, null], [1.5]],
    ['stream', [true, false, null], ['true', 1]],
    ['stream_options', [{}, { include_usage: true }, null], [{ include_usage: 1 }, true]],
    ['stop', ['x', [], ['a', 'b', 'c', 'd'], null], [['a', 'b', 'c', 'd', 'e'], 5, [5]]],
    ['presence_penalty', [-2, 2, null], [-2.1, 2.1]],
    ['frequency_penalty', [-2, 2, null], [-2.1, 2.1]],
    ['n', [1, 128, null], [0, 129, 1.5]],
    ['logprobs', [true, null], [1]],
    ['top_logprobs', [0, 20, null], [-1, 21]],
    ['tool_choice', ['none', 'auto', 'required', null], ['any', {}]],
    ['a field of a server', [1, 'x', {}], []],
  ])('may have as %s only what the interface allows', (name, good, bad) => {
    expect(good.filter((value) => !takes({ [name]: value }))).toEqual([]);
    expect(bad.filter((value) => takes({ [name]: value }))).toEqual([]);
  });

  it('has messages with content, unless an assistant calls tools', () => {
    const message = (fields: object): boolean =>
      takes({ messages: [{ role: 'user', content: 'x', ...fields }] });
    for (const role of ['system', 'developer', 'user', 'assistant', 'tool'])
      expect(message({ role })).toBe(true);
    expect(message({ role: 'robot' })).toBe(false);
    expect([message({ content: '' }), message({ content: [] })]).toEqual([true, false]);
    expect(message({ content: [{ type: 'text', text: 'x' }] })).toBe(true);
    expect(message({ content: [{ type: 'video', text: 'x' }] })).toBe(false);
    expect(message({ content: null })).toBe(false);
    expect(message({ content: undefined })).toBe(false);
    const calls = { content: null, tool_calls: [{}] };
    expect(message({ ...calls, role: 'assistant' })).toBe(true);
    expect(message({ ...calls, role: 'user' })).toBe(false);
    expect(message({ ...calls, role: 'assistant', tool_calls: [] })).toBe(false);
    expect(message({ role: 'assistant', content: undefined, tool_calls: null })).toBe(false);
  });

  it('says where content is missing', () => {
    const { error } = chatRequestSchema.safeParse({
      ...smallest,
      messages: [user, { role: 'user', content: null }],
    });
    expect(error?.issues).toMatchObject([
      { path: ['messages', 1, 'content'], message: 'expected a string or a list of content parts' },
    ]);
  });

  it('has tools that are functions with a name', () => {
    const tool = (fields: object, type = 'function'): boolean =>
      takes({ tools: [{ type, function: { name: 'f', ...fields } }] });
    expect(tool({ description: 'd', parameters: { type: 'object' }, strict: true })).toBe(true);
    expect([tool({}), tool({ strict: null })]).toEqual([true, true]);
    for (const wrong of [{ name: '' }, { parameters: { type: 'array' } }, { strict: 1 }])
      expect(tool(wrong)).toBe(false);
    expect(tool({}, 'retrieval')).toBe(false);
    const named = { type: 'function', function: { name: 'f' } };
    expect(takes({ tool_choice: named })).toBe(true);
    expect(takes({ tool_choice: { ...named, type: 'x' } })).toBe(false);
  });

  it('has a response format of three types', () => {
    const schema = { name: 'n', schema: { type: 'object' } };
    const format = (response_format: unknown): boolean => takes({ response_format });
    for (const good of [
      null,
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: schema },
      { type: 'json_schema', json_schema: { ...schema, strict: true } },
    ])
      expect(format(good)).toBe(true);
    for (const bad of [
      { type: 'xml' },
      'text',
      { type: 'json_schema' },
      { type: 'json_schema', json_schema: { ...schema, name: '' } },
      { type: 'json_schema', json_schema: { name: 'n' } },
    ])
      expect(format(bad)).toBe(false);
    const { error } = chatRequestSchema.safeParse({ ...smallest, response_format: 'text' });
    expect(error?.issues[0]?.message).toBe(
      'expected a mapping with type "text", "json_object" or "json_schema"',
    );
  });
});

describe('an answer to a chat', () => {
  const choice = { message: { content: 'x' }, finish_reason: 'stop' };
  const answers = (body: object): readonly boolean[] => [
    chatResponseSchema.safeParse(body).success,
    servedChatSchema.safeParse(body).success,
  ];

  it('has at least one choice with a message', () => {
    expect(answers({ choices: [choice, choice] })).toEqual([true, true]);
    expect(answers({ choices: [] })).toEqual([false, false]);
    expect(answers({})).toEqual([false, false]);
    expect(answers({ choices: [{}] })).toEqual([false, false]);
    for (const content of [null, undefined, [{ type: 'text' }]])
      expect(answers({ choices: [{ message: { content } }] })).toEqual([true, true]);
    expect(answers({ choices: [{ message: { content: 5 } }] })).toEqual([false, false]);
    // What a served answer says besides is read as far as possible.
    expect(answers({ choices: [{ ...choice, finish_reason: 5 }] })).toEqual([false, true]);
    expect(answers({ choices: [choice], usage: 'none' })).toEqual([false, true]);
  });

  it('has usage in whole tokens', () => {
    const takesUsage = (fields: object): boolean =>
      usageSchema.safeParse({ prompt_tokens: 0, completion_tokens: 0, ...fields }).success;
    expect([takesUsage({}), takesUsage({ total_tokens: 0 })]).toEqual([true, true]);
    for (const name of ['prompt_tokens', 'completion_tokens', 'total_tokens'])
      for (const value of [-1, 1.5, '1', null]) expect(takesUsage({ [name]: value })).toBe(false);
  });
});

describe('an event of a stream', () => {
  const chunk = (body: object): readonly boolean[] => [
    chatChunkSchema.safeParse(body).success,
    servedChunkSchema.safeParse(body).success,
  ];
  const delta = (fields: object | null): readonly boolean[] =>
    chunk({ choices: [{ delta: fields }] });

  it('may lack any of its fields, or have null', () => {
    for (const body of [{}, { choices: null }, { choices: [] }, { choices: [{}] }, { usage: null }])
      expect(chunk(body)).toEqual([true, true]);
    for (const fields of [
      null,
      {},
      { content: null },
      { content: 'x', reasoning: null, reasoning_content: 'y', refusal: null },
      { content: [{ type: 'thinking' }] },
      { tool_calls: [{}] },
      { tool_calls: {} },
      { tool_calls: null },
    ])
      expect(delta(fields)).toEqual([true, true]);
  });

  it('is of another form if it has others', () => {
    expect(delta({ content: 5 })).toEqual([false, false]);
    for (const fields of [
      { reasoning: 5 },
      { reasoning_content: {} },
      { refusal: 1 },
      { tool_calls: 'x' },
    ])
      expect(delta(fields)).toEqual([false, true]);
    expect(chunk({ choices: [{ index: 1.5 }] })).toEqual([false, true]);
    expect(chunk({ choices: [{ finish_reason: 1 }] })).toEqual([false, true]);
    expect(chunk({ choices: 'x' })).toEqual([false, false]);
  });
});
