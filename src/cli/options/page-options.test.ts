import { describe, expect, it } from 'vitest';
import { completeLive, livePageFrom } from './page-options.ts';

describe('--live', () => {
  it.each([
    ['run --live a.yaml', 'run --live=0 a.yaml'],
    ['run a.yaml --live', 'run a.yaml --live=0'],
    ['run --live --open a.yaml', 'run --live=0 --open a.yaml'],
    ['run --live 9000 a.yaml', 'run --live 9000 a.yaml'],
    ['run --live=9000 a.yaml', 'run --live=9000 a.yaml'],
  ])('needs no port: %s', (given, meant) => {
    expect(completeLive(given.split(' '))).toEqual(meant.split(' '));
  });

  it.each(['x', '65536', '-1', '1.5', '127.0.0.1:80'])('refuses the port %s', (live) => {
    expect(() => livePageFrom({ live, open: false }, () => undefined)).toThrow(
      `--live: expected a port from 0 to 65535 or nothing, got "${live}"`,
    );
  });

  it('is no page without the option', () => {
    expect(livePageFrom({ live: undefined, open: true }, () => undefined)).toBeUndefined();
  });
});
