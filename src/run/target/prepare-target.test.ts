import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readPlanWithFiles } from '../input/read-plan.ts';
import { closeTarget, prepareTarget } from './prepare-target.ts';

let close = (): void => undefined;
afterEach(() => close());

/** Prepares the address `/api` of a server that answers 404 there, and otherwise as given. */
const prepare = async (
  status: number,
  body: string,
  options?: Parameters<typeof prepareTarget>[1],
): Promise<string> => {
  const server = http.createServer((request, response) => {
    const isBelow = request.url!.startsWith('/api');
    response.writeHead(isBelow ? 404 : status, { 'content-type': 'application/json' });
    response.end(isBelow ? '{}' : body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  close = () => server.close();
  const { port } = server.address() as AddressInfo;
  const read = await readPlanWithFiles(
    {
      scenario: undefined,
      value: {
        traffic: [{ kind: 'chat', model: 'weir/small', maxTokens: 5 }],
        load: { kind: 'constant', rate: '1/s', duration: '1s' },
      },
      flags: {},
      set: [],
      target: `http://127.0.0.1:${port}/api`,
    },
    { WEIR_API_KEY: 'a' },
  );
  const found = await prepareTarget(read, options).catch((error: unknown) => error as Error);
  if (found instanceof Error) return found.message;
  await closeTarget(found);
  return found.warnings.join('\n');
};

it.each([
  [200, '{"object":"list","data":[{"id":"m"}]}'],
  [401, '{"error":{"message":"no key"}}'],
])('an address beside a gateway is corrected: %i %s', async (status, body) => {
  expect(await prepare(status, body)).toMatch(/answers as a gateway does: write \S+\d\/v1\./);
});

it('only a caller with the option --no-preflight is advised to use it', async () => {
  const models = '{"object":"list","data":[{"id":"m"}]}';
  expect(await prepare(200, models, { preflight: true })).toMatch(
    /v1\. To go on all the same, add --no-preflight$/,
  );
  close();
  expect(await prepare(200, models)).toMatch(/write \S+\d\/v1\.$/);
  close();
  expect(await prepare(200, models, { preflight: false })).toBe('');
});

it.each([
  [200, '{"status":"ok"}'],
  [200, ''],
  [401, '<h1>Authorization Required</h1>'],
  [403, ''],
])('a server that answers any path is no gateway: %i %s', async (status, body) => {
  expect(await prepare(status, body)).toMatch(/answered 404: the base address of a gateway ends/);
});

it('a key that a command issues for some time can be issued again, and no other', async () => {
  const read = await readPlanWithFiles(
    {
      scenario: undefined,
      value: {
        keys: [
          { name: 'own', key: '${env:WEIR_API_KEY}' },
          { name: 'issued', key: '${command:echo sk-once}' },
          { name: 'short', key: '${command:echo sk-$TURN; lifetime=50m}' },
        ],
        traffic: [{ kind: 'models' }],
        load: { kind: 'constant', rate: '1/s', duration: '1s' },
      },
      flags: {},
      set: [],
      target: 'http://127.0.0.1:9/v1',
    },
    { ...process.env, WEIR_API_KEY: 'a', TURN: 'again' },
  );
  const target = await prepareTarget(read, { preflight: false });
  expect(target.credentials.map(({ value }) => value)).toEqual(['a', 'sk-once', 'sk-again']);
  expect(target.secrets).toEqual(expect.arrayContaining(['a', 'sk-once', 'sk-again']));
  expect(target.renewableKeys).toMatchObject([{ index: 2, lifetime: 3_000_000 }]);
  expect(await target.renewableKeys[0]!.read()).toBe('sk-again');
  await closeTarget(target);
});

it('secrets are what keys and headers read from elsewhere', async () => {
  const read = await readPlanWithFiles(
    {
      scenario: undefined,
      value: {
        headers: { 'x-team': 'blue ${env:TEAM}' },
        keys: [{ name: 'own', key: '${env:WEIR_API_KEY}', weight: 2 }],
        traffic: [{ kind: 'models' }],
        load: { kind: 'constant', rate: '1/s', duration: '1s' },
      },
      flags: {},
      set: [],
      target: 'http://127.0.0.1:9/v1',
    },
    { WEIR_API_KEY: 'sk-own', TEAM: 'sk-team' },
  );
  const target = await prepareTarget(read, { preflight: false });
  expect(new Set(target.secrets)).toEqual(new Set(['sk-own', 'sk-team']));
  expect(target.credentials).toEqual([{ name: 'own', weight: 2, value: 'sk-own' }]);
  expect(target.headers).toEqual({ 'x-team': 'blue sk-team' });
  await closeTarget(target);
});
