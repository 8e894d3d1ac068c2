import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { CheckReport } from '../../verbs/check/model/check-report.ts';
import { cleanUpAfterEach, tempFolder, weirProcess } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Returns what `weir check --only disconnects` found: the outcome of each check, and what was seen. */
const examined = async (target: string, ...words: readonly string[]) => {
  const out = join(await tempFolder(), 'out');
  const check = ['check', '--only', 'disconnects', '--target', target, '--yes', '--out', out];
  const ended = await weirProcess([...check, ...words], { WEIR_API_KEY: 'k' });
  const output = `${ended.stdout}${ended.stderr}`;
  const { rows, spent } = JSON.parse(
    await readFile(join(out, 'check.json'), 'utf8'),
  ) as CheckReport;
  if (target === 'mock') {
    // A whole stream has 400 tokens; the budget is printed before.
    expect(spent.outputTokens).toBeGreaterThan(400);
    const [, most] = /at most ([\d,]+) tokens of chats/.exec(output) ?? [];
    expect(Number(most!.replaceAll(',', ''))).toBeGreaterThan(
      spent.inputTokens + spent.outputTokens,
    );
  }
  return Object.fromEntries(
    rows.map(({ id, outcome, name, observed }) => [
      id.replace('disconnect.', ''),
      { found: name ?? outcome, observed },
    ]),
  );
};

const foundBy = (seen: Awaited<ReturnType<typeof examined>>) =>
  Object.fromEntries(Object.entries(seen).map(([id, { found }]) => [id, found]));

const mock = (hangUps: string, ...more: readonly string[]) =>
  examined(
    'mock',
    ...[`hangUps=${hangUps}`, 'ttft=100ms', 'gap=10ms', 'limits.requestsPerMinute=none', ...more]
      .map((each) => ['--set', `mock.${each}`])
      .flat(),
  );

it.each([
  ['stop', [], { slot: 'pass', generation: 'pass', charge: 'pass' }],
  ['generate', [], { slot: 'pass', generation: 'generates-on', charge: 'pass' }],
  ['hold', [], { slot: 'slot-held', generation: 'generates-on', charge: 'pass' }],
  [
    'stop',
    ['limits.bugs=[hangUpWhole]'],
    { slot: 'pass', generation: 'pass', charge: 'charged-whole' },
  ],
  ['stop', ['limits.bugs=[hangUpFree]'], { slot: 'pass', generation: 'pass', charge: 'open' }],
] as const)(
  'weir check --only disconnects sees a gateway that does %s, with %j',
  async (hangUps, more, expected) => {
    const seen = await mock(hangUps, 'limits.inFlight=3', ...more);
    expect(foundBy(seen), JSON.stringify(seen)).toEqual(expected);
  },
);

it('what cannot be seen is unchecked: no cap, no limit headers, no metrics', async () => {
  const seen = await mock('stop', 'limits.tokensPerMinute=none', 'metrics=false');
  expect(foundBy(seen)).toEqual({
    slot: 'unchecked',
    generation: 'unchecked',
    charge: 'unchecked',
  });
  expect(seen['slot']!.observed).toContain('10 streams of the key ran at the same time');
});

/** A server of `node:http` with two slots that never stops: it writes on after its client has gone. */
const startStubborn = async () => {
  const log = { running: 0, generated: 0, closedWhileRunning: 0 };
  const total = 250;
  const server = http.createServer((request, response) => {
    if (request.url === '/metrics')
      return response.end(
        `vllm:num_requests_running ${log.running}\nvllm:generation_tokens_total ${log.generated}\n`,
      );
    if (request.method === 'GET') return response.end('{"object":"list","data":[{"id":"m"}]}');
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    return request.on('end', () => {
      if (log.running >= 2) {
        response.statusCode = 429;
        return response.end('{"error":{"message":"Too many concurrent requests.","type":"t"}}');
      }
      const { stream = false } = JSON.parse(body) as { stream?: boolean };
      const choice = (more: object) => ({ index: 0, finish_reason: null, ...more });
      if (!stream) {
        const message = { role: 'assistant', content: 'yes' };
        return response.end(
          JSON.stringify({ choices: [choice({ message, finish_reason: 'stop' })] }),
        );
      }
      log.running += 1;
      let written = 0;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.on('close', () => {
        if (written < total) log.closedWhileRunning += 1;
      });
      const timer = setInterval(() => {
        written += 1;
        log.generated += 1;
        const delta = { content: ` ${written}` };
        response.write(`data: ${JSON.stringify({ choices: [choice({ delta })] })}\n\n`);
        if (written < total) return;
        clearInterval(timer);
        log.running -= 1;
        response.end('data: [DONE]\n\n');
      }, 20);
      return undefined;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { log, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
};

it('a server that never stops is found out, and its log says the same', async () => {
  const { log, url } = await startStubborn();
  const seen = await examined(url, '--set', 'server.metrics=/metrics');
  expect(foundBy(seen), JSON.stringify(seen)).toEqual({
    slot: 'slot-held',
    generation: 'generates-on',
    charge: 'unchecked',
  });
  const [, after] = /(\d+) tokens were counted/.exec(seen['generation']!.observed) ?? [];
  expect(Number(after)).toBeGreaterThan(150);
  // The stream of each examination; the one beside it may have ended.
  expect(log.closedWhileRunning).toBeGreaterThanOrEqual(2);
});
