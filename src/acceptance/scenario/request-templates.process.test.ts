import { writeFile } from 'node:fs/promises';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';
import { chatBody } from '../harness/chat-body.fixture.ts';

cleanUpAfterEach();

interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

const answer = chatBody();

/** Opens a server that notes its chats, and refuses the first of them. */
const openServer = async () => {
  const chats: Seen[] = [];
  const lists: IncomingHttpHeaders[] = [];
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const { method, headers } = request;
      if (method === 'GET') lists.push(headers);
      else chats.push({ headers, body: JSON.parse(text) as Seen['body'] });
      const isRefused = method === 'POST' && chats.length === 1;
      response.writeHead(isRefused ? 503 : 200, { 'content-type': 'application/json' });
      const list = { object: 'list', data: [{ id: 'm', object: 'model', created: 1 }] };
      response.end(JSON.stringify(method === 'GET' ? list : answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, chats, lists };
};

const uuid = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

it('headers and bodies have values of each request, rows of a file their own, and retries the same', async () => {
  const { url, chats, lists } = await openServer();
  const folder = await tempFolder();
  const row = {
    prompt: 'Hi.',
    body: { user: 'row-${index}', top_k: 5 },
    headers: { 'X-Team': 'of-${index}', 'x-row': '$${index}' },
  };
  await writeFile(join(folder, 'p.jsonl'), JSON.stringify({ ...row, temperature: 1 }));
  const scenario = `
limits: none
retry: { attempts: 2 }
body: { note: { list: ['n-\${index}', 1] }, user: common, literal: '$\${uuid}' }
headers: { x-id: '\${uuid}', x-team: plan, x-secret-word: '\${env:WORD}-\${index}' }
traffic:
  - { kind: chat, model: m, prompt: { file: p.jsonl }, maxTokens: 5 }
load: { kind: iterations, users: 1, iterations: 2, maxDuration: 20s }
`;
  await writeFile(join(folder, 's.yaml'), scenario);
  const words = ['run', join(folder, 's.yaml'), '--target', url, '--out', join(folder, 'out')];
  const ended = await weir(words, { WEIR_API_KEY: 'sk-key', WORD: 'a${uuid}b$${c' });
  expect(ended.stdout + ended.stderr).toContain(
    'p.jsonl: these fields are not sent: "temperature" (1 row)',
  );
  expect(chats).toHaveLength(3);
  const [refused, again, second] = chats.map(({ headers }) => headers);
  expect(refused!['x-id']).toMatch(uuid);
  expect(again!['x-id']).toBe(refused!['x-id']);
  expect(second!['x-id']).toMatch(uuid);
  expect(second!['x-id']).not.toBe(again!['x-id']);
  for (const [{ headers, body }, index] of [
    [chats[1]!, 0],
    [chats[2]!, 1],
  ] as const) {
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-key',
      'x-team': `of-${index}`,
      'x-row': '${index}',
      'x-secret-word': `a\${uuid}b$\${c-${index}`,
    });
    expect(body).toMatchObject({
      model: 'm',
      note: { list: [`n-${index}`, 1] },
      user: `row-${index}`,
      top_k: 5,
      literal: '${uuid}',
    });
  }
  expect(lists[0]!['x-id']).toMatch(/^[\da-f-]{36}$/);
});

it('an unknown template ends `weir validate` with its place and what exists', async () => {
  const folder = await tempFolder();
  const scenario = `
limits: none
body: { a: [{ b: 'x \${guid}' }] }
headers: { x-id: '\${uid}' }
traffic: [{ kind: chat, model: m, body: { user: '\${index', fine: '\${index} $\${x}' } }]
load: { kind: iterations, users: 1, iterations: 1 }
`;
  await writeFile(join(folder, 's.yaml'), scenario);
  const { code, stderr } = await weir(['validate', join(folder, 's.yaml')], {});
  expect(code).toBe(2);
  expect(stderr.replaceAll(folder, '')).toMatchInlineSnapshot(`
    "/s.yaml:3:18: \${guid} is unknown: expected \${uuid} or \${index}; write $\${ for a literal \${
    /s.yaml:4:18: \${uid} is unknown: expected \${uuid} or \${index} or \${env:…} or \${secret:…}; write $\${ for a literal \${
    /s.yaml:5:49: \${index is unknown: expected \${uuid} or \${index}; write $\${ for a literal \${
    "
  `);
});

it('a load that sends the same requests again has no templates', async () => {
  const folder = await tempFolder();
  const scenario = `
limits: none
headers: { x-id: '\${uuid}', x-a: '$\${uuid}' }
traffic: [{ kind: chat, model: m }]
load: { kind: saturate, connections: 1, duration: 1s }
`;
  await writeFile(join(folder, 's.yaml'), scenario);
  const { code, stderr } = await weir(['validate', join(folder, 's.yaml')], {});
  expect(code).toBe(2);
  expect(stderr).toContain('cannot be combined with a load of the kind "saturate"');
});
