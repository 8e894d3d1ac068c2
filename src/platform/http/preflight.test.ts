import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { directWire } from '../connection/connector.ts';
import { answerTo } from './preflight.ts';

/** Starts a server on which `/models` has an answer, and no other path has. */
const serverUrl = async (): Promise<string> => {
  const server = http.createServer(({ url }, response) => {
    if (url === '/v1/models') response.writeHead(203, { 'x-seen': 'yes' }).end('{"data":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

it('an answer leaves no timer behind, and one that does not come within the time is null', async () => {
  const target = { url: await serverUrl(), wire: directWire, certificates: null, headers: {} };
  const [begun, ended] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => {
    begun.mockRestore();
    ended.mockRestore();
  });
  const answer = await answerTo({ ...target, path: '/models' }, 600_000);
  expect(answer).toMatchObject({ status: 203, text: '{"data":[]}', headers: { 'x-seen': 'yes' } });
  const own = begun.mock.calls.findIndex(([, after]) => after === 600_000);
  expect(ended.mock.calls.flat()).toContain(begun.mock.results[own]!.value);
  expect(await answerTo({ ...target, path: '/silent' }, 1)).toBeNull();
});

it('an answer comes with its whole text, to a GET or to a POST with its body', async () => {
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      response.write(`${request.method} `, () => setTimeout(() => response.end(`<${body}>`), 2));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const target = {
    url: `http://127.0.0.1:${port}/v1`,
    wire: directWire,
    certificates: null,
    headers: {},
    path: '/x',
  };
  expect(await answerTo(target, 10_000)).toMatchObject({ status: 200, text: 'GET <>' });
  expect(await answerTo({ ...target, body: 'said' }, 10_000)).toMatchObject({
    text: 'POST <said>',
  });
});
