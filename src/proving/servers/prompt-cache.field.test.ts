import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
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
            traffic: [{ kind: 'chat-stream', model: 'random', maxTokens: 3, ...entry }],
            load: { kind: 'iterations', users: 1, iterations: answers, maxDuration: '60s' },
          };
          const { result } = await runScenario(scenario, await tempFolder());
          const [sums] = result.groups.flatMap(({ tokens }) => tokens);
          expect(sums!.repeated!.answers).toBe(answers);
          const more = sums!.cached!.tokens - sums!.repeated!.tokens;
          // The first prompt of each conversation can begin with the template of another.
          expect(more).toBeGreaterThanOrEqual(0);
          expect(more).toBeLessThanOrEqual((answers / 4) * template);
        } finally {
          await server.stop();
        }
      });
    },
  );
});
