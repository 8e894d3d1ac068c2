import fc from 'fast-check';
import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { proxyInEnvironment } from './connector.ts';

const proxied = { http_proxy: 'http://proxy:3128', https_proxy: 'http://secure:3129' };

/** Each row: `NO_PROXY`, the address, and whether a proxy is used. */
const rows = [
  ['', 'http://a.example/v1', true],
  ['*', 'http://a.example/v1', false],
  ['a.example', 'http://a.example/v1', false],
  ['a.example', 'http://b.a.example', false],
  ['a.example', 'http://ba.example', true],
  ['.a.example', 'http://b.a.example', false],
  ['.a.example', 'http://a.example', false],
  ['*.a.example', 'http://b.a.example', false],
  ['*.a.example', 'http://a.example', true],
  ['A.Example', 'http://a.EXAMPLE', false],
  ['a.example.', 'http://a.example', false],
  ['a.example:8080', 'http://a.example:8080', false],
  ['a.example:8080', 'http://a.example', true],
  ['a.example:443', 'https://a.example', false],
  ['*:80', 'http://a.example', false],
  ['*:80', 'https://a.example', true],
  ['x, a.example  y', 'http://a.example', false],
  ['127.0.0.1', 'http://127.0.0.1:1', false],
  ['::1', 'http://[::1]:1', false],
  ['[::1]', 'http://[::1]:1', false],
  ['[::1]:1', 'http://[::1]:1', false],
  ['[::1]:2', 'http://[::1]:1', true],
  ['10.0.0.0/8', 'http://10.1.2.3:8000/v1', false],
  ['10.0.0.0/8', 'http://11.1.2.3', true],
  ['10.9.9.9/8', 'http://10.1.2.3', false],
  ['10.0.0.0/8', 'http://10.example', true],
  ['192.168.7.0/31', 'http://192.168.7.2', true],
  ['0.0.0.0/0', 'http://8.8.8.8', false],
  ['10.0.0.0/33', 'http://10.0.0.0', true],
  ['fe80::/64', 'http://[fe80::1]', false],
  ['fe80::/64', 'http://[fe80:0:0:1::1]', true],
  ['fe80::/129', 'http://[fe80::]', true],
  ['10.0.0.0/x', 'http://10.0.0.0', true],
  ['10.0.0.0/', 'http://10.0.0.0', true],
  ['fd00::/8', 'http://[fd12::1]:80', false],
  ['[fd00::]/8', 'http://[fd12::1]', false],
  ['fd00::/8', 'http://[fe80::1]', true],
  ['fd00::/8', 'http://10.0.0.1', true],
  ['0:0:0:0:0:0:0:1', 'http://[::1]', false],
  ['a.example,172.16.0.0/12', 'http://172.31.255.255', false],
] as const;

describe('a proxy of the environment', () => {
  it.each(rows)('NO_PROXY=%s: %s goes through it: %s', (excluded, url, expected) => {
    expect(proxyInEnvironment(new URL(url), { ...proxied, no_proxy: excluded }) !== null).toBe(
      expected,
    );
  });

  it.each([
    [{}, 'http://a.example', ''],
    [{ http_proxy: '' }, 'http://a.example', ''],
    [proxied, 'http://a.example', 'http://proxy:3128'],
    [proxied, 'https://a.example', 'http://secure:3129'],
    [{ HTTPS_PROXY: 'http://upper:1' }, 'https://a.example', 'http://upper:1'],
    [{ ...proxied, HTTP_PROXY: 'http://upper:1' }, 'http://a.example', 'http://proxy:3128'],
    [{ ALL_PROXY: 'http://all:1' }, 'https://a.example', 'http://all:1'],
    [{ http_proxy: 'bare:3128' }, 'http://a.example', 'http://bare:3128'],
    [{ ...proxied, NO_PROXY: 'a.example' }, 'http://a.example', ''],
  ])('%j makes the proxy of %s %s', (environment, url, expected) => {
    expect(proxyInEnvironment(new URL(url), environment)?.text ?? '').toBe(expected);
  });

  it.each([
    [{ ALL_PROXY: 'socks5://x:1' }, 'ALL_PROXY'],
    [{ all_proxy: 'socks5://x:1' }, 'all_proxy'],
    [{ HTTPS_PROXY: 'http://x:1', ALL_PROXY: 'socks5://x:1' }, 'HTTPS_PROXY'],
    [{ HTTP_PROXY: 'http://x:1', ALL_PROXY: 'socks5://x:1' }, 'ALL_PROXY'],
    [{ ALL_PROXY: 'socks5://x:1', NO_PROXY: '.example' }, undefined],
  ])('%j is found in %s', (environment, name) => {
    expect(proxyInEnvironment(new URL('https://a.example'), environment)?.name).toBe(name);
  });

  /** undici's agent is asked which name it looks up: the target's, or the proxy's. */
  const undiciUsesProxy = async (noProxy: string, origin: string): Promise<boolean> => {
    const asked: string[] = [];
    const lookup = (host: string, _: unknown, done: (error: Error) => void): void => {
      asked.push(host);
      done(new Error('not looked up'));
    };
    const agent = new EnvHttpProxyAgent({
      httpProxy: 'http://proxy:3128',
      httpsProxy: 'http://proxy:3128',
      noProxy,
      connect: { lookup },
      proxyTls: { lookup },
    } as ConstructorParameters<typeof EnvHttpProxyAgent>[0]);
    const request = { origin, path: '/', method: 'GET' } satisfies Dispatcher.DispatchOptions;
    await agent.request(request).catch(() => undefined);
    await agent.destroy();
    return asked.includes('proxy');
  };

  const label = fc.constantFrom('a', 'b', 'ab', 'example');
  const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
  const port = fc.constantFrom('', ':80', ':443', ':8080');
  const entry = fc
    .tuple(fc.constantFrom('', '.', '*.'), host, fc.constantFrom('', '.'), port)
    .map((parts) => parts.join(''));
  const list = fc.array(fc.oneof(entry, fc.constantFrom('*:80', 'x')), { maxLength: 3 });

  it('is chosen as undici chooses it', async () => {
    const scheme = fc.constantFrom('http', 'https');
    await fc.assert(
      fc.asyncProperty(scheme, host, port, list, async (protocol, name, at, entries) => {
        const url = `${protocol}://${name}${at}`;
        const environment = { ...proxied, no_proxy: entries.join(', ') };
        const expected = await undiciUsesProxy(environment.no_proxy, url);
        expect(proxyInEnvironment(new URL(url), environment) !== null).toBe(expected);
      }),
      { numRuns: 100 },
    );
  });
});
