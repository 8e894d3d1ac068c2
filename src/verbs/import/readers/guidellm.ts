import { isMapping } from '../../../scenario/text/scenario-tree.ts';
import {
  answerLengthNote,
  baseAddress,
  type BenchLoad,
  durationText,
  loadOf,
  noBoundAtRate,
  noCounterpart,
  sweepNote,
  targetFields,
  tokenCount,
  tokenizerFields,
  turnsNote,
  unnamedModel,
  whyUnsent,
} from './bench-scenario.ts';
import { commandOf, programPattern, Flags } from './command-flags.ts';
import {
  type GuideLlmBenchmark,
  guideLlmFlags,
  guideLlmOutput,
  readGuideLlm,
  type PartSettings,
} from './guidellm-command.ts';
import { type Imported, ImportError, Notes } from './imported.ts';

const contentOf = (data: PartSettings, tokenizer: string | null, notes: Notes) => {
  data.take('kind');
  const prefixTokens = data.number('prefix_tokens') ?? 0;
  const pool = data.number('prefix_count') ?? 1;
  const spread = (name: string, more = 0) => {
    const mean = data.number(name);
    const [min, max] = [data.number(`${name}_min`), data.number(`${name}_max`)];
    const deviation = data.number(`${name}_stdev`);
    const moved = (bound: number | null) => (bound === null ? null : bound + more);
    return mean === null
      ? null
      : tokenCount({ mean: mean + more, deviation, min: moved(min), max: moved(max) });
  };
  const output = spread('output_tokens');
  const turns = data.number('turns') ?? 1;
  if (turns > 1) turnsNote(notes);
  return {
    prompt: {
      tokens: spread('prompt_tokens', prefixTokens) ?? 256,
      ...(prefixTokens > 0 ? { prefix: { tokens: prefixTokens, pool } } : {}),
      ...(turns > 1 ? { turns: { count: turns, answer: output ?? 128 } } : {}),
      ...tokenizerFields(tokenizer, notes),
    },
    ...(output === null ? {} : { maxTokens: output, body: { ignore_eos: true } }),
  };
};

type Rates = Pick<BenchLoad, 'rates' | 'users' | 'arrivals'>;

const usersOf = (users: readonly number[]): Rates => ({ rates: [], users, arrivals: 'constant' });

/** Reads the rates or the numbers of users of a profile. */
type ReadRates = (profile: PartSettings, notes: Notes) => Rates;

const atRate =
  (arrivals: 'constant' | 'poisson'): ReadRates =>
  (profile, notes) => {
    const rates = profile.numbers('rate');
    if (rates.length === 0) throw new ImportError('a profile of rates needs a rate');
    if (profile.number('max_concurrency') !== null)
      notes.left('--profile', `max_concurrency ${noBoundAtRate}`);
    return { rates, users: [], arrivals };
  };

const oneUser =
  (message: string | null): ReadRates =>
  (_, notes) => {
    if (message !== null) notes.left('--profile', message);
    return usersOf([1]);
  };

const profiles: Readonly<Record<string, ReadRates>> = {
  synchronous: oneUser(null),
  concurrent: (profile) => usersOf(profile.numbers('streams')),
  throughput: (profile, notes) => {
    const limit = profile.number('max_concurrency');
    if (limit === null) notes.chosen('--profile', 'throughput is 512 users who do not think');
    return usersOf([limit ?? 512]);
  },
  async: atRate('constant'),
  constant: atRate('constant'),
  poisson: atRate('poisson'),
  sweep: (profile, notes) => {
    const size = Math.min(profile.number('sweep_size') ?? 10, 16);
    profile.take('strategy_type');
    profile.take('max_concurrency');
    const message = `a sweep finds its rates while it runs; here ${size} numbers of users double from 1 on. weir capacity finds the highest rate`;
    notes.chosen('--profile', message);
    return usersOf(Array.from({ length: size }, (_, i) => 2 ** i));
  },
  replay: oneUser('write load: { kind: trace, file: … } for a trace. The load is one user instead'),
};

const ratesOf: ReadRates = (profile, notes) => {
  const read =
    profiles[profile.text('kind') ?? 'sweep'] ??
    oneUser(
      'this profile searches while it runs: use weir capacity or weir sweep. The load is one user instead',
    );
  return read(profile, notes);
};

const loadFields = ({ profile, constraints }: GuideLlmBenchmark, notes: Notes) => {
  const requests = constraints.number('max_requests');
  const seconds = constraints.number('max_duration');
  const warmUp = profile.take('warmup');
  const rampUp = profile.number('rampup_duration') ?? 0;
  const rates = ratesOf(profile, notes);
  const load = { ...rates, requests, seconds, rampUpSeconds: rampUp };
  const tree = loadOf(load, notes);
  sweepNote(tree, notes);
  if (Number(profile.take('cooldown') ?? 0) !== 0) {
    notes.left('--cooldown', 'Weir measures until the load ends');
  }
  if (warmUp === undefined || Number(warmUp) === 0) return tree;
  const share = Number(warmUp);
  if (seconds === null || requests !== null || !(share > 0)) {
    notes.left('--warmup', 'a warm-up of requests has no counterpart: write "warmUp" with a time');
    return tree;
  }
  const length = share < 1 ? share * seconds : share;
  return { ...tree, warmUp: durationText(length) };
};

/** Returns objectives that end the run, in the same way as GuideLLM's limits of errors end a run. */
const objectivesOf = (constraints: PartSettings, notes: Notes) => {
  const abort = { after: '10s' };
  const rate = constraints.number('max_error_rate') ?? constraints.number('max_global_error_rate');
  const count = constraints.number('max_errors');
  const objectives = [
    ...(rate === null ? [] : [`errorRate < ${Number((rate * 100).toPrecision(6))}%`]),
    ...(count === null ? [] : [`failed < ${count}`]),
  ].map((objective) => ({ objective, abort }));
  if (objectives.length === 0) return {};
  notes.chosen('limit of errors', 'it is an objective that ends the run, checked from 10 s on');
  return { objectives };
};

const chatFormats = [undefined, 'chat_completions', '/v1/chat/completions', 'v1/chat/completions'];

const entryOf = (benchmark: GuideLlmBenchmark, notes: Notes) => {
  const { backend, data, tokenizer } = benchmark;
  const format = backend.take('request_format');
  if (!chatFormats.includes(format as string | undefined)) {
    notes.left('request format', 'Weir sends chat completions in its place');
  }
  const model = backend.text('model') ?? unnamedModel(notes);
  const isStream = backend.take('stream') !== false;
  const { body = {}, ...content } = contentOf(data, tokenizer, notes);
  const maxTokens = backend.number('max_tokens');
  const extras = backend.take('extras');
  const more = isMapping(extras) && isMapping(extras['body']) ? extras['body'] : {};
  const fields = { ...body, ...backend.takeBelow('extras.body.'), ...more };
  answerLengthNote('GuideLLM', notes);
  return {
    kind: isStream ? 'chat-stream' : 'chat',
    model,
    ...(maxTokens === null ? {} : { maxTokens }),
    ...content,
    ...(Object.keys(fields).length > 0 ? { body: fields } : {}),
  };
};

const tlsFields = (backend: PartSettings, url: string, notes: Notes) => {
  if (backend.take('verify') === true || url.startsWith('http:')) return {};
  notes.chosen(
    'certificates',
    'GuideLLM does not verify them by default; leave "wire" out to verify',
  );
  return { wire: { verifyTls: false } };
};

export const importGuideLlm = (script: string): Imported => {
  const notes = new Notes();
  const words = commandOf(script, programPattern('guidellm'), notes);
  const flags = new Flags(words, guideLlmFlags, notes);
  const benchmark = readGuideLlm(flags, notes);
  const { backend, profile, constraints, data } = benchmark;
  const kind = backend.text('kind') ?? 'openai_http';
  if (kind !== 'openai_http' && kind !== 'openai') {
    notes.left('--backend', 'Weir sends HTTP requests, as the backend openai_http does');
  }
  const url = baseAddress(backend.text('target') ?? '');
  if (url === null) {
    const hidden = flags.hiddenText();
    const why = hidden === '' ? '' : `; ${hidden}`;
    throw new ImportError(
      `GuideLLM’s target: expected an address such as http://localhost:8000${why}`,
    );
  }
  const hasKey = backend.take('api_key') !== undefined;
  const scenario = {
    ...targetFields({ url, hasKey }, notes),
    limits: 'none',
    traffic: [entryOf(benchmark, notes)],
    ...loadFields(benchmark, notes),
    ...objectivesOf(constraints, notes),
    seed: benchmark.seed,
    ...tlsFields(backend, url, notes),
  };
  for (const settings of [backend, profile, constraints, data]) settings.nameRest();
  for (const { written, place } of flags.rest()) {
    const why = guideLlmOutput.test(written)
      ? 'Weir writes reports of its own'
      : whyUnsent(written);
    if (why === null) notes.left(place, noCounterpart);
    else notes.unneeded(place, why);
  }
  return { kind: 'scenario', scenario, files: [], notes: notes.sorted };
};
