import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readyTarget } from '../../run/target/ready-target.fixture.ts';
import { openCheckSession } from '../../verbs/check/check-session.ts';
import { fetchResponse } from '../../verbs/limits/experiment/send-probe-request.ts';
import { openProbe } from '../../verbs/limits/examination.ts';

const headers = { 'x-trace': '${uuid} ${index}', 'x-literal': '$${a' };
const request = { method: 'GET', path: '/models', headers: {}, body: null } as const;

/** Opens a server that keeps the two headers of each request. */
const openServer = async () => {
  const traces: string[] = [];
  const server = http.createServer((received, response) => {
    traces.push(`${String(received.headers['x-trace'])} ${String(received.headers['x-literal'])}`);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"object":"list","data":[{"id":"m"}]}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const target = readyTarget(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, {
    credentials: [{ name: 'a', value: 'key-a', weight: 1 }],
    headers,
  });
  return { traces, target };
};

/** The headers without their UUIDs, and how many different UUIDs they have. */
const valuesIn = (traces: readonly string[]) => ({
  others: traces.map((text) => text.replace(/^[\da-f-]{36} /, '')),
  uuids: new Set(traces.map((text) => text.slice(0, 36))).size,
});
const filled = { others: ['0 ${a', '1 ${a'], uuids: 2 };

it('templates in headers are filled anew for each request of an examination', async () => {
  const { traces, target } = await openServer();
  const { session, close } = await openProbe(target, 'm');
  await fetchResponse(session, request, {});
  await close();
  expect(valuesIn(traces)).toEqual(filled);
});

it('templates in headers are filled anew for each request of a check', async () => {
  const { traces, target } = await openServer();
  const { client, close } = openCheckSession(target, null, 5000, []);
  for (const id of ['a', 'b'])
    await client.send({ id, key: 'valid', base: 'versioned' } as never, request, false);
  await close();
  expect(valuesIn(traces)).toEqual(filled);
});
