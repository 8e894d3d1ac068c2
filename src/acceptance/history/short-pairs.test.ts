// @gate 1 s
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { pairsSchema } from '../../verbs/compare/model/pairs.ts';
import { chatEvent } from '../harness/chat-body.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Starts a server that answers chats with two tokens, or with this status, and keeps their keys and bodies. */
const startServer = async (status = 200) => {
  const chats: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.setHeader('content-type', 'application/json');
        response.end('{"object":"list","data":[{"id":"m","object":"model"}]}');
        return;
      }
      chats.push(`${request.headers.authorization} ${Buffer.concat(parts).toString()}`);
      response.writeHead(status, { 'content-type': 'text/event-stream' });
      response.end(
        `${chatEvent({ role: 'assistant', content: 'a' })}${chatEvent({ content: 'b' }, 'stop')}data: [DONE]\n\n`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, chats };
};

const scenarioAt = (target: string, changes: object = {}): Promise<string> =>
  tempFile(
    'pairs.json',
    JSON.stringify({
      target,
      keys: [{ name: 'direct', key: '${env:DIRECT}' }],
      traffic: [{ kind: 'chat-stream', model: 'm', prompt: { tokens: 20 }, maxTokens: 2 }],
      load: { kind: 'constant', rate: '30/s', duration: '500ms' },
      warmUp: '0s',
      canary: false,
      ...changes,
    }),
  );

it('a paired comparison whose budget is spent says so, and is incomplete', async () => {
  const [base, next] = [await startServer(), await startServer()];
  const scenario = await scenarioAt(base.url, { budget: { requests: 10 } });
  const out = await tempFolder();
  const side = ['--with', next.url, '--with-key', 'GATEWAY', '--max-added', '10s', '--out', out];
  const { code, stdout } = await weir(['compare', scenario, '--paired', ...side, '--yes'], {
    DIRECT: 'sk-direct',
    GATEWAY: 'sk-gateway',
  });
  expect(base.chats.length + next.chats.length).toBe(10);
  expect(stdout).toContain('since the next request might have passed budget.requests');
  expect(code).toBe(3);
});

it('a paired comparison sends each request to both sides, each with its own key', async () => {
  const [base, next] = [await startServer(), await startServer(500)];
  const scenario = await scenarioAt(base.url);
  const out = await tempFolder();
  const side = ['--with', next.url, '--with-key', 'GATEWAY', '--out', out, '--yes'];
  const { code, stdout, stderr } = await weir(['compare', scenario, '--paired', ...side], {
    DIRECT: 'sk-direct',
    GATEWAY: 'sk-gateway',
  });
  const report = pairsSchema.parse(JSON.parse(await readFile(join(out, 'pairs.json'), 'utf8')));
  expect(report).toMatchObject({
    pairs: 15,
    base: { target: base.url, outcomes: { completed: 15 } },
    next: { target: next.url, outcomes: { completed: 0 } },
    failures: { baseOnly: 0, nextOnly: 15, both: 0, unknown: 0 },
    figures: [],
  });
  expect(code, stderr).not.toBe(0);
  expect(stdout).toMatch(/Failed at the new side only +100\.0 %/);
  const bodies = (chats: readonly string[], key: string) =>
    chats.map((chat) => chat.replace(`Bearer ${key} `, '')).toSorted();
  expect(bodies(next.chats, 'sk-gateway')).toEqual(bodies(base.chats, 'sk-direct'));
  expect(new Set(base.chats).size).toBe(15);
  for (const name of ['base', 'new'])
    expect(await readFile(join(out, name, 'result.json'), 'utf8')).toContain('"format":"result/1"');
});
