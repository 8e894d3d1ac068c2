import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readPlanWithFiles } from '../input/read-plan.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { checkKeys } from './check-keys.ts';

interface Asked {
  readonly path: string | undefined;
  readonly key: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly models?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

let closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing) close();
  closing = [];
});

/** A server whose answer depends on the key. */
const openServer = async (answers: Readonly<Record<string, Answer>>) => {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '');
    asked.push({ path: request.url, key });
    const { status, models = [], headers = {} } = answers[key ?? ''] ?? { status: 401 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id })) }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked };
};

const names = ['a', 'b', 'c'];

const check = async (
  answers: Readonly<Record<string, Answer>>,
  { isOpen = false, keys = names, limits = {}, asksModels = true } = {},
) => {
  const { url, asked } = await openServer(answers);
  const { plan, target } = await targetAt(url, keys, limits);
  const found = checkKeys(plan, target, { isOpen, option: '--no-key-check', asksModels });
  const warnings = found.then(({ warnings: said }) => said);
  return { found, warnings, asked, url };
};

/** A plan of chats with these keys at an address, and its target. */
const targetAt = async (url: string, keys: readonly string[], limits = {}) => {
  const source = {
    scenario: undefined,
    value: {
      traffic: [{ kind: 'chat', model: 'weir/small', maxTokens: 5 }],
      load: { kind: 'constant', rate: '1/s', duration: '1s' },
      keys: keys.map((name) => ({ name, key: `\${env:${name.toUpperCase()}}` })),
      limits,
    },
    flags: {},
    set: [],
    target: url,
  };
  const environment = Object.fromEntries(keys.map((name) => [name.toUpperCase(), `key-${name}`]));
  const { plan } = await readPlanWithFiles(source, environment);
  const target = {
    url,
    wire: directWire,
    certificates: null,
    credentials: keys.map((name) => ({ name, value: `key-${name}` })),
    auth: plan.auth,
    headers: {},
  };
  return { plan, target: target as never };
};

const listing = { status: 200, models: ['weir/small'] };

it('each key asks once for the list, and nothing is said if all are known', async () => {
  const { warnings, asked } = await check({ 'key-a': listing, 'key-b': listing, 'key-c': listing });
  expect(await warnings).toEqual([]);
  expect(asked.map(({ key = '' }) => key).toSorted()).toEqual(['key-a', 'key-b', 'key-c']);
  expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/v1/models']));
});

it('more keys than ask at a time are all asked', async () => {
  const keys = Array.from({ length: 19 }, (_, index) => `k${index}`);
  const answers = Object.fromEntries(keys.map((name) => [`key-${name}`, listing]));
  const { warnings, asked } = await check(answers, { keys });
  expect(await warnings).toEqual([]);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(19);
});

it('keys that are refused with 401 are named with where they come from, and only they', async () => {
  const one = await check({ 'key-a': listing, 'key-c': { status: 403 } });
  await expect(one.warnings).rejects.toThrow(
    `${one.url} answered 401 to a list of models with the key b (\${env:B}): check that it is complete`,
  );
  const two = await check({ 'key-b': listing });
  await expect(two.warnings).rejects.toThrow(
    'with the keys a (${env:A}), c (${env:C}): check that they are complete',
  );
});

it('a model that no key sees is named, with five of those that some key sees', async () => {
  const seen = (...models: readonly string[]) => ({ status: 200, models });
  const found = await check({
    'key-a': seen('m1', 'm2', 'm3'),
    'key-b': seen('m4', 'm1'),
    'key-c': seen('m5', 'm6', 'm7'),
  });
  expect(await found.warnings).toEqual([
    'The target does not list weir/small; it lists m1, m2, m3, m4, m5 and 2 more. It may know other names, or answer 404.',
  ]);
  const other = await check({ 'key-a': seen('m1'), 'key-b': listing, 'key-c': { status: 403 } });
  expect(await other.warnings).toEqual([]);
  const none = await check({ 'key-a': seen(), 'key-b': { status: 500 }, 'key-c': { status: 403 } });
  expect(await none.warnings).toEqual([]);
});

it('a list that anybody may read is read once, without a key; a model that it lacks is asked with one', async () => {
  const { warnings, asked } = await check(
    { '': { status: 200, models: ['m1'] } },
    { isOpen: true },
  );
  expect(await warnings).toHaveLength(1);
  expect(asked).toEqual([
    { path: '/v1/models', key: undefined },
    { path: '/v1/chat/completions', key: 'key-a' },
  ]);
  const failing = await check({ '': { status: 500, models: ['m1'] } }, { isOpen: true });
  expect(await failing.warnings).toEqual([]);
});

it('a model that is not listed and is refused ends the run, with the name that is probably meant', async () => {
  const refusal = { status: 404, models: ['no such model'] };
  const listed = (...models: readonly string[]) => ({
    '': { status: 200, models },
    'key-a': refusal,
  });
  const near = await check(listed('m1', 'weir/smal'), { isOpen: true });
  await expect(near.warnings).rejects.toThrow(
    'does not know the model weir/small: did you mean "weir/smal"? It lists m1, weir/smal. No load was sent.',
  );
  const far = await check(listed('m1'), { isOpen: true });
  await expect(far.warnings).rejects.toThrow('does not know the model weir/small. It lists m1.');
});

it.each([
  ['The model `weir/small` does not exist.', true],
  ['weir/small is not a valid model ID', true],
  ['Invalid model name passed in model=weir/small. Call `/v1/models`', true],
  ['Model Not Exist', true],
  ["Unsupported parameter: 'max_tokens' is not supported with this model.", false],
  ['Could not finish the message because max_tokens or model output limit was reached.', false],
  ['max_tokens must be at least 16 for this model', false],
  ['litellm.BadRequestError: Received Model Group=weir/small: content is empty', false],
])(
  'a refusal of one token with 400 ends the run only if it says so of the model: %s',
  async (text, isRefused) => {
    const { warnings } = await check(
      { '': { status: 200, models: ['m1'] }, 'key-a': { status: 400, models: [text] } },
      { isOpen: true },
    );
    const ended = await warnings.then(
      () => false,
      () => true,
    );
    expect(ended).toBe(isRefused);
  },
);

it('a limit that headers declare and the scenario does not is said once', async () => {
  const headers = {
    'x-ratelimit-api_key-limit-requests': '90',
    'x-ratelimit-api_key-limit-tokens': '5000',
  };
  const answer = { ...listing, headers };
  const answers = { 'key-a': answer, 'key-b': answer, 'key-c': answer };
  const { warnings } = await check(answers, {
    limits: { requestsPerMinute: 60, tokensPerMinute: 5000 },
  });
  expect(await warnings).toEqual([
    'The gateway declares a limit of 90 requests a minute, and the scenario 60 (limits.requestsPerMinute).',
  ]);
  const none = await check(answers, {
    limits: { requestsPerMinute: 90, tokensPerMinute: 'none' },
  });
  expect(await none.warnings).toEqual([
    'The gateway declares a limit of 5,000 tokens a minute, and the scenario none (limits.tokensPerMinute).',
  ]);
});

it('a limit whose header names no time is said to be assumed', async () => {
  const answer = { ...listing, headers: { 'x-ratelimit-limit': '90' } };
  const { warnings } = await check(
    { 'key-a': answer, 'key-b': answer, 'key-c': answer },
    { limits: { requestsPerMinute: 60, tokensPerMinute: 5000 } },
  );
  expect(await warnings).toEqual([
    'The gateway declares a limit of 90 requests, assumed to be those of a minute, and the scenario 60 (limits.requestsPerMinute).',
  ]);
});

it('a gateway that asks for a key before it looks at the address is found at its own address', async () => {
  const server = http.createServer(({ url, headers }, response) => {
    const isKnown = headers.authorization === 'Bearer key-a';
    const status = !isKnown ? 401 : url === '/v1/models' ? 200 : 404;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? { object: 'list', data: [{ id: 'm' }] } : {}));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closing.push(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const written of ['', '/v1/v1', '/v1/openai']) {
    const target = await targetAt(`${origin}${written}`, ['a']);
    await expect(
      checkKeys(target.plan, target.target, { isOpen: false, option: '' }),
    ).rejects.toThrow(
      `GET ${origin}${written}/models answered 404, and ${origin}/v1 answers as a gateway does: write ${origin}/v1.`,
    );
  }
});

it('a list that no key finds is a note on the address, which readers of the figures need too', async () => {
  const { found, warnings, url } = await check({ 'key-a': { status: 404 } }, { keys: ['a'] });
  expect(await warnings).toEqual([]);
  expect((await found).notes).toEqual([
    `GET ${url}/models answered 404: the gateway lacks this route, or has another address.`,
  ]);
});

it('a model that is not listed is named and not asked for an answer where nobody has agreed to a cost', async () => {
  const listed = { 'key-a': { status: 200, models: ['other/model'] } };
  const { warnings, asked } = await check(listed, { keys: ['a'], asksModels: false });
  expect(await warnings).toEqual([expect.stringContaining('does not list weir/small')]);
  expect(asked.map(({ path }) => path)).toEqual(['/v1/models']);
});
