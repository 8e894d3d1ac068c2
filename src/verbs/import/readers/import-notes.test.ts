import { expect, it } from 'vitest';
import { importText, recognise } from './import-source.ts';
import { type Imported, noteLine } from './imported.ts';
import { samples } from './samples.fixture.ts';
import type { VegetaAttack } from './vegeta.ts';

/** Every line that an import leaves about what a scenario cannot have unchanged. */

const attack: VegetaAttack = {
  rate: '50/s',
  duration: '30s',
  bodies: new Map(),
  canWriteFiles: true,
};

const linesOf = ({ notes }: Imported): readonly string[] => notes.map(noteLine);

const notesOf = (text: string, more: Partial<VegetaAttack> = {}): readonly string[] => {
  const kind = recognise(text);
  if (kind === null) throw new Error('nobody knows this text');
  return linesOf(importText(kind, text, { ...attack, ...more }));
};

it.each(samples)('$name leaves these notes', ({ kind, text }) => {
  expect(linesOf(importText(kind, text, attack))).toMatchSnapshot();
});

it('a script of k6 is known by its import, and asked for its options', () => {
  const script = "// a load\nimport http from 'k6/http';\nexport default () => http.get('x');\n";
  expect(recognise(script)).toBe('k6');
  expect(() => importText('k6', script, attack)).toThrow('k6 inspect');
});

const models = (more = '', host = 'h'): string => `GET http://${host}/v1/models\n${more}\n`;

it.each([
  [
    { rate: undefined, duration: undefined },
    'Chosen      no --rate and no --duration: targets hold no load; give vegeta’s own options to weir import, or change "load"',
  ],
  [{ rate: undefined }, 'Chosen      no --rate: targets hold no load; give'],
  [{ duration: undefined }, 'Chosen      no --duration: targets hold no load; give'],
])('targets without a load have one chosen: %j', (more, note) => {
  const lines = notesOf(models(), more).filter((line) => line.includes('targets hold no load'));
  expect(lines).toEqual([expect.stringContaining(note)]);
  const made = importText('vegeta', models(), { ...attack, ...more });
  const { load } = made.kind === 'scenario' ? made.scenario : {};
  expect(load).toEqual({
    kind: 'constant',
    rate: 'rate' in more ? '1/s' : '50/s',
    duration: 'duration' in more ? '60s' : '30s',
  });
});

it('targets with a load, of one kind, have nothing chosen of their order or load', () => {
  const lines = notesOf(models() + models());
  expect(lines.map((line) => /^\w+ \w+|^\w+ +\w+/.exec(line)?.[0])).toEqual([
    'Chosen      key',
    'Chosen      limits',
  ]);
});

it('targets name what only some of them have, and other places', () => {
  const text = [
    models('X-Team: load\nAuthorization: Bearer one\nX-Session: s'),
    models('X-Team: other\nAuthorization: Bearer two'),
    models('', 'elsewhere'),
    'GET http://user:pass@h/v1/models\n',
    'GET http://h/v1/models?api_key=abc\n',
  ].join('\n');
  expect(notesOf(text)).toMatchSnapshot();
});

it('an upload is left out if nothing can be written beside the scenario', () => {
  const sample = samples.find(({ name }) => name === 'vegeta json')!;
  const lines = notesOf(sample.text, { canWriteFiles: false });
  expect(lines.filter((line) => line.startsWith('Left out'))).toEqual([
    'Left out    line 5: its upload is written beside the scenario: add --out FILE',
  ]);
});

const k6 = (scenario: object, more: object = {}): string =>
  JSON.stringify({
    scenarios: { s: { executor: 'constant-vus', vus: 2, duration: '1m', ...scenario } },
    ...more,
  });

it('a scenario of k6 names each field that a population has not, and alike ones once', () => {
  const everything = {
    exec: 'checkout',
    env: { A: 'b' },
    options: { browser: { type: 'chromium' } },
    gracefulStop: '5s',
    gracefulRampDown: '1s',
    maxVUs: 9,
    preAllocatedVUs: 5,
    tags: { a: 'b' },
  };
  expect(notesOf(k6(everything))).toMatchSnapshot();
});

it('a scenario of k6 with what is usual needs no note of its fields', () => {
  const usual = { exec: 'default', gracefulStop: '30s', gracefulRampDown: '30s' };
  expect(notesOf(k6(usual)).filter((line) => line.includes('scenario s'))).toEqual([]);
});

it.each([
  [{ executor: 'externally-controlled' }],
  [{ executor: 'ramping-vus', stages: [] }],
  [{ executor: 'constant-vus', duration: 'soon' }],
])('a scenario of k6 without a load of Weir’s is left out, with its reason: %j', (scenario) => {
  const both = JSON.stringify({
    scenarios: { s: { executor: 'constant-vus', vus: 2, duration: '1m' }, bad: scenario },
  });
  expect(notesOf(both).filter((line) => line.includes('bad'))).toMatchSnapshot();
});

it.each(
  [
    `guidellm benchmark --target http://h:8000 --rate-type sweep --rate 5 --data data.jsonl --model a/b
   --max-requests 5 --backend-args '{"timeout": 5}' --processor p --data-sampler random --cooldown 0.1 --odd 1`,
    `guidellm benchmark --target http://h:8000 --rate-type throughput --max-seconds 20 --model a/b
   --data "prompt_tokens=10,output_tokens=5,output_tokens_stdev=3,source=x.txt" --request-type text_completions`,
    `guidellm run --backend kind=vllm_python,model=a --profile kind=synchronous --data kind=huggingface,source=x`,
    `aiperf profile -m a/b -m c/d -u http://h:8000 --endpoint-type embeddings --concurrency 4 --num-warmup-requests 3
   --isl 10 --osl 5 --osl-stddev 4 --public-dataset sharegpt --goodput "inter_token_latency:20 tokens_per_second:5"`,
    `aiperf profile -m a/b -u https://h --request-rate 5 --arrival-pattern gamma --benchmark-duration 30 --streaming
   --isl 10 --extra-inputs temperature:0.5 --header "X-Team: load" --api-key sk-1 --random-seed 3 --prefill-concurrency 2`,
  ].map((command) => command.replaceAll(/\s+/g, ' ')),
)('%s', (command) => {
  let lines: unknown;
  try {
    lines = notesOf(command);
  } catch (error) {
    lines = (error as Error).message;
  }
  expect(lines).toMatchSnapshot();
});

it('an option of a hundred thousand characters is named by its beginning', () => {
  const long = 'x'.repeat(100_000);
  const lines = notesOf(
    `guidellm benchmark --target http://h --rate 5 --${long} 1 --max-seconds ${long}`,
  );
  expect(Math.max(...lines.map(({ length }) => length))).toBe(1000);
  expect(lines.join('\n')).toContain('Left out    --xxx');
});

it.each(['constructor', '__proto__', 'toString'])(
  'a metric or a value with the name of what each object has is read as a text: %s',
  (name) => {
    const thresholds = `{"thresholds": {"${name}": ["p(95)<500"], "http_reqs": ["rate>1"]}}`;
    expect(notesOf(thresholds).join('\n')).toContain(
      `${name} p(95)<500: a metric of the script itself`,
    );
    const imported = importText(
      'aiperf',
      `aiperf profile -m a/b -u http://h --request-rate 5 --goodput ${name}:5 --extra-inputs ${name}:${name}`,
      attack,
    );
    expect(linesOf(imported).join('\n')).toContain('Weir has request_latency');
    expect(imported).toHaveProperty('scenario.traffic.0.body', Object.fromEntries([[name, name]]));
  },
);
