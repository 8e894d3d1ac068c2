import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { pairsSchema } from '../../verbs/compare/model/pairs.ts';
import { chatEvent } from '../harness/chat-body.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

interface Received {
  readonly key: string | undefined;
  readonly body: string;
  readonly id: string | string[] | undefined;
  readonly at: number;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server that answers each chat with two tokens, or refuses some, and remembers the chats. */
const startServer = async (refuses: (count: number) => boolean = () => false) => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.setHeader('content-type', 'application/json');
        return response.end(
          JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] }),
        );
      }
      const { authorization: key, 'x-request-id': id } = request.headers;
      received.push({ key, id, body: Buffer.concat(parts).toString(), at: performance.now() });
      if (refuses(received.length)) {
        response.writeHead(500, { 'content-type': 'application/json' });
        return response.end('{"error":{"message":"no","type":"server_error"}}');
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(
        `${chatEvent({ role: 'assistant', content: 'a' })}${chatEvent({ content: 'b' })}${chatEvent({}, 'stop')}data: [DONE]\n\n`,
      );
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, received };
};

const scenarioAt = (url: string, duration: string): Promise<string> =>
  tempFile(
    'pairs.yaml',
    `
target: ${url}
keys: [{ name: direct, key: '\${env:DIRECT}' }]
traffic: [{ kind: chat-stream, model: m, prompt: { tokens: 20 }, maxTokens: 2 }]
load: { kind: poisson, rate: 20/s, duration: ${duration} }
warmUp: 0s
canary: false
`,
  );

const secrets = { DIRECT: 'sk-direct', GATEWAY: 'sk-gateway' };

/** Compares two servers in pairs, and returns what it printed and wrote. */
const pair = async (
  [base, next]: readonly { readonly url: string }[],
  { duration = '2s', words = [] as readonly string[] } = {},
) => {
  const out = await tempFolder();
  const scenario = await scenarioAt(base!.url, duration);
  const side = ['--with', next!.url, '--with-key', 'GATEWAY', '--out', out];
  const done = await weir(['compare', scenario, '--paired', '--yes', ...side, ...words], secrets);
  const read = async () =>
    pairsSchema.parse(JSON.parse(await readFile(join(out, 'pairs.json'), 'utf8')));
  return { ...done, out, read };
};

/** The exit codes of these runs; a busy machine makes a run invalid (12). `exit-for-pairs.test.ts` says when it is which. */
const allowed = [0, 11, 12, 13];

describe('weir compare --paired', { timeout: 180_000 }, () => {
  it('sends the same bytes to both sides in random order, each with its own key', async () => {
    const sides = [await startServer(), await startServer()] as const;
    const { code, stderr, read, out } = await pair(sides);
    expect(allowed, stderr).toContain(code);
    const [base, next] = sides.map(({ received }) =>
      received.toSorted((a, b) => String(a.id).localeCompare(String(b.id))),
    );
    expect(base!.length).toBeGreaterThan(15);
    expect(next!.map(({ id, body }) => [id, body])).toEqual(
      base!.map(({ id, body }) => [id, body]),
    );
    expect(new Set(base!.map(({ body }) => body)).size).toBe(base!.length);
    expect(new Set(base!.map(({ key }) => key))).toEqual(new Set(['Bearer sk-direct']));
    expect(new Set(next!.map(({ key }) => key))).toEqual(new Set(['Bearer sk-gateway']));
    const newFirst = base!.filter(({ at }, i) => next![i]!.at < at).length;
    expect(newFirst).toBeGreaterThan(2);
    expect(newFirst).toBeLessThan(base!.length - 2);
    const report = await read();
    expect(report.pairs).toBe(base!.length);
    expect(report.verdict).toBe('undecided');
    for (const side of ['base', 'new']) {
      const result = await readFile(join(out, side, 'result.json'), 'utf8');
      expect(result).toContain('"format":"result/1"');
      expect(result).not.toContain('sk-');
    }
  });

  it('does not pass a limit that a short run cannot decide', async () => {
    const sides = [await startServer(), await startServer()];
    const { code, read } = await pair(sides, { words: ['--max-added', '10s'] });
    expect(allowed).toContain(code);
    expect(code).not.toBe(0);
    const { verdict, limits } = await read();
    expect(verdict).toBe('undecided');
    expect(limits).toEqual([{ q: 0.5, most: 10_000, verdict: 'undecided' }]);
  });

  it('says which side fails more, and does not pass', async () => {
    const sides = [await startServer(), await startServer((count) => count % 3 === 0)];
    const { code, read } = await pair(sides, { duration: '12s' });
    expect(allowed).toContain(code);
    expect(code).not.toBe(0);
    const { failures, pairs, verdict } = await read();
    expect(verdict).toBe('fails more');
    expect(failures).toMatchObject({ baseOnly: 0, nextOnly: Math.floor(pairs / 3), both: 0 });
  });
});

describe('what cannot be sent in pairs', () => {
  it.each([
    [['--with', 'http://127.0.0.1:1/v1'], '--with-key: expected the environment variable'],
    [['--with-key', 'GATEWAY'], '--paired: expected one scenario and one new side'],
    [
      [
        '--with',
        'http://127.0.0.1:9/v1',
        '--with-key',
        'GATEWAY',
        '--strict',
        '--gate',
        'ttft.p95',
      ],
      '--gate, --strict: expected stored runs, which it judges; got --paired',
    ],
    [
      ['--with', 'http://127.0.0.1:1/v1', '--with-key', 'GATEWAY', '--max-added', '5'],
      '--max-added: expected',
    ],
    [
      [
        '--with',
        'http://127.0.0.1:1/v1',
        '--with-key',
        'GATEWAY',
        '--set',
        'load.kind=closed',
        '--set',
        'load.users=2',
        '--set',
        'load.rate=',
      ],
      'load',
    ],
    [
      [
        '--with',
        'http://127.0.0.1:1/v1',
        '--with-key',
        'GATEWAY',
        '--set',
        'headers={x-key: "${env:DIRECT}"}',
      ],
      'headers.x-key: it has a secret',
    ],
  ])('is refused before anything is sent: %s', async (words, message) => {
    const scenario = await scenarioAt('http://127.0.0.1:1/v1', '2s');
    const { code, stderr } = await weir(['compare', scenario, '--paired', ...words], secrets);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('is refused if both sides together need more than the budget of the scenario', async () => {
    const scenario = await scenarioAt('http://127.0.0.1:1/v1', '2s');
    const side = ['--with', 'http://127.0.0.1:1/v1', '--with-key', 'GATEWAY'];
    const words = ['--set', 'load.kind=constant', '--set', 'budget.requests=79'];
    const { code, stderr } = await weir(
      ['compare', scenario, '--paired', ...side, ...words],
      secrets,
    );
    expect(code).toBe(2);
    expect(stderr).toContain('Budget of both sides: 80 requests, with tokens: ');
    expect(stderr).toContain('budget.requests is 79, and both sides together need 80 requests');
    const enough = [...words.slice(0, 3), 'budget.requests=80'];
    const asked = await weir(['compare', scenario, '--paired', ...side, ...enough], secrets);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('this budget needs a confirmation');
  });

  it('and an address beside stored runs is answered by the command of pairs', async () => {
    const { code, stderr } = await weir(['compare', 's.yaml', '--with', 'http://127.0.0.1:1/v1']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '`weir compare s.yaml --paired --with http://127.0.0.1:1/v1 --with-key NAME`',
    );
  });

  it('and stored runs take no option of pairs', async () => {
    const { code, stderr } = await weir([
      'compare',
      'a',
      'b',
      '--gap',
      '5ms',
      '--set',
      'seed=2',
      '--allow-files',
      '--yes',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--gap, --set, --allow-files, --yes: expected --paired');
  });
});
