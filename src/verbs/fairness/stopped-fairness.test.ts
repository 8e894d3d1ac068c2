// @gate 1 s
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { chatEvent } from '../../acceptance/harness/chat-body.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { examine, keys } from './asked-fairness.fixture.ts';
import { fairnessReportSchema } from './model/fairness-report.ts';

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const answer = `${chatEvent({ role: 'assistant', content: 'a' })}${chatEvent({}, 'stop')}data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [], usage })}\n\ndata: [DONE]\n\n`;

/** A server that answers each chat at once, and counts them. */
const openServer = async (onChat: (count: number) => void): Promise<string> => {
  let count = 0;
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      const isChat = request.method === 'POST';
      response.setHeader('content-type', isChat ? 'text/event-stream' : 'application/json');
      response.end(isChat ? answer : '{"object":"list","data":[{"id":"m","object":"model"}]}');
      if (isChat) onChat((count += 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

it('reports what it has seen when it is stopped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-fairness-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fake = fakeHost(keys);
  const target = await openServer((count) => {
    if (count === 3) fake.stop('SIGINT');
  });
  const { exit, printed, listed } = examine(
    {},
    { yes: true, out: join(folder, 'out') },
    { target, fake },
  );
  expect(await exit).toBe('interrupted');
  const stored: unknown = JSON.parse(await readFile(join(folder, 'out/fairness.json'), 'utf8'));
  const report = fairnessReportSchema.parse(stored);
  expect(report).toMatchObject({
    name: 'neighbours',
    target,
    seed: 5,
    quiet: 'b',
    noisy: 'a',
    figure: 'TTFT p95',
    settle: 1000,
    maxMoved: 0.1,
    verdict: 'unknown',
    moved: null,
    blocks: [],
    partial: 'stopped by SIGINT before the load had ended',
    refusals: { cause: 'none' },
  });
  const { spent } = report;
  expect(spent.requests).toBeGreaterThanOrEqual(3);
  expect(spent.tokens).toBe(12 * spent.requests);
  // A millionth of the currency for a thousandth of a prompt's token, and three for an answer's.
  expect(spent.cost).toBe(16_000 * spent.requests);
  expect(JSON.parse(printed.at(-1)!.json!)).toEqual(stored);
  expect(printed).toHaveLength(1);
  expect(await readFile(join(folder, 'out/fairness.html'), 'utf8')).toContain('b beside a on');
  expect(listed.join('\n')).toContain(join(folder, 'out/fairness.html'));
  expect(await readFile(join(folder, 'out/run/result.json'), 'utf8')).not.toContain('key-b');
});
