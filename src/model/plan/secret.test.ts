import { describe, expect, it } from 'vitest';
import { fillTemplate, redactor, secretReferencesIn, growingRedactor } from './secret.ts';

describe('a template', () => {
  const template = 'Bearer ${env:KEY}/${secret:keys/a.txt}';

  it('names its references in order', () => {
    expect(secretReferencesIn(template)).toEqual([
      { kind: 'env', name: 'KEY' },
      { kind: 'secret', path: 'keys/a.txt' },
    ]);
    expect(secretReferencesIn('plain ${other:x} $env')).toEqual([]);
  });

  it('has commands with the time after which they run again', () => {
    const of = (text: string) => secretReferencesIn(`\${command:${text}}`)[0];
    const kind = 'command';
    expect(of('gcloud auth; lifetime=50m')).toEqual({
      kind,
      command: 'gcloud auth',
      lifetime: 3_000_000,
    });
    expect(of('a; b ; lifetime = 1h')).toEqual({ kind, command: 'a; b', lifetime: 3_600_000 });
    expect(of('echo a=b;')).toEqual({ kind, command: 'echo a=b;', lifetime: null });
    for (const odd of ['0s', '5', '', '-1s', '1d', '1e9s', '1m30s'])
      expect(of(`a; lifetime=${odd}`)).toEqual({ kind, command: 'a', lifetime: Number.NaN });
  });

  it('is a literal behind a further dollar sign', () => {
    expect(secretReferencesIn('$${env:A} ${env:B} $${command:x}')).toEqual([
      { kind: 'env', name: 'B' },
    ]);
  });

  it('is filled with the referenced values, taken literally', () => {
    const filled = fillTemplate(template, (reference) =>
      reference.kind === 'secret' ? reference.path : '$& $1',
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

  it('leaves escapes as they are in a text that hides no secret', () => {
    const text = String.raw`a%20b \u0041 \\ \x41 c\/d`;
    expect(redactor(['sk-hidden'])(text)).toBe(text);
    expect(redactor([])(text)).toBe(text);
    expect(redactor(['sk-hidden'])('100 % of sk-hidden')).toBe('100 % of [redacted]');
  });

  it('finds a few secrets in a long text, and many in a short one', () => {
    const many = Array.from({ length: 99 }, (_, i) => `secret-number-${100 + i}`);
    const redact = redactor(many);
    expect(redact('secret-number-199')).toBe('secret-number-199');
    for (const secret of many) expect(redact(`a ${secret}`)).toBe('a [redacted]');
  });

  it('treats secrets as text, not as patterns', () => {
    expect(redactor(['a.c*e+'])('abcdee a.c*e+')).toBe('abcdee [redacted]');
  });

  it('does not mask words of fewer than six characters', () => {
    expect(redactor(['', 'short'])('a short text')).toBe('a short text');
  });
});

it('a redactor knows secrets that came later', () => {
  const secrets = ['first-secret'];
  const redact = growingRedactor(secrets);
  expect(redact('first-secret later-secret')).toBe('[redacted] later-secret');
  secrets.push('later-secret');
  expect(redact('first-secret later-secret')).toBe('[redacted] [redacted]');
});
