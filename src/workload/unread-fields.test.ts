import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../model/quantity.ts';
import { readTrace } from './read-trace.ts';

const selection = {
  file: 't',
  speed: 1,
  from: milliseconds(0),
  until: null,
  maxInputTokens: null,
  maxOutputTokens: null,
};

const unreadIn = (lines: readonly string[], until: number | null = null) => {
  const cut = { ...selection, until: until === null ? null : milliseconds(until) };
  const found = readTrace(cut, [Buffer.from(lines.join('\n'))], () => createHash('sha256'));
  return found.ok ? found.value.facts.unread : found.problem;
};

const row = (timestamp: number, more: object = {}): string =>
  JSON.stringify({ timestamp, input_length: 9, output_length: 9, hash_ids: [timestamp], ...more });

describe('the fields of a trace that are not replayed', () => {
  it('are counted in Azure’s trace with images', () => {
    const lines = [
      'TIMESTAMP,NumImages,ContextTokens,GeneratedTokens',
      '2024-10-21 00:00:00,0,100,10',
      '2024-10-21 00:00:10,2,100,10',
      '2024-10-21 00:00:20,1,100,10',
    ];
    expect(unreadIn(lines)).toEqual({ NumImages: 2 });
  });

  it('are counted in BurstGPT’s traces, without the sum of the others', () => {
    const lines = [
      'Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens',
      '5,a,0.0,GPT-4,472,18,490',
      '45,,1.5,GPT-4,1087,230,1317',
    ];
    expect(unreadIn(lines)).toEqual({ 'Session ID': 1, 'Elapsed time': 1, Model: 2 });
  });

  it('are counted in chats of Qwen-Bailian, of which −1 names no parent', () => {
    const lines = [
      row(0, { chat_id: 7, parent_chat_id: -1, type: 'image', turn: 1 }),
      row(1, { chat_id: 8, parent_chat_id: 7, type: 'text', turn: 2 }),
    ];
    expect(unreadIn(lines)).toEqual({ chat_id: 2, parent_chat_id: 1, type: 2, turn: 2 });
  });

  it('are counted in sessions of AIPerf, and only of requests within the cut', () => {
    const lines = [0, 1000, 2000].map((at) => row(at, { session_id: 's', delay: at, priority: 1 }));
    expect(unreadIn(lines)).toEqual({ session_id: 3, delay: 2, priority: 3 });
    expect(unreadIn(lines, 1500)).toEqual({ session_id: 2, delay: 1, priority: 2 });
  });

  it('are counted whatever they are called', () => {
    const lines = [0, 1000].map((at) =>
      row(at, { toString: 1, constructor: 'x' }).replace('{', '{"__proto__":5,'),
    );
    const unread = unreadIn(lines) as Record<string, number>;
    expect(new Map(Object.entries(unread))).toEqual(
      new Map([
        ['__proto__', 2],
        ['constructor', 2],
        ['toString', 2],
      ]),
    );
  });

  it('are absent where all is replayed', () => {
    expect(unreadIn([row(0), row(1000, { note: '', tags: [], parent: null })])).toBeUndefined();
    const table = ['TIMESTAMP,ContextTokens,GeneratedTokens', '2024-10-21 00:00:00,100,10'];
    expect(unreadIn(table)).toBeUndefined();
  });
});
