// @long 60 s
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import { partialOf } from '../../model/observation/outcome.ts';
import { billBlocks } from '../../report/run/bill-blocks.ts';
import { addBounds, addCosts, billParts } from '../../report/run/bill.ts';
import { readObservations } from '../../acceptance/harness/run-files.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../../acceptance/harness/weir-process.fixture.ts';
import { installedPython } from '../harness/installed.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { freePort, provingKeys, type RunningServer } from '../harness/server-process.ts';
import { liteLlmRequirements, startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import { openPricedUpstream } from './priced-upstream.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 600_000 });

/** The price of each model, for a million tokens. */
const chatPrices = {
  plain: { input: 2.51, output: 10.007 },
  cached: { input: 2.51, cachedInput: 0.31, output: 10.007 },
  thinking: { input: 1.1, output: 4.4, reasoning: 5.3 },
  left: { input: 1.3, output: 4.7 },
} as const;

/** LiteLLM's name of each price. */
const fields: Readonly<Record<string, string>> = {
  input: 'input_cost_per_token',
  cachedInput: 'cache_read_input_token_cost',
  output: 'output_cost_per_token',
  reasoning: 'output_cost_per_reasoning_token',
};

const models = [
  ...Object.entries(chatPrices).map(([name, price]) => {
    const named = Object.entries(price).map(
      ([field, amount]) => `, ${fields[field]}: ${(amount / 1e6).toFixed(10)}`,
    );
    return [name, `openai/${name}${named.join('')}`] as const;
  }),
  // These have the prices of LiteLLM's own table.
  ['tts-1', 'openai/tts-1'] as const,
  ['whisper-1', 'openai/whisper-1'] as const,
];

const [oneWord, sentence] = ['Fifteenletters.', 'The gate is open, or so it seems.'] as const;

const chat = (kind: string, model: string, more = {}) => ({
  name: `${kind}-${model}`,
  kind,
  model,
  prompt: 'Say yes.',
  maxTokens: 64,
  ...more,
});

const scenarioFor = ({ url }: RunningServer, packages: string) => ({
  target: url,
  wire: { proxy: 'none' },
  limits: 'none',
  keys: [
    { name: 'first', key: '${env:WEIR_API_KEY}' },
    { name: 'second', key: '${env:WEIR_PROVING_SECOND}' },
  ],
  prices: {
    ...chatPrices,
    file: join(packages, 'litellm/model_prices_and_context_window_backup.json'),
  },
  traffic: [
    ...['plain', 'cached', 'thinking'].flatMap((model) => [
      chat('chat', model),
      chat('chat-stream', model),
    ]),
    // LiteLLM counts the prompts of those that hang up, so that the upstream must report this prompt's true count.
    chat('chat-stream', 'left', {
      name: 'hung-up',
      cancel: { share: '50%', after: '3 tokens' },
      weight: 2,
    }),
    { kind: 'speech', model: 'tts-1', texts: [oneWord, sentence], format: 'wav' },
    // LiteLLM cannot measure every format, and takes those that it cannot for nothing.
    {
      kind: 'transcription',
      model: 'whisper-1',
      clips: ['gate', 'river'].map((name) => ({ file: clip(name) })),
    },
  ],
  // As fast as the proxy answers, which a busy machine starves.
  load: { kind: 'iterations', users: 4, iterations: 240 },
  deadlines: { total: '90s' },
});

const clip = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/speech/${name}.wav`, import.meta.url));

interface LoggedSpend {
  readonly id: string;
  readonly status: string;
  /** In units of the currency, unrounded. */
  readonly cost: number;
  readonly key: string;
}

/** Reads what the proxy logged of so many requests, for 10 s at most: its logger runs behind. */
const readSpend = async (file: string, count: number): Promise<readonly LoggedSpend[]> => {
  for (let attempt = 0; ; attempt += 1) {
    const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
    const logged = lines.map((line) => JSON.parse(line) as LoggedSpend);
    // Weir asks with a wrong key, too, which has no id.
    const own = logged.filter(({ id }) => id !== '-');
    if (own.length >= count || attempt >= 100) return own;
    await sleep(100);
  }
};

const costOf = ({ outcome }: Observation): number | null => {
  const answer = outcome.kind === 'completed' ? outcome.answer : partialOf(outcome);
  return answer !== null && 'cost' in answer ? answer.cost : null;
};

/** LiteLLM's price of a character of `tts-1`, in millionths. */
const speechMicros = 15;

const isSentence = ({ outcome }: Observation): boolean =>
  outcome.kind === 'completed' &&
  outcome.answer.kind === 'speech' &&
  outcome.answer.characters === sentence.length;

/** How far a cost that is rounded to a millionth can be from the log's, for so many answers. */
const rounding = (answers: number): number => 0.5 * answers + 1e-6;

const sumOf = (costs: readonly number[]): number => costs.reduce((sum, cost) => sum + cost, 0);

it('Weir’s bill is LiteLLM’s own spend log, and names what it cannot know', async (context) => {
  await orSkip(context, async () => {
    vi.stubEnv('WEIR_PROVING_SECOND', provingKeys[1]);
    const packages = await installedPython('litellm', liteLlmRequirements);
    const upstream = await openPricedUpstream();
    const folder = await tempFolder();
    const spendLog = join(folder, 'spend');
    const server = await startLiteLlm({
      port: await freePort(),
      folder,
      log: join(folder, 'log'),
      spendLog,
      upstream: upstream.address,
      requestsPerWindow: 100_000,
      tokensPerWindow: 100_000_000,
      window: 60_000,
      models,
    });
    try {
      const own = await tempFolder();
      const file = join(own, 'observations.jsonl');
      const words = ['--observations', file, '--allow-files'];
      const { result } = await runScenario(scenarioFor(server, packages), own, words);
      const seen = await readObservations(file);
      const spend = await readSpend(spendLog, seen.length);
      const logged = Map.groupBy(spend, ({ id }) => id);
      expect([...logged.keys()].toSorted()).toEqual(
        seen.map(({ requestId }) => requestId).toSorted(),
      );
      const of = (kind: string): readonly Observation[] =>
        seen.filter(({ outcome }) => outcome.kind === kind);
      const chargedFor = ({ requestId }: Observation): number =>
        sumOf(logged.get(requestId)!.map(({ cost }) => cost * 1e6));

      // LiteLLM counts no spaces of a text that is spoken; OpenAI, whose price it is, counts all characters.
      const spaces = sentence.split(' ').length - 1;
      const expectedOf = (each: Observation): number =>
        chargedFor(each) + (isSentence(each) ? spaces * speechMicros : 0);
      const completed = of('completed');
      const wrong = completed.filter(
        (each) => !(Math.abs(expectedOf(each) - (costOf(each) ?? Number.NaN)) <= rounding(1)),
      );
      expect(
        wrong.map((each) => [each.traffic, each.model, costOf(each), chargedFor(each)]),
      ).toEqual([]);
      const kinds = Object.groupBy(completed, ({ traffic, model }) => `${traffic} ${model}`);
      expect(Object.keys(kinds)).toHaveLength(9);
      for (const answers of Object.values(kinds)) expect(answers!.length).toBeGreaterThan(5);

      // What is refused costs nothing in either.
      const refused = [...of('refused'), ...of('limited')];
      expect(refused.length).toBeGreaterThan(20);
      expect(refused.filter((each) => chargedFor(each) !== 0)).toEqual([]);

      // LiteLLM charges streams that were left or broke off as it counted or estimated them, which no answer says.
      const [left, broken] = [of('cancelled'), of('malformed')];
      expect(left.length).toBeGreaterThan(5);
      expect(broken.length).toBeGreaterThan(0);
      expect([...left, ...broken].filter((each) => !(chargedFor(each) > 0))).toEqual([]);
      expect([...left, ...broken].filter((each) => costOf(each) !== null)).toEqual([]);

      const parts = billParts(result)!;
      const fates = [
        ['completed', completed, 0],
        ['failed', broken, broken.length],
        ['cancelled', left, left.length],
      ] as const;
      for (const [fate, observations, unknown] of fates) {
        const bill = addCosts(parts.filter((part) => part.fate === fate));
        expect([fate, bill.unknown]).toEqual([fate, unknown]);
        const known = observations.filter((each) => costOf(each) !== null);
        expect(Math.abs(bill.cost - sumOf(known.map(expectedOf)))).toBeLessThanOrEqual(
          rounding(known.length),
        );
      }
      // What it charges lies between the bounds that the bill names.
      const charged = sumOf(
        left.flatMap(({ requestId }) => logged.get(requestId)!.map(({ cost }) => cost * 1e6)),
      );
      const { least, most } = addBounds(parts.filter(({ fate }) => fate === 'cancelled'))!;
      expect(least).toBeGreaterThan(0);
      expect(charged).toBeGreaterThanOrEqual(least - 1e-6);
      expect(charged).toBeLessThanOrEqual(most!);
      const shown = JSON.stringify(billBlocks(result));
      expect(shown).toContain(`hang-ups: unknown (unknown for ${left.length} of ${left.length}; `);
      expect(shown).toContain(`A month of 30 days like the measured time: at least`);

      // Each key has its own bill, by the proxy's name for it.
      const keys = Map.groupBy(seen, ({ key }) => key);
      for (const [key, observations] of keys) {
        const names = new Set(
          observations.flatMap(({ requestId }) => logged.get(requestId)!.map((line) => line.key)),
        );
        expect(names.size).toBe(1);
        const known = observations.filter((each) => costOf(each) !== null);
        const { cost } = addCosts(parts.filter(({ labels }) => labels.key === key));
        expect(Math.abs(cost - sumOf(known.map(expectedOf)))).toBeLessThanOrEqual(
          rounding(known.length),
        );
      }
      expect(keys.size).toBe(2);
    } finally {
      await server.stop();
      await upstream.close();
    }
  });
});
