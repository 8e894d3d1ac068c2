// @long 60 s
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { cleanUpAfterEach, tempFolder } from '../../acceptance/harness/weir-process.fixture.ts';
import type { Result } from '../../model/result/result.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { readServerLog } from '../harness/server-log.ts';
import { freePort, type ServerOptions } from '../harness/server-process.ts';
import { metricIn, startDynamo, startOllama, waitForText } from './inference-servers.ts';
import { isOfRun, tokensOf } from './server-counts.ts';

cleanUpAfterEach();
// The first run installs the servers.
vi.setConfig({ testTimeout: 900_000 });

const serverOptions = async (): Promise<ServerOptions> => {
  const folder = await tempFolder();
  return { port: await freePort(), folder, log: join(folder, 'requests.log') };
};

/** Runs a scenario of so many requests, one after another for each of two users. */
const runOf = async (
  target: string,
  traffic: readonly Readonly<Record<string, unknown>>[],
  iterations = 40,
): Promise<Result> => {
  const load = { kind: 'iterations', users: 2, iterations };
  const scenario = { target, wire: { proxy: 'none' }, limits: 'none', traffic, load };
  // A model that is missing would otherwise end the run before its load.
  return (await runScenario(scenario, await tempFolder(), ['--no-preflight'])).result;
};

const countsOf = ({ groups }: Result) =>
  Object.fromEntries(
    groups.map(({ labels: { entry, traffic }, outcomes, sent }) => [
      entry ?? traffic,
      { sent, completed: outcomes.completed },
    ]),
  );

const failuresOf = ({ failures }: Result): readonly string[] =>
  failures.map(({ message, status }) => `${status ?? ''} ${message}`.trim()).toSorted();

const chat = { prompt: 'a b c', maxTokens: 10, weight: 1 };

describe('Ollama’s OpenAI interface', () => {
  it('is counted as its own log counts: whole, streamed, failing and without a token', async (context) => {
    await orSkip(context, async () => {
      const options = await serverOptions();
      const server = await startOllama(options);
      try {
        const entry = (kind: string, model: string) => ({
          ...chat,
          kind,
          model,
          name: `${model}-${kind}`,
        });
        const result = await runOf(server.url, [
          entry('chat', 'ollama'),
          entry('chat-stream', 'ollama'),
          entry('chat', 'failing'),
          entry('chat-stream', 'failing'),
          entry('chat-stream', 'unloaded'),
          entry('chat', 'missing'),
          { kind: 'models', weight: 1 },
        ]);
        const counts = countsOf(result);
        const log = (await readServerLog(options.log)).filter(isOfRun);
        const completed = ['ollama-chat', 'ollama-chat-stream', 'unloaded-chat-stream', 'models'];
        for (const [name, { sent, completed: done }] of Object.entries(counts))
          expect([name, done]).toEqual([name, completed.includes(name) ? sent : 0]);
        const answered = log.filter(({ status }) => status === 200).length;
        const sum = (names: readonly string[]): number =>
          names.reduce((all, name) => all + counts[name]!.sent, 0);
        expect(log).toHaveLength(sum(Object.keys(counts)));
        // Its streams fail behind the status 200.
        expect(answered).toBe(sum([...completed, 'failing-chat-stream']));
        expect(failuresOf(result)).toEqual([
          "404 model 'missing' not found",
          '500 llama runner process has terminated',
          'the stream ended without [DONE] and without a finish reason for choice #',
        ]);
      } finally {
        await server.stop();
      }
    });
  });
});

describe.each(['vllm', 'sglang'] as const)(
  'Dynamo’s frontend before its simulator of %s',
  (engine) => {
    it('counts the same requests and tokens, and its failure within a stream is one', async (context) => {
      await orSkip(context, async () => {
        const server = await startDynamo(await serverOptions(), engine);
        try {
          const model = 'simulated';
          const result = await runOf(server.url, [
            { ...chat, kind: 'chat', model },
            { ...chat, kind: 'chat-stream', model },
            { ...chat, kind: 'chat', model: 'missing', name: 'missing' },
          ]);
          const counts = countsOf(result);
          const text = await server.readMetrics();
          const requests = (status: string): number =>
            metricIn(text, 'dynamo_frontend_requests_total', `status="${status}"`);
          expect(counts['missing']!.completed).toBe(0);
          expect(requests('error')).toBe(counts['missing']!.sent);
          expect(requests('success')).toBe(
            counts['chat']!.completed + counts['chat-stream']!.completed,
          );
          expect(await server.countTokens!()).toEqual(tokensOf(result));
          expect(failuresOf(result)).toEqual(['404 Model not found']);

          const broken = runOf(
            server.url,
            [{ ...chat, kind: 'chat-stream', model, maxTokens: 4000 }],
            2,
          );
          const metrics = new URL('/metrics', server.url);
          await waitForText(
            metrics,
            (now) => metricIn(now, 'dynamo_frontend_output_tokens_total') > 500,
          );
          await server.endEngine();
          const after = await broken;
          expect(countsOf(after)['chat-stream']).toEqual({ sent: 2, completed: 0 });
          expect(failuresOf(after)).toEqual([
            'an error within the stream: Service temporarily unavailable',
          ]);
        } finally {
          await server.stop();
        }
      });
    });
  },
);
