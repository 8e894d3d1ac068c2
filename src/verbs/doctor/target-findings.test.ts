import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { limitHeaders } from '../../contract/limit-headers.ts';
import { startAnswering } from '../../run/answering-server.fixture.ts';
import { silentHost } from '../../run/input/silent-host.ts';
import { targetFindings } from './target-findings.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const listOf = (...ids: readonly string[]): string =>
  JSON.stringify({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', created: 1, owned_by: 'x' })),
  });

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** Looks at a server that answers so, with a key unless it is null; returns the findings and what was asked. */
const lookAt = async (
  { status = 200, headers = {}, text = listOf('a/b') }: Answer,
  key: string | null = 'sk-weir-test',
  path = '/v1',
) => {
  const asked: {
    method: string | undefined;
    url: string | undefined;
    headers: IncomingHttpHeaders;
  }[] = [];
  const server = createServer((request, response) => {
    asked.push({ method: request.method, url: request.url, headers: request.headers });
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const request = { scenario: undefined, target, set: [], key: undefined, secondKey: undefined };
  const environment = key === null ? {} : { WEIR_API_KEY: key };
  const host = silentHost(environment, new AbortController().signal, []);
  const findings = await targetFindings(request, host);
  return { target, asked, found: new Map(findings.map((each) => [each.name, each])) };
};

describe('doctor on a target', () => {
  it('names its address, key, models and limits, and asks for models only', async () => {
    const { target, asked, found } = await lookAt({
      text: listOf('a/1', 'a/2', 'a/3', 'a/4'),
      headers: { 'x-ratelimit-limit-requests': '600', 'x-ratelimit-limit-tokens': '90000' },
    });
    expect(found.get('address')).toMatchObject({ level: 'good', found: target });
    expect(found.get('key')).toMatchObject({ level: 'good', found: 'default' });
    expect(found.get('answer')).toMatchObject({
      level: 'good',
      found: expect.stringMatching(/^200 in [\d.]+ ms$/),
    });
    expect(found.get('models')).toMatchObject({
      level: 'good',
      found: '4',
      advice: 'a/1, a/2, a/3 …',
    });
    expect(found.get('limits')).toMatchObject({
      level: 'good',
      found: '600 requests and 90,000 tokens a minute',
    });
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(new Set(asked.map(({ method, url }) => `${method} ${url}`))).toEqual(
      new Set(['GET /v1/models']),
    );
    expect(asked.at(-1)!.headers.authorization).toBe('Bearer sk-weir-test');
  });

  it('names the right address of a gateway that wants a key everywhere', async () => {
    const server = await startAnswering(({ url, authorization }) => {
      if (authorization === undefined) return [401, '{}'];
      return url === '/v1/models' ? [200, listOf('a/b')] : [404, '{}'];
    });
    open.push(server.close);
    const target = server.origin;
    const request = { scenario: undefined, target, set: [], key: undefined, secondKey: undefined };
    const environment = { WEIR_API_KEY: 'sk-weir-test' };
    const host = silentHost(environment, new AbortController().signal, []);
    const [only, ...others] = await targetFindings(request, host);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ name: 'address', level: 'bad' });
    expect(only!.advice).toContain(`${target}/v1 answers as a gateway does: write ${target}/v1.`);
  });

  it('makes at most six requests for the list of models, with a 404 to each', async () => {
    const { asked } = await lookAt({ status: 404, text: '{}' }, 'sk-weir-test', '/team/v1/v1');
    expect(asked.map(({ url }) => url)).toEqual(
      ['/team/v1/v1', '/team/v1', '/v1', '/team/v1/v1', '/team/v1', '/v1'].map(
        (base) => `${base}/models`,
      ),
    );
  });

  it('says what is missing: a key, a model, limits', async () => {
    const { asked, found } = await lookAt({ text: listOf() }, null);
    expect(found.get('key')).toMatchObject({ level: 'warning', found: 'none' });
    expect(found.get('models')).toMatchObject({ level: 'warning', found: 'none listed' });
    expect(found.get('limits')).toMatchObject({ level: 'absent', found: 'none declared' });
    expect(asked.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    const three = await lookAt({ text: listOf('a', 'b', 'c') });
    expect(three.found.get('models')?.advice).toBe('a, b, c');
  });

  it('says which limits it declares, one unit alone, longer ones, and whether a minute is assumed', async () => {
    const limitsOf = async (headers: Readonly<Record<string, string>>) => {
      const { found, advice } = (await lookAt({ headers })).found.get('limits')!;
      return [found, advice];
    };
    const own = 'By the headers of its answer.';
    expect(await limitsOf({ [limitHeaders.limitRequests]: '1' })).toEqual([
      '1 request a minute',
      own,
    ]);
    expect(await limitsOf({ [limitHeaders.limitTokens]: '9000' })).toEqual([
      '9,000 tokens a minute',
      own,
    ]);
    expect(
      await limitsOf({
        'x-ratelimit-limit-requests': '14400',
        'x-ratelimit-remaining-requests': '14370',
        'x-ratelimit-reset-requests': '179.56s',
      }),
    ).toEqual(['14,400 requests a day', own]);
    const [, assumed] = await limitsOf({
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '99',
    });
    expect(assumed).toMatch(/which name no time: a minute is assumed\.$/);
  });

  it.each<readonly [number, string | null, string, string]>([
    [401, null, 'warning', 'It wants a key, and none is set.'],
    [403, null, 'warning', 'It wants a key, and none is set.'],
    [401, 'sk-weir-test', 'bad', 'It refuses the key'],
    [403, 'sk-weir-test', 'warning', 'This key may not list models.'],
    [429, 'sk-weir-test', 'warning', 'The key is at its limit'],
    [500, 'sk-weir-test', 'bad', 'The gateway fails, before any load.'],
    [404, 'sk-weir-test', 'warning', 'It lists no models there.'],
  ])('that answers %d to the key %s', async (status, key, level, advice) => {
    const { found } = await lookAt({ status, text: '{"error":{"message":"no"}}' }, key);
    const answer = found.get('answer');
    expect([...found.values()]).toContainEqual(answer);
    expect(answer).toMatchObject({ level, found: expect.stringMatching(`^${status} in `) });
    expect(answer?.advice).toContain(advice);
    expect(found.has('models')).toBe(false);
  });
});

it('a finding about an unusable target names what is wrong: the option, the scenario or the address', async () => {
  const wrong = async (request: object): Promise<readonly unknown[]> => {
    const findings = await targetFindings(
      {
        scenario: undefined,
        target: undefined,
        key: undefined,
        set: [],
        allowFiles: false,
        ...request,
      } as never,
      silentHost({}, new AbortController().signal, []),
    );
    return findings.map(({ name, level }) => [name, level]);
  };
  expect(await wrong({ target: 'ftp://x' })).toEqual([['address', 'bad']]);
  expect(await wrong({ scenario: '/no/such/weir.yaml' })).toEqual([['scenario', 'bad']]);
  expect(await wrong({ target: 'http://127.0.0.1:9/v1', key: 'NOT_SET' })).toEqual([
    ['key', 'bad'],
  ]);
});
