import { aiPerfFlags, goodputMeasures, otherAiPerfOptions } from './aiperf-options.ts';
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
import { commandOf, programPattern, type Flag, Flags, readSettings } from './command-flags.ts';
import {
  headerFields,
  readHeaders,
  type Imported,
  ImportError,
  Notes,
  givenFields,
} from './imported.ts';

/**
 * This file imports `aiperf profile` (https://github.com/ai-dynamo/aiperf). Names and defaults come from version
 * 0.13.0.
 */

/** Returns whether headers contain keys only. Their values are never read. */
const isKeyHeader = ({ name, values }: Flag): boolean =>
  name === 'header' &&
  values.every((text) =>
    text.split(',').every((pair) => /^\s*(authorization|api-key|x-api-key)\s*:/i.test(pair)),
  );

type KeyValue = readonly [key: string, value: unknown, place: string];

/**
 * Returns the names and values of an option that is written as `a:1,b:2` or as a JSON object. `typed` converts the text of
 * a value in the first notation. The values of a JSON object stay as they are.
 */
const keyValues = (
  flags: Flags,
  name: string,
  typed: (text: string) => unknown,
  notes: Notes,
): readonly KeyValue[] =>
  flags.all(name, isKeyHeader).flatMap(({ values, place }) =>
    values.flatMap((text): readonly KeyValue[] => {
      const settings = text.startsWith('{') ? readSettings(text) : null;
      if (settings !== null)
        return Object.entries(settings).map(([key, value]) => [key, value, place]);
      return text.split(',').flatMap((pair): readonly KeyValue[] => {
        const [, key, value = ''] = /^([^:]+):([^]*)$/.exec(pair) ?? [];
        if (key !== undefined) return [[key.trim(), typed(value.trim()), place]];
        notes.left(place, 'expected NAME:VALUE or JSON');
        return [];
      });
    }),
  );

/** Reads a value as AIPerf’s `coerce_value` does: `007` and `1e3` stay texts. */
const coerced = (text: string): unknown => {
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  if (lower === 'null' || lower === 'none') return null;
  return /^-?(0|[1-9]\d*|\d+\.\d*|\.\d+)$/.test(text) ? Number(text) : text;
};

const bodyOf = (flags: Flags, notes: Notes) => {
  const fields = keyValues(flags, 'extra', coerced, notes)
    .filter(([key]) => key !== 'stream')
    .map(([key, value]) => [key, value] as const);
  return fields.length > 0 ? { body: Object.fromEntries(fields) } : {};
};

/**
 * Returns the first of several lengths in tokens as `count`, and all different lengths as `vary`. If all lengths are
 * equal, `vary` is `null`.
 */
const lengthOf = (values: readonly number[], deviation: number, more = 0) => ({
  count: tokenCount({ mean: (values[0] ?? 0) + more, deviation }),
  vary: new Set(values).size > 1 ? [...new Set(values)].map((n) => n + more) : null,
});

const turnsOf = (flags: Flags, answer: unknown, notes: Notes) => {
  const [count = 1] = flags.numbers('turns');
  if (count <= 1) return null;
  turnsNote(notes);
  return { count, answer };
};

const contentOf = (flags: Flags, notes: Notes) => {
  const given = flags.numbers('input');
  const pool = flags.number('prefixes') ?? 0;
  const prefixLength = flags.number('prefixTokens') ?? 0;
  const prefix = pool * prefixLength > 0 ? { tokens: prefixLength, pool } : null;
  const inputDeviation = flags.number('inputDeviation') ?? 0;
  const lengths = given.length > 0 ? given : [550];
  const input = lengthOf(lengths, inputDeviation, prefix?.tokens);
  const outputs = flags.numbers('output');
  const outputDeviation = flags.number('outputDeviation') ?? 0;
  const output = lengthOf(outputs, outputDeviation);
  const hasLength = outputs.length > 0;
  if (hasLength) answerLengthNote('AIPerf', notes);
  const mean = (path: string, deviation: number) => (deviation > 0 ? `${path}.mean` : path);
  return {
    vary: givenFields({
      [mean('prompt.tokens', inputDeviation)]: input.vary,
      [mean('maxTokens', outputDeviation)]: output.vary,
    }),
    fields: givenFields({
      system: flags.text('system'),
      prompt: givenFields({
        tokens: input.count,
        prefix,
        turns: turnsOf(flags, hasLength ? output.count : 128, notes),
        ...tokenizerFields(flags.text('tokenizer'), notes),
      }),
      maxTokens: hasLength ? output.count : null,
    }),
  };
};

const trafficOf = (flags: Flags, notes: Notes) => {
  const type = flags.one('type');
  if (type !== null && type.values[0] !== 'chat') {
    notes.left(type.place, 'only the type chat can be imported: the requests are chat completions');
  }
  const endpoint = flags.one('endpoint');
  if (endpoint !== null && !/^\/?v1\/chat\/completions$/.test(endpoint.values[0] ?? '')) {
    notes.left(endpoint.place, 'requests go to /chat/completions below the target');
  }
  const kind = flags.isOn('streaming', false) ? 'chat-stream' : 'chat';
  const models = flags.all('model').flatMap(({ values }) => values.join(',').split(','));
  const { fields, vary } = contentOf(flags, notes);
  const rest = { ...fields, ...bodyOf(flags, notes) };
  const names = models.length > 0 ? models : [unnamedModel(notes)];
  return { traffic: names.map((model) => ({ kind, model, ...rest })), vary };
};

const arrivalsOf = (flags: Flags): BenchLoad['arrivals'] => {
  const shape = flags.number('shape');
  const pattern = flags.text('arrivals') ?? (shape === null ? 'poisson' : 'gamma');
  if (pattern === 'gamma') return { gamma: shape ?? 1 };
  return pattern === 'constant' ? 'constant' : 'poisson';
};

/** Returns the warm-up in seconds. A warm-up in requests has a length only if a rate is known. */
const warmUpOf = (flags: Flags, rate: number | undefined, notes: Notes): number => {
  const requests = flags.number('warmUpRequests');
  const seconds = flags.number('warmUp');
  if (requests === null || seconds !== null) return seconds ?? 0;
  if (rate !== undefined && rate > 0) return requests / rate;
  const hint = 'write "warmUp: 10s", and a load of the kind "closed"';
  notes.left('--warmup-request-count', `a load of users has a warm-up by time: ${hint}`);
  return 0;
};

const loadFields = (flags: Flags, notes: Notes) => {
  const rates = flags.numbers('rate');
  const given = flags.numbers('users');
  if (rates.length > 0 && given.length > 0) notes.left('--concurrency', noBoundAtRate);
  const users = given.length > 0 ? given : [1];
  const [seconds, requests] = [flags.number('seconds'), flags.number('requests')];
  const usual = seconds === null && requests === null ? Math.max(10, 2 * users[0]!) : null;
  if (usual !== null) notes.chosen('--request-count', `AIPerf’s default of ${usual} requests`);
  const [rate] = rates;
  const load = {
    rates,
    users,
    arrivals: arrivalsOf(flags),
    requests: requests ?? usual,
    seconds,
    warmUpSeconds: warmUpOf(flags, rate, notes),
    rampUpSeconds: flags.number(rate === undefined ? 'userRamp' : 'rateRamp') ?? 0,
  };
  return loadOf(load, notes);
};

const judgedFields = (flags: Flags, notes: Notes) => {
  const perRequest = flags.all('goodput').flatMap(({ values, place }) =>
    values
      .flatMap((text) => text.trim().split(/\s+/))
      .flatMap((pair) => {
        const [metric = '', bound = ''] = pair.split(':');
        const [measure, sign, unit] = goodputMeasures.get(metric) ?? [];
        if (measure !== undefined && Number(bound) > 0)
          return [`${measure} ${sign} ${Number(bound)}${unit}`];
        notes.left(place, 'Weir has request_latency, time_to_first_token and inter_token_latency');
        return [];
      }),
  );
  const failures = flags.number('failures');
  const objective = `errorRate <= ${Number(((failures ?? 0) * 100).toPrecision(6))}%`;
  return {
    ...(perRequest.length > 0 ? { perRequest } : {}),
    ...(failures === null ? {} : { objectives: [{ objective, abort: { after: '10s' } }] }),
  };
};

const wireFields = (flags: Flags, notes: Notes) => {
  const timeout = flags.number('timeout');
  const grace = flags.number('grace');
  const metrics = flags.one('metrics');
  const [first, ...others] = metrics?.values ?? [];
  if (others.length > 0) notes.left(metrics!.place, 'Weir reads one address of metrics');
  const runs = flags.number('runs') ?? 1;
  if (runs > 1) notes.chosen('--num-profile-runs', `run it with weir run --repeat ${runs}`);
  const address = first === undefined || first.includes('://') ? first : `http://${first}`;
  return givenFields({
    grace: grace === null ? null : durationText(grace),
    deadlines: timeout === null ? null : { total: durationText(timeout) },
    wire: flags.text('reuse') === 'never' ? { reuse: false } : null,
    server: address === undefined ? null : { metrics: address },
  });
};

const addressOf = (flags: Flags, notes: Notes): string => {
  const flag = flags.one('url');
  const hidden = flags.hiddenText('url');
  if (flag === null && hidden !== '') throw new ImportError(`AIPerf’s target: ${hidden}`);
  const [first = 'http://localhost:8000', ...others] = (flag?.values ?? []).flatMap((text) =>
    text.split(','),
  );
  if (others.length > 0)
    notes.left(flag!.place, 'only the first address is taken: write "targets" to send to several');
  const url = baseAddress(first);
  if (url === null)
    throw new ImportError('AIPerf’s --url: expected an address such as http://localhost:8000');
  return url;
};

export const importAiPerf = (script: string): Imported => {
  const notes = new Notes();
  const flags = new Flags(commandOf(script, programPattern('aiperf'), notes), aiPerfFlags, notes);
  const url = addressOf(flags, notes);
  const written = keyValues(flags, 'header', String, notes);
  const read = readHeaders(
    written.map(([name, value, place]) => ({ name, value: String(value), place })),
    url,
    notes,
  );
  const hasKey = flags.one('key', () => true) !== null || read.keyHeader !== null;
  const seed = flags.number('seed');
  const { traffic, vary } = trafficOf(flags, notes);
  const load = loadFields(flags, notes);
  const allVaried = { ...vary, ...(load['vary'] as object | undefined) };
  const scenario = {
    ...targetFields({ url, hasKey }, notes),
    ...headerFields(read),
    limits: 'none',
    traffic,
    ...load,
    ...(Object.keys(allVaried).length > 0 ? { vary: allVaried } : {}),
    ...judgedFields(flags, notes),
    ...(seed === null ? {} : { seed }),
    ...wireFields(flags, notes),
  };
  sweepNote(scenario, notes);
  for (const { written: name, place } of flags.rest()) {
    const [, kind, message] = otherAiPerfOptions.find(([names]) => names.test(name)) ?? [];
    const why = whyUnsent(name);
    if (kind !== undefined) notes[kind](place, message!);
    else if (why === null) notes.left(place, noCounterpart);
    else notes.unneeded(place, why);
  }
  return { kind: 'scenario', scenario, files: [], notes: notes.sorted };
};
