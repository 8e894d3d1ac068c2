import { describe, expect, it } from 'vitest';
import { replay } from '../kinds/replay.fixture.ts';

const token = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Y' } }] })}\n\n`;

describe('a dictionary as Python prints it is an error with its sentence', () => {
  const dictionary = `{'error': {'message': "the model's KV cache is full", 'type': None, 'code': 503}}`;

  it.each([
    ['an event', 'chat-stream', `data: ${dictionary}\n\n`],
    ['an event of the type error', 'chat-stream', `event: error\ndata: ${dictionary}\n\n`],
    ['a line', 'chat-stream', `${dictionary}\n\ndata: [DONE]\n\n`],
    ['a line after a token', 'chat-stream', `${token}error: ${dictionary}\n\n`],
    ['a whole body', 'chat', dictionary],
    ['a detail', 'chat', `{'detail': 'the model\\'s KV cache is full'}`],
    ['an escape', 'chat', `{'error': 'the model\\x27s KV cache is full', 'ok': False}`],
  ] as const)('in %s', (_, kind, body) => {
    const outcome = replay(kind, [Buffer.from(body)]);
    expect(outcome).toMatchObject({ kind: 'malformed', issue: 'stream-error' });
    expect(JSON.stringify(outcome)).toContain("the model's KV cache is full");
  });

  it('in a refusal', () => {
    expect(replay('chat', [Buffer.from(dictionary)], { status: 503 })).toMatchObject({
      kind: 'refused',
      refusal: { message: "the model's KV cache is full", code: '503' },
    });
  });

  it('an answer as Python prints it is no answer', () => {
    const printed = `{'choices': [{'index': 0, 'message': {'content': 'Yes.'}, 'finish_reason': 'stop'}]}`;
    expect(replay('chat', [Buffer.from(printed)])).toMatchObject({ kind: 'malformed' });
    const event = `{'choices': [{'index': 0, 'delta': {'content': 'Yes.'}, 'finish_reason': 'stop'}]}`;
    expect(replay('chat-stream', [Buffer.from(`data: ${event}\n\n`)])).toMatchObject({
      kind: 'malformed',
    });
  });
});
