import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const key = 'azure-0123456789abcdef';

const scenario = (load: string): string => `
auth: { header: Api-Key }
keys: '\${env:AZURE_KEY}'
traffic:
  - kind: chat
    model: m
    prompt:
      - { type: text, text: How high is the water in this picture of a gauge? }
      - { type: image_url, image_url: { url: 'bundled:gauge.png', detail: low } }
      - { type: input_audio, input_audio: { data: 'bundled:gate.wav' } }
load: ${load}
`;

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers chats, and refuses every third with a quote of its key and messages. */
const openServer = async () => {
  const received: ReceivedRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { method, url, headers } = request;
    received.push({ method, url, headers, body });
    response.setHeader('content-type', 'application/json');
    if (method === 'GET') return void response.end('{"object":"list","data":[]}');
    if (received.length % 3 === 0) {
      const message = `no: ${String(headers['api-key'])} ${body}`;
      return void response.writeHead(400).end(JSON.stringify({ error: { message } }));
    }
    const message = { role: 'assistant', content: [{ type: 'text', text: 'high' }] };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.end(JSON.stringify({ choices }));
  };
  const server = http.createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { received, url: `http://127.0.0.1:${port}/openai/v1/?api-version=2024-10-21` };
};

it.each([
  ['socket', '{ kind: constant, rate: 20/s, duration: 1s }'],
  ['undici', '{ kind: constant, rate: 20/s, duration: 1s }'],
  ['autocannon', '{ kind: saturate, connections: 2, duration: 500ms }'],
])(
  'by %s a target’s query, another key header and content parts are sent, and neither key nor media are written anywhere',
  async (client, load) => {
    const server = await openServer();
    const file = await tempFile('s.yaml', scenario(load));
    const out = await tempFolder();
    const transport = client === 'undici' ? ['--transport', 'undici'] : [];
    // The server counts its requests.
    const options = ['--no-key-check', '--target', server.url, '--out', out, ...transport];
    const { code, stdout, stderr } = await weir(['run', file, ...options], { AZURE_KEY: key });
    expect([0, 12], stderr).toContain(code);
    const { completed, refused, malformed } = sumOutcomes((await resultIn(out)).groups);
    expect(completed).toBeGreaterThan(3);
    expect(refused).toBeGreaterThan(1);
    expect(malformed).toBe(0);

    const [preflight, ...others] = server.received;
    expect(preflight).toMatchObject({
      method: 'GET',
      url: '/openai/v1/models?api-version=2024-10-21',
    });
    expect(preflight?.headers['api-key']).toBeUndefined();
    for (const { url, headers, body } of others) {
      expect(url).toBe('/openai/v1/chat/completions?api-version=2024-10-21');
      expect(headers).toMatchObject({ 'api-key': key });
      expect(headers.authorization).toBeUndefined();
      const { messages } = JSON.parse(body) as { messages: unknown };
      expect(messages).toMatchObject([
        {
          content: [
            { type: 'text' },
            {
              image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) as string },
            },
            { input_audio: { data: expect.stringMatching(/^UklGR/) as string, format: 'wav' } },
          ],
        },
      ]);
    }

    const files = await readdir(out);
    const written = await Promise.all(files.map((name) => readFile(join(out, name), 'utf8')));
    expect(files).toContain('result.json');
    for (const secret of [key, 'iVBOR', 'UklGR', 'gauge?'])
      for (const output of [stdout, stderr, ...written]) expect(output).not.toContain(secret);
  },
);
