// @long 60 s
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { markdownTable, writeTable } from '../harness/markdown-table.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runCheck } from '../harness/run-check.ts';
import { freePort, provingKeys } from '../harness/server-process.ts';
import { startBeforeGateway } from '../harness/upstream.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import { type CheckedServer, checkedServers } from './checked-servers.ts';
import { startLlama, toolTemplate } from './model-servers.ts';

// The first run installs the servers.
vi.setConfig({ testTimeout: 900_000 });

/** Starts a server, audits its usage by the real program and stops it. */
const audited = async (
  { start, profile, words = [] }: Pick<CheckedServer, 'start' | 'profile' | 'words'>,
  files: Readonly<Record<string, object>> = {},
) => {
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  for (const [name, value] of Object.entries(files))
    await writeFile(join(own.path, name), JSON.stringify(value));
  const options = { port: await freePort(), folder: own.path, log: join(own.path, 'log') };
  const started = await start(options);
  try {
    const given = ['--only', 'usage', ...words, ...(started.words ?? [])];
    const named = given.map((word) => (word in files ? join(own.path, word) : word));
    const run = { profile, key: provingKeys[0], words: named };
    const { report } = await runCheck(started.url, join(own.path, 'check'), run);
    return { version: started.version, rows: report.rows };
  } finally {
    await started.stop();
  }
};

/** Servers that estimate a token for four characters, and where their sources say so. */
const estimating: Readonly<Record<string, string>> = {
  llmock: 'llmock/simulation.py, line 70: len(flatten_text(value)) // 4',
  aimock: 'dist/helpers.js, line 416: Math.ceil(text.length / 4)',
  fakellm: 'fakellm/_util.py, line 58: len(text) // 4, as tiktoken is not installed',
};

const characters = Array.from({ length: 95 }, (_, at) =>
  at === 0 ? '▁' : String.fromCharCode(32 + at),
);
const tokens = [
  '<unk>',
  '<s>',
  '</s>',
  ...Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  ),
  ...characters,
];
/** The tokenizer of the model of random weights, whose tokens are characters and bytes (`llama/make_model.py`). */
const characterTokenizer = {
  version: '1.0',
  added_tokens: [],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '▁' },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    ],
  },
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: {
    type: 'BPE',
    unk_token: '<unk>',
    byte_fallback: true,
    vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    merges: [],
  },
};

const table: string[][] = [];
afterAll(() =>
  writeTable('usage', markdownTable(['server', 'version', 'check', 'result', 'seen'], table)),
);

describe('weir check --only usage', () => {
  it.for(checkedServers)('reports only what the source of $name says', async (server, context) => {
    const { version, rows } = await orSkip(context, () => audited(server));
    for (const { id, outcome, observed } of rows)
      table.push([server.name, version, id, outcome, observed]);
    const found = rows.filter(({ outcome }) => outcome === 'violation' || outcome === 'deviation');
    const estimate =
      'usage.growth: reported 126 prompt tokens more for 101 times “time” more: +101 or +202 are possible; results of a tool that the server ran and does not show, such as a web search, could explain them';
    expect(found.map(({ id, observed }) => `${id}: ${observed}`)).toEqual(
      server.name in estimating ? [estimate] : [],
    );
  });

  it('holds the cost that LiteLLM names against the prices, and its tokens against the gateway behind it', async (context) => {
    const prices =
      'input_cost_per_token: 0.000001, cache_read_input_token_cost: 0.0000001, output_cost_per_token: 0.000004';
    const scenario = {
      name: 'priced',
      target: 'http://127.0.0.1:1/v1',
      prices: { 'proving/small': { input: 1, cachedInput: 0.1, output: 4 } },
      traffic: [{ kind: 'chat', model: 'proving/small', prompt: 'hi', maxTokens: 16 }],
      load: { kind: 'constant', rate: '1/s', duration: '10s' },
    };
    const start: CheckedServer['start'] = (options) =>
      startBeforeGateway(
        async (upstream) => {
          const limits = { requestsPerWindow: 1000, tokensPerWindow: 1_000_000, window: 60_000 };
          const models = [['proving/small', `openai/proving/small, ${prices}`]] as const;
          const server = await startLiteLlm({ ...options, upstream, models, ...limits });
          return { ...server, words: ['--direct', `http://${upstream}/v1`] };
        },
        { limits: { requestsPerMinute: 1000, charging: { reportsCached: true } } },
      );
    const words = ['priced.json'];
    const { rows } = await orSkip(context, () =>
      audited({ start, profile: 'litellm', words }, { 'priced.json': scenario }),
    );
    const seen = new Map(rows.map((row) => [row.id, `${row.outcome}: ${row.observed}`]));
    expect(seen.get('usage.cached')).toMatch(
      /^pass: usage-again: cost 0\.0002\d+ is named, and 0\.0002\d+ by your prices$/,
    );
    expect(seen.get('usage.direct')).toMatch(/^pass: 1301, /);
    expect(rows.filter(({ outcome }) => /violation|deviation/.test(outcome))).toEqual([]);
  });

  it('counts by the tokenizer of llama.cpp, tools, and what its prefix cache has', async (context) => {
    const start: CheckedServer['start'] = (options) => startLlama(options, [], toolTemplate);
    const words = ['--tokenizer', 'tokenizer.json'];
    const { rows } = await orSkip(context, () =>
      audited({ start, profile: 'llama.cpp', words }, { 'tokenizer.json': characterTokenizer }),
    );
    for (const { id, outcome, observed } of rows)
      table.push(['llama.cpp, tools', '', id, outcome, observed]);
    const seen = new Map(rows.map((row) => [row.id, `${row.outcome}: ${row.observed}`]));
    expect(seen.get('usage.words')).toBe('pass: 5 for “time”, 3 for “in”, 11 for “government”');
    expect(seen.get('usage.tools')).toBe(
      'pass: reported 535 prompt tokens more for 107 words more in a tool',
    );
    expect(rows.filter(({ outcome }) => /violation|deviation/.test(outcome))).toEqual([]);
  });
});
