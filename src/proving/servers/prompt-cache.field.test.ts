import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readObservations } from '../../acceptance/harness/run-files.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../../acceptance/harness/weir-process.fixture.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { freePort } from '../harness/server-process.ts';
import { startLlama } from './model-servers.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 600_000 });

/** The most tokens of a template with which all prompts of llama.cpp's model begin. */
const template = 16;

const answers = 40;

const maxTokens = 3;

/** The tokens of prompts that llama.cpp has taken from its cache, by its metrics. */
const cachedBy = async (url: string): Promise<number> => {
  const text = await (await fetch(new URL('/metrics', url))).text();
  return Number(/^llamacpp:prompt_tokens_cached_total (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
};

describe('the prefix cache of llama.cpp’s own server', () => {
  it.for([
    ['conversations', { prompt: { tokens: 40, turns: { count: 4, answer: 20 } } }],
    ['a prompt that is sent again', { prompt: 'one two three four five six seven '.repeat(12) }],
  ] as const)(
    'has, of %s, the tokens that Weir expected and no others',
    async ([, entry], context) => {
      await orSkip(context, async () => {
        const folder = await tempFolder();
        const server = await startLlama({
          port: await freePort(),
          folder,
          log: join(folder, 'log'),
        });
        try {
          const scenario = {
            target: server.url,
            wire: { proxy: 'none' },
            limits: 'none',
            traffic: [{ kind: 'chat-stream', model: 'random', maxTokens, ...entry }],
            load: { kind: 'iterations', users: 1, iterations: answers, maxDuration: '60s' },
          };
          const file = join(folder, 'observations.jsonl');
          const before = await cachedBy(server.url);
          await runScenario(scenario, await tempFolder(), ['--observations', file]);
          const counts = (await readObservations(file)).map(({ outcome }) =>
            outcome.kind === 'completed' && outcome.answer.kind === 'chat-stream'
              ? outcome.answer.tokens
              : null,
          );
          expect(counts.length).toBe(answers);
          const [first, again] = [0, 1].map((most) =>
            counts.filter((tokens) => Math.min(1, tokens!.repeated!) === most),
          );
          expect(again!.length).toBeGreaterThanOrEqual(answers * 0.7);
          // Its cache also has what it answered, which can begin as Weir's own next turn does.
          const more = again!.map((tokens) => tokens!.cached! - tokens!.repeated!);
          expect(Math.min(...more)).toBe(0);
          expect(Math.max(...more)).toBeLessThanOrEqual(maxTokens);
          expect(more.filter(Boolean).length).toBeLessThanOrEqual(answers * 0.2);
          // The first prompt of each conversation can begin with the template of another.
          expect(Math.max(...first!.map((tokens) => tokens!.cached!))).toBeLessThanOrEqual(
            template,
          );
          const reported = counts.reduce((sum, tokens) => sum + tokens!.cached!, 0);
          expect((await cachedBy(server.url)) - before).toBe(reported);
        } finally {
          await server.stop();
        }
      });
    },
  );
});
