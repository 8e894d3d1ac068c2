import { describe, expect, it } from 'vitest';
import { checkRequests, checkTable } from '../suite/check-table.ts';
import type { CheckTarget } from './check-case.ts';

const clip = {
  name: 'a.m4a',
  contentType: 'audio/mp4',
  bytes: Buffer.alloc(9),
  seconds: 1,
  text: 'a',
};
const models = { chat: 'a/b', speech: 'tts', transcription: 'a/whisper' };
const targetWith = (changes: Partial<Record<keyof typeof models, null>>): CheckTarget => ({
  ...models,
  voice: 'a.wav',
  listed: [],
  now: 0,
  clip,
  otherClips: [],
  ...changes,
});

const judgeUnsent = (id: string, target: CheckTarget) =>
  checkTable
    .find((check) => check.id === id)!
    .judge({ target, of: () => null, limited: [], repeated: [], all: [] });

describe('a request that was not sent', () => {
  it.each([
    ['chat', 'chat', '--model'],
    ['speech-wav', 'speech', '--speech-model'],
    ['transcription-srt', 'transcription', '--transcription-model'],
    ['missing-key-speech', 'speech', '--speech-model'],
  ] as const)('%s names the model for %s that is missing, and %s', (id, kind, option) => {
    expect(judgeUnsent(id, targetWith({ [kind]: null }))).toEqual({
      outcome: 'unchecked',
      observed: `no model for ${kind} is known (${option} names one)`,
    });
  });

  it('says no more where the models are known', () => {
    expect(judgeUnsent('chat', targetWith({})).observed).toBe('the request was not sent');
  });

  it('is possible for every target with all models', () => {
    const clips = ['mp3', 'wav', 'webm'].map((kind) => ({ ...clip, name: `b.${kind}` }));
    const target = { ...targetWith({}), otherClips: clips } as unknown as CheckTarget;
    expect(checkRequests.filter(({ build }) => build(target) === null)).toEqual([]);
  });
});
