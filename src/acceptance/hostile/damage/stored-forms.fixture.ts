import { join } from 'node:path';
import type { Writing } from './damage.fixture.ts';

/** A form of file that Weir reads, with every verb that reads it. */
export interface StoredForm {
  /** The name of its folder of sound files. */
  readonly name: string;
  /** The file that is damaged. */
  readonly file: string;
  readonly writing: Writing;
  /** What a message names in its place where the file is missing; absent for the file itself. */
  readonly orNames?: string;
  /** The command lines that read it, by a short name. `here` is the folder with the damaged copy, `sound` that with the sound one. */
  readonly commands: (here: string, sound: string) => Readonly<Record<string, readonly string[]>>;
}

/** Nothing listens there, so a command that has read everything ends before it sends a request. */
const nowhere = ['--target', 'http://127.0.0.1:9/v1'];

const readersOfResults = (file: string) => (here: string, sound: string) => {
  const damaged = join(here, file);
  const out = join(here, 'out');
  return {
    report: ['report', damaged, '--out', out, '--details', '--csv', join(here, 'figures.csv')],
    json: ['report', damaged, '--out', out, '--json', '--junit', join(here, 'junit.xml')],
    merge: ['merge', damaged, join(here, 'other.json'), '--out', out, '--history'],
    compare: ['compare', join(sound, file), damaged, '--allow-different', '--out', out],
    self: ['compare', '--self', ...Array<string>(3).fill(join(sound, file)), damaged, '--out', out],
    capacity: ['capacity', '--from', damaged, '--out', out],
    baseline: ['history', 'baseline', 'main', damaged],
    run: [
      'run',
      ...nowhere,
      '--model',
      'm',
      '--rate',
      '1/s',
      '--duration',
      '1s',
      '--baseline',
      damaged,
      '--out',
      out,
    ],
    history: ['history', '--page', '--out', join(here, 'history.html')],
  };
};

const results: readonly StoredForm[] = [
  'result-quickstart',
  'result-failures',
  'result-agents',
  'result-server',
  'result-saturate',
  'result-slice',
].map((name) => ({
  name,
  file: 'result.json',
  writing: 'json',
  commands: readersOfResults('result.json'),
}));

const journals: readonly StoredForm[] = [
  {
    name: 'checkpoint',
    file: 'checkpoint.jsonl',
    writing: 'lines',
    // A folder without a checkpoint is asked for its result.
    orNames: '/here/result.json does not exist',
    commands: (here, sound) => {
      const { report, merge, compare, baseline } = readersOfResults('checkpoint.jsonl')(
        here,
        sound,
      );
      const folder = ['report', here, '--out', join(here, 'out')];
      return { report, merge, compare, baseline, folder };
    },
  },
  {
    name: 'observations',
    file: 'observations.jsonl',
    writing: 'lines',
    commands: (here) => {
      const report = ['report', join(here, 'result.json'), '--out', join(here, 'out')];
      const tabled = [...report, '--observations', join(here, 'observations.jsonl'), '--requests'];
      return {
        csv: [...tabled, join(here, 'requests.csv')],
        parquet: [...tabled, join(here, 'requests.parquet')],
      };
    },
  },
  {
    name: 'history',
    file: 'history.db',
    writing: 'bytes',
    // Without a history a new one is begun, which has no runs.
    orNames: 'the history has no run 1: `weir history` lists them',
    commands: (here) => ({
      history: ['history'],
      json: ['history', '--json'],
      page: ['history', '--page', '--out', join(here, 'history.html')],
      baselines: ['history', 'baseline'],
      baseline: ['history', 'baseline', 'main', '1'],
      delete: ['history', 'baseline', 'main', '--delete'],
    }),
  },
];

/** What other verbs leave: `compare` reads checks; the others are no results, and every reader of results says so. */
const documents: readonly StoredForm[] = ['check', 'limits', 'sweep'].map((name) => ({
  name,
  file: `${name}.json`,
  writing: 'json',
  commands: (here, sound) => {
    const { report, merge, compare, capacity, baseline } = readersOfResults(`${name}.json`)(
      here,
      sound,
    );
    return name === 'check' ? { compare, report } : { report, merge, compare, capacity, baseline };
  },
}));

const readersOfScenarios = (here: string): Readonly<Record<string, readonly string[]>> => {
  const scenario = join(here, 'scenario.yaml');
  return {
    validate: ['validate', scenario],
    plan: ['plan', scenario],
    run: ['run', scenario, ...nowhere, '--yes', '--out', join(here, 'out')],
  };
};

const scenarios: readonly StoredForm[] = [
  'agents',
  'chat-stream',
  'ci-gate',
  'everything',
  'failures',
  'mixed',
  'quickstart',
  'prompts',
  'ramp',
  'saturate',
  'speech',
  'transcription',
  'vision',
].map((name) => ({
  name: `scenario-${name}.yaml`,
  file: 'scenario.yaml',
  writing: 'text',
  commands: (here) => {
    const scenario = join(here, 'scenario.yaml');
    const out = ['--out', join(here, 'out')];
    return {
      ...readersOfScenarios(here),
      k8s: ['emit', 'k8s', scenario, '--slices', '3'],
      slurm: ['emit', 'slurm', scenario, '--slices', '3'],
      swarm: ['emit', 'swarm', scenario, '--slices', '3'],
      slices: ['plan', scenario, '--slices', '3', '--json'],
      check: ['check', scenario, ...nowhere, '--yes', ...out],
      limits: ['limits', scenario, ...nowhere, '--yes', ...out],
      capacity: ['capacity', scenario, ...nowhere, '--yes', ...out],
      sweep: ['sweep', scenario, ...nowhere, '--vary', 'grace=1s,2s', '--yes', ...out],
    };
  },
}));

/** The files that a scenario names. */
const named = (
  [
    ['prompts.jsonl', 'lines'],
    ['prompts.csv', 'text'],
    ['sharegpt.json', 'json'],
    ['azure.csv', 'text'],
    ['burst.csv', 'text'],
    ['mooncake.jsonl', 'lines'],
    ['bailian.jsonl', 'lines'],
    ['text.txt', 'text'],
    ['tokenizer.json', 'json'],
    ['manifest.json', 'json'],
    ['secret.key', 'text'],
    ['certificate.pem', 'text'],
    ['authority.pem', 'text'],
  ] as const
).map(([name, writing]): StoredForm => ({
  name,
  file: name,
  writing,
  commands: readersOfScenarios,
}));

const media = [
  ...['answer.ogg', 'boats.webm', 'gate.wav', 'keeper.m4a', 'mill.mp3'].map((file) => [
    `clip-${file}`,
    file,
  ]),
  ['image-gauge.png', 'gauge.png'],
  ['image-river.jpg', 'river.jpg'],
].map(([name = '', file = '']): StoredForm => ({
  name,
  file,
  writing: 'bytes',
  commands: readersOfScenarios,
}));

const imports = (
  [
    ['vegeta-http', 'vegeta'],
    ['vegeta-json', 'vegeta'],
    ['k6-summary', 'k6'],
    ['k6-data-of-handleSummary', 'k6'],
    ['k6-inspect', 'k6'],
    ['GuideLLM-0.6', 'guidellm'],
    ['AIPerf,-a-rate', 'aiperf'],
  ] as const
).map(([name, kind]): StoredForm => ({
  name: `import-${name}`,
  file: `${kind}.txt`,
  writing: kind === 'k6' ? 'json' : name === 'vegeta-json' ? 'lines' : 'text',
  commands: (here) => {
    const source = join(here, `${kind}.txt`);
    const load = kind === 'vegeta' ? ['--rate', '5/s', '--duration', '3s'] : [];
    return {
      import: ['import', source, ...load],
      from: ['import', source, '--from', kind, ...load],
    };
  },
}));

const intoScenario: StoredForm = {
  name: 'import-into',
  file: 'into.yaml',
  writing: 'text',
  commands: (here) => ({
    into: ['import', join(here, 'k6.txt'), '--into', join(here, 'into.yaml')],
  }),
};

export const storedForms: readonly StoredForm[] = [
  ...results,
  ...journals,
  ...documents,
  ...scenarios,
  ...named,
  ...media,
  ...imports,
  intoScenario,
];
