import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { publishedResult } from '../harness/published-result.fixture.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { chatBody } from '../harness/chat-body.fixture.ts';

cleanUpAfterEach();

/** A text for each part of a request or answer that may be private. */
const planted = {
  prompt: 'planted-prompt: what did the patient say on Tuesday',
  system: 'planted-system: you are the counsel of the defence',
  tool: 'planted-tool: looks a customer up by name and birthday',
  header: 'planted-header',
  secret: 'planted-secret-of-the-environment',
  answer: 'planted-answer: he said that it hurts',
};

const scenario = `
name: private
headers: { x-tenant: ${planted.header}, x-pass: '\${env:PLANTED}' }
traffic:
  - kind: chat
    model: some/model
    weight: 1
    system: '${planted.system}'
    prompts: ['${planted.prompt}', '${planted.prompt} and on Friday']
    body:
      tools: [{ type: function, function: { name: find, description: '${planted.tool}' } }]
load: { kind: constant, rate: 10/s, duration: 1s }
`;

const completion = chatBody({ model: 'some/model', content: planted.answer });

/** A refusal that quotes the whole request, including the key, as real servers do. */
const echo = (request: IncomingMessage, body: string): string => {
  const { messages, tools } = JSON.parse(body) as { messages: unknown; tools: unknown };
  const quoted =
    JSON.stringify(messages) + JSON.stringify(tools) + String(request.headers.authorization);
  return JSON.stringify({ error: { message: `invalid: ${quoted}`, type: 'x', code: 'echo' } });
};

/** Answers every other chat, refuses the rest, and keeps all requests. */
const listen = async () => {
  const requests: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (request.method === 'POST') requests.push(JSON.stringify(request.headers) + body);
    response.setHeader('content-type', 'application/json');
    if (body !== '' && requests.length % 2 === 0) response.writeHead(400).end(echo(request, body));
    else response.end(JSON.stringify(body === '' ? { object: 'list', data: [] } : completion));
  };
  const server = http.createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { requests, url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
};

/** The page with its compressed data unpacked. */
const unpacked = (page: string): string => {
  const [, data = ''] = /type="application\/octet-stream">([^<]*)</.exec(page) ?? [];
  return page + gunzipSync(Buffer.from(data, 'base64')).toString();
};

describe('the files and the output of a run', () => {
  it('contain no prompt, answer, tool, key or header value, even if a server echoes them', async () => {
    const gateway = await listen();
    try {
      const out = await tempFolder();
      const observations = join(out, 'observations.jsonl');
      const { stdout, stderr } = await weir(
        [
          'run',
          await tempFile('private.yaml', scenario),
          '--target',
          gateway.url,
          '--out',
          out,
          '--observations',
          observations,
        ],
        { WEIR_API_KEY: 'planted-key', PLANTED: planted.secret },
      );
      expect(stderr).toContain('report.html');
      const { answer: _, ...sent } = planted;
      for (const each of Object.values(sent)) expect(gateway.requests[0]).toContain(each);
      const [json, page, lines] = await Promise.all(
        [join(out, 'result.json'), join(out, 'report.html'), observations].map((path) =>
          readFile(path, 'utf8'),
        ),
      );
      const left = { stdout, stderr, json, lines, page: unpacked(page!) };
      for (const [where, text] of Object.entries(left)) {
        expect(text?.match(/planted-[a-z-]+/g), where).toBeNull();
      }
      const result = publishedResult(json!);
      expect(sumOutcomes(result.groups)).toMatchObject({ completed: 5, refused: 5 });
      expect(json).toContain('[prompt]');
      expect(stdout).toContain('10/s');
      expect(json).toContain(`[${planted.prompt.length} characters]`);
    } finally {
      gateway.close();
    }
  });
});
