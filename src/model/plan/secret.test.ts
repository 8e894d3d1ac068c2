import { describe, expect, it } from 'vitest';
import { fillTemplate, redactor, secretReferencesIn } from './secret.ts';

describe('a template', () => {
  const template = 'Bearer ${env:KEY}/${secret:keys/a.txt}';

  it('names its references in order', () => {
    expect(secretReferencesIn(template)).toEqual([
      { kind: 'env', name: 'KEY' },
      { kind: 'secret', path: 'keys/a.txt' },
    ]);
    expect(secretReferencesIn('plain ${other:x} $env')).toEqual([]);
  });

  it('is filled with the referenced values, taken literally', () => {
    const filled = fillTemplate(template, (reference) =>
      reference.kind === 'env' ? '$& $1' : reference.path,
    );
    expect(filled).toBe('Bearer $& $1/keys/a.txt');
  });
});

describe('a redactor', () => {
  it('masks every occurrence of every secret', () => {
    expect(redactor(['sk-one-1', 'sk-two-2'])('sk-one-1, sk-two-2, sk-one-1')).toBe(
      '[redacted], [redacted], [redacted]',
    );
  });

  it('masks a secret completely if another secret is its beginning', () => {
    expect(redactor(['secret', 'secret-longer'])('the secret-longer')).toBe('the [redacted]');
  });

  it.each<[string, (secret: string) => string]>([
    ['percent-encoded', (secret) => encodeURIComponent(secret).replace('k', '%6B')],
    [
      'with characters as numbers',
      (secret: string) => secret.replaceAll(/[-s]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    ['whose slashes JSON escapes', (secret) => secret.replaceAll('/', String.raw`\/`)],
    ['in JSON inside JSON', (secret) => JSON.stringify(JSON.stringify(`${secret}"`)).slice(1, -1)],
    ['in base64', (secret) => Buffer.from(`${secret}, more`).toString('base64')],
    ['in base64 behind a byte', (secret) => Buffer.from(`x${secret}`).toString('base64')],
    ['in base64 behind two', (secret) => Buffer.from(`xy${secret}`).toString('base64')],
    ['in base64 for URLs', (secret) => Buffer.from(`${secret}?`).toString('base64url')],
  ])('masks a secret %s', (_, hide) => {
    const secret = 'sk-a~long/key?with+signs';
    const masked = redactor([secret])(`the key ${hide(secret)} is wrong`);
    expect(masked).toMatch(/^the key .{0,4}\[redacted\].{0,10} is wrong$/);
  });

  it('masks a secret with quotes and backslashes inside JSON text', () => {
    const secret = 'a"quoted\\key';
    expect(redactor([secret])(JSON.stringify({ said: `key ${secret}` }))).toBe(
      '{"said":"key [redacted]"}',
    );
  });

  it('treats secrets as text, not as patterns', () => {
    expect(redactor(['a.c*e+'])('abcdee a.c*e+')).toBe('abcdee [redacted]');
  });

  it('does not mask words of fewer than six characters', () => {
    expect(redactor(['', 'short'])('a short text')).toBe('a short text');
  });
});
