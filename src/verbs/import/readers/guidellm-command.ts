import { whyUnsent } from './bench-scenario.ts';
import type { Notes } from './imported.ts';
import { type Flags, hasShellPart, namedFlags, readSettings } from './command-flags.ts';

/**
 * The settings of one part of a command line. Readers ask for each setting once. Settings that no reader asked for are
 * noted.
 */
export class PartSettings {
  private readonly place: string;
  private readonly values: Map<string, unknown>;
  private readonly notes: Notes;

  constructor(place: string, values: Readonly<Record<string, unknown>>, notes: Notes) {
    this.place = place;
    this.values = new Map(Object.entries(values));
    this.notes = notes;
  }

  take(name: string): unknown {
    const value = this.values.get(name);
    this.values.delete(name);
    return value ?? undefined;
  }

  text(name: string): string | null {
    const value = this.take(name);
    return typeof value === 'string' && value !== '' ? value : null;
  }

  numbers(name: string): readonly number[] {
    const value = this.take(name);
    if (value === undefined) return [];
    const numbers = [value].flat().map(Number);
    if (numbers.every((n) => n >= 0 && n < Infinity)) return numbers;
    this.notes.left(this.place, `its "${name}" is not a number`);
    return [];
  }

  number(name: string): number | null {
    return this.numbers(name)[0] ?? null;
  }

  /** Returns the settings whose names begin with a prefix. The keys are the names without the prefix. */
  takeBelow(prefix: string): Readonly<Record<string, unknown>> {
    const names = [...this.values.keys()].filter((name) => name.startsWith(prefix));
    return Object.fromEntries(names.map((name) => [name.slice(prefix.length), this.take(name)]));
  }

  nameRest(): void {
    for (const name of this.values.keys()) {
      const why = name === 'validate_backend' ? 'weir run looks first' : whyUnsent(`--${name}`);
      if (why === null) this.notes.left(this.place, `its "${name}" has no counterpart`);
      else this.notes.unneeded(`${this.place}, ${name}`, why);
    }
  }
}

/**
 * The options of two commands of GuideLLM: https://github.com/vllm-project/guidellm. `guidellm benchmark` (up to 0.6)
 * has an option for each setting. `guidellm run` (from 0.7) has a mapping for each part. The defaults are the defaults
 * of 0.6.1 and 0.8.1.
 */

export const guideLlmFlags = namedFlags({
  target: '--target',
  model: '--model',
  data: '--data',
  profile: '--profile --rate-type',
  rate: '--rate',
  backend: '--backend --backend-type',
  'backend-kwargs': '--backend-kwargs --backend-args',
  request_format: '--request-format --request-type',
  tokenizer: '--processor --tokenizer',
  seed: '--random-seed --seed',
  max_duration: '--max-seconds',
  max_requests: '--max-requests',
  max_errors: '--max-errors',
  max_error_rate: '--max-error-rate',
  max_global_error_rate: '--max-global-error-rate',
  constraint: '--constraint',
  warmup: '--warmup --warmup-percent',
  cooldown: '--cooldown --cooldown-percent',
  rampup_duration: '--rampup',
  override: '--override',
});

export const guideLlmOutput =
  /^(--(output-sampling|sample-requests|metrics|disable-.*|data-num-workers|data-loader|dataloader-kwargs|prefer-response-metrics)|-l)$/;

/** The meanings of the numbers of `--rate`, by profile. */
const rateMeanings: Readonly<Record<string, string>> = {
  concurrent: 'streams',
  sweep: 'sweep_size',
  throughput: 'max_concurrency',
};

export interface GuideLlmBenchmark {
  readonly backend: PartSettings;
  readonly profile: PartSettings;
  readonly constraints: PartSettings;
  readonly data: PartSettings;
  readonly tokenizer: string | null;
  readonly seed: number;
}

/**
 * Returns the mapping in an option; a single word becomes `{ kind: word }`. A setting that only the shell knows is left
 * out, except an API key, whose value is never read.
 */
const partOf = (flags: Flags, name: string, notes: Notes): Record<string, unknown> => {
  const flag = flags.one(name, ({ values }) => readSettings(values[0] ?? '') !== null);
  const text = flag?.values[0];
  if (flag === null || text === undefined) return {};
  if (/^[\w-]+$/.test(text)) return { kind: text };
  const settings = readSettings(text);
  if (settings === null) notes.left(flag.place, 'expected kind=…,key=value or JSON');
  const isHidden = ([key, value]: readonly [string, unknown]): boolean =>
    flag.expands && key !== 'api_key' && hasShellPart(value);
  const [hidden, known] = [true, false].map((wanted) =>
    Object.entries(settings ?? {}).filter((each) => isHidden(each) === wanted),
  ) as [[string, unknown][], [string, unknown][]];
  for (const [key] of hidden) flags.noteHidden(flag, `its "${key}"`);
  return Object.fromEntries(known);
};

const constraintsOf = (flags: Flags, notes: Notes): PartSettings => {
  const given: Record<string, unknown> = {};
  for (const name of 'max_duration max_requests max_errors max_error_rate max_global_error_rate'.split(
    ' ',
  )) {
    const value = flags.number(name);
    if (value !== null) given[name] = value;
  }
  for (const { place, values } of flags.all('constraint')) {
    const { kind, seconds, count, rate, ...others } = readSettings(values[0] ?? '') ?? {};
    if (typeof kind === 'string') given[kind] = [seconds ?? count ?? rate].flat()[0];
    else notes.left(place, 'expected kind=…,key=value or JSON');
    for (const key of Object.keys(others)) notes.left(place, `its "${key}" has no counterpart`);
  }
  return new PartSettings('--constraint', given, notes);
};

const dataOf = (flags: Flags, notes: Notes): PartSettings => {
  const given = flags.all('data');
  for (const { place } of given.slice(1)) notes.left(place, 'a further source of data');
  const flag = given[0];
  const settings = readSettings(flag?.values[0] ?? '');
  if (settings !== null && (settings['kind'] ?? 'synthetic_text') === 'synthetic_text') {
    return new PartSettings('--data', settings, notes);
  }
  const hint =
    'write prompt: { file: prompts.jsonl } for prompts of a file (.jsonl, .csv, ShareGPT’s .json)';
  notes.left(
    flag?.place ?? '--data',
    `only synthetic data can be imported; prompts have 256 tokens instead: ${hint}`,
  );
  return new PartSettings('--data', { prompt_tokens: 256, output_tokens: 128 }, notes);
};

export const readGuideLlm = (flags: Flags, notes: Notes): GuideLlmBenchmark => {
  const backend = partOf(flags, 'backend', notes);
  Object.assign(backend, partOf(flags, 'backend-kwargs', notes));
  for (const name of ['target', 'model', 'request_format']) {
    const value = flags.text(name);
    if (value !== null) backend[name] = value;
  }
  const profile = { kind: 'sweep', ...partOf(flags, 'profile', notes) } as Record<string, unknown>;
  const rates = flags.numbers('rate');
  if (rates.length > 0) profile[rateMeanings[String(profile['kind'])] ?? 'rate'] = rates;
  for (const name of ['rampup_duration', 'warmup', 'cooldown']) {
    const value = flags.number(name);
    if (value !== null) profile[name] = value;
  }
  for (const { place, values } of flags.all('override')) {
    const [path = '', texts = ''] = values;
    const name = /^profile\.(streams|rate)$/.exec(path)?.[1];
    if (name === undefined)
      notes.left(place, 'overrides "profile.rate" and "profile.streams" only');
    else profile[name] = texts.split(',').map(Number);
  }
  const seed = partOf(flags, 'seed', notes);
  return {
    backend: new PartSettings('--backend', backend, notes),
    profile: new PartSettings('--profile', profile, notes),
    constraints: constraintsOf(flags, notes),
    data: dataOf(flags, notes),
    tokenizer: flags.text('tokenizer'),
    seed: [seed['value'], seed['kind']].map(Number).find(Number.isInteger) ?? 42,
  };
};
