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

  it.each(['0', '9000', '65535'])('serves the page at port %s, and always says where', (live) => {
    const said: string[] = [];
    const page = livePageFrom({ live, open: false }, (text) => said.push(text));
    expect(page?.port).toBe(Number(live));
    expect(said).toEqual([]);
    page!.onAddress('http://127.0.0.1:9000/');
    expect(said).toEqual([
      'Live page: http://127.0.0.1:9000/ (for this machine only; its button stops the run)',
    ]);
  });
});
