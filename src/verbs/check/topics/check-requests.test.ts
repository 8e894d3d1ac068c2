import { describe, expect, it } from 'vitest';
import type { CheckTarget } from '../reading/check-case.ts';
import { chatWith, getRequest, jsonRequest, transcriptionForm } from './check-requests.ts';

const clip = {
  name: 'gate.wav',
  bytes: new Uint8Array([82, 73, 70, 70]),
  contentType: 'audio/wav',
  seconds: 1,
  text: 'The gate is open.',
};
const target: CheckTarget = {
  chat: 'a/b',
  speech: 's',
  transcription: 'a/w',
  voice: 'calm.wav',
  listed: [],
  clip,
  otherClips: [],
  now: 1_790_000_000,
};
const bodyOf = ({ body }: { readonly body: Uint8Array | null }): unknown =>
  JSON.parse(Buffer.from(body!).toString());
const formOf = (options: Parameters<typeof transcriptionForm>[1]): string =>
  Buffer.from(transcriptionForm(target, options)!.body!).toString('latin1');

describe('a request of the checks', () => {
  it('accepts JSON, or any form of sound, and asks for no compression', () => {
    const accepted = (['chat', 'speech'] as const).map((route) => {
      const { headers } = jsonRequest(route, {});
      return [headers['accept'], headers['content-type'], headers['accept-encoding']];
    });
    expect(accepted).toEqual([
      ['application/json', 'application/json', 'identity'],
      ['*/*', 'application/json', 'identity'],
    ]);
    expect(getRequest('/models')).toMatchObject({
      method: 'GET',
      path: '/models',
      headers: { accept: 'application/json' },
      body: null,
    });
    expect(transcriptionForm(target, {})?.headers).toMatchObject({
      accept: '*/*',
      'content-type': expect.stringContaining('multipart/form-data; boundary=') as string,
    });
  });

  it('goes to the path of its route', () => {
    const paths = [
      jsonRequest('chat', {}),
      jsonRequest('speech', {}),
      transcriptionForm(target, {}),
    ];
    expect(paths.map((request) => `${request?.method} ${request?.path}`)).toEqual([
      'POST /chat/completions',
      'POST /audio/speech',
      'POST /audio/transcriptions',
    ]);
  });

  it('has a text as it is, also if that is no JSON', () => {
    expect(Buffer.from(jsonRequest('chat', '{"model":').body!).toString()).toBe('{"model":');
    expect(bodyOf(jsonRequest('chat', { model: 'm' }))).toEqual({ model: 'm' });
  });
});

describe('a chat of the checks', () => {
  const messages = [{ role: 'user', content: 'Say yes.' }];

  it('is small, and has the fields that are changed', () => {
    expect(bodyOf(chatWith()(target)!)).toEqual({ model: 'a/b', messages, max_tokens: 8 });
    expect(bodyOf(chatWith({ max_tokens: 1, stop: 7 })(target)!)).toEqual({
      model: 'a/b',
      messages,
      max_tokens: 1,
      stop: 7,
    });
    expect(bodyOf(chatWith({ messages: undefined })(target)!)).not.toHaveProperty('messages');
  });

  it('is none without a model for it', () => {
    expect(chatWith()({ chat: null })).toBeNull();
  });
});

describe('a form of the checks', () => {
  it('has the model, its fields and the recording of the target', () => {
    const form = formOf({ fields: [['language', 'en']] });
    expect(form).toMatch(/name="model"\r\n\r\na\/w\r\n/);
    expect(form).toMatch(/name="language"\r\n\r\nen\r\n/);
    expect(form).toMatch(/name="file"; filename="gate\.wav"\r\n/);
  });

  it('may lack the model, or name its file otherwise', () => {
    expect(formOf({ hasModel: false })).not.toContain('name="model"');
    expect(formOf({ part: 'sound' })).toContain('name="sound"; filename="gate.wav"');
    const other = { ...clip, name: 'other.wav' };
    expect(formOf({ clip: other })).toContain('filename="other.wav"');
  });

  it('is none without a model for it', () => {
    expect(transcriptionForm({ ...target, transcription: null }, {})).toBeNull();
  });
});
