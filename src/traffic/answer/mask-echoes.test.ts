import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../model/observation/exchange.ts';
import { maskEchoes } from './mask-echoes.ts';

const prompt = 'The heron waits beside the third sluice until the keeper has gone home.';
const request = (content: string): WireRequest => ({
  method: 'POST',
  path: '/chat/completions',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    JSON.stringify({ model: 'publisher/some-model', messages: [{ role: 'user', content }] }),
  ),
});
const mask = maskEchoes(request(prompt), (text) => text.replaceAll('sk-secret', '[redacted]'));

describe('a server message', () => {
  it('does not contain the prompt that it quotes, whole or in part', () => {
    expect(mask(`bad input: "${prompt}"`)).toBe('bad input: "[prompt]"');
    expect(mask(`bad input=${prompt.slice(10, 40)}… is not allowed`)).toBe(
      'bad input=[prompt]… is not allowed',
    );
  });

  it('does not contain secrets', () => {
    expect(mask('key sk-secret is unknown')).toBe('key [redacted] is unknown');
  });

  it('keeps its own words and the names of models', () => {
    const said = 'The model publisher/some-model does not exist; the keeper is away.';
    expect(mask(said)).toBe(said);
  });

  it('is unchanged if the request has no text', () => {
    const bare = maskEchoes(
      { method: 'GET', path: '/models', headers: {}, body: null },
      (text) => text,
    );
    expect(bare(prompt)).toBe(prompt);
  });
});
