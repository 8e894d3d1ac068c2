import { budget, caps, deadlines, scenarioRetrySchema } from './bounds-schema.ts';
import { pricesSchema } from './prices-schema.ts';
import { interfaceLimits } from '../../model/limits/run-limits.ts';
import { z } from 'zod';
import { decideUnions } from './editor-schema.ts';
import { limiterClassNames } from '../../model/limits/limit-log.ts';
import {
  durationField,
  listField,
  mapping,
  nameField,
  optionalField,
  orNull,
  positiveDurationField,
  textField,
  weightField,
  wholeNumberField,
  perMinuteAdvice,
  wholeNumberOrNoneField,
  withDefault,
  wordField,
} from './fields.ts';
import { mockSchema } from './mock-schema.ts';
import { scenarioLoadSchema } from './load-schema.ts';
import { scenarioPaceSchema } from './pace-schema.ts';
import { bodyFieldsSchema, trafficEntrySchema } from './traffic-schema.ts';
import { serverSchema } from './server-schema.ts';
import { objectivesField, perRequestSchema } from './objective-schema.ts';
import {
  authSchema,
  canarySchema,
  targetSchema,
  transportSchema,
  wireSchema,
  workersSchema,
  endpointsSchema,
} from './wire-schema.ts';

/** This file contains the schema of a scenario, YAML or JSON. The schema is strict: an unknown key is an error. */

const requestLimit = wholeNumberOrNoneField(1_000_000_000, perMinuteAdvice);
const tokenLimit = wholeNumberOrNoneField(1_000_000_000_000, perMinuteAdvice);

/** The limits of one key. A limit that the key leaves out is taken from the scenario. */
const keyLimits = z.union(
  [
    mapping('a mapping such as {requestsPerMinute: 60, tokensPerMinute: 100000}', {
      requestsPerMinute: optionalField(requestLimit).describe('Requests per minute, or none.'),
      tokensPerMinute: optionalField(tokenLimit).describe('Tokens per minute, or none.'),
    }),
    z.literal('none').transform(() => ({ requestsPerMinute: null, tokensPerMinute: null })),
  ],
  'expected a mapping such as {requestsPerMinute: 60, tokensPerMinute: 100000}, or none',
);

const key = mapping('a mapping with "name" and "key"', {
  name: nameField(100).describe('The name of this key in reports.'),
  key: textField().describe(
    'A reference to the key: ${env:NAME} for an environment variable, ${secret:PATH} for a file, ${command:…} for what a command prints. Never the key itself.',
  ),
  weight: weightField().describe(
    'The share of the requests that use this key, relative to the other keys.',
  ),
  limits: optionalField(keyLimits).describe(
    'The limits that the gateway declares for this key, or none. Default: those of "limits".',
  ),
});

const keys = z
  .union(
    [textField(), listField(key, 'a list of keys, each with "name" and "key"', 'key')],
    'expected ${env:NAME}, ${secret:PATH}, or a list of keys, each with "name" and "key"',
  )
  .optional();

const entries = 'a list of traffic entries, each with a "kind"';
export const maxTrafficEntries = 1000;
const traffic = listField(trafficEntrySchema, entries, 'traffic entry').max(
  maxTrafficEntries,
  'expected at most 1,000 traffic entries',
);

const stage = mapping('a mapping with "name" and "load"', {
  name: nameField(100).describe('The name of this stage in reports.'),
  load: scenarioLoadSchema.describe('How and when requests come in this stage.'),
  traffic: optionalField(traffic).describe('The traffic of this stage. Default: the scenario’s.'),
});
const stages = listField(stage, 'a list of stages, each with "name" and "load"', 'stage').max(
  1000,
  'expected at most 1,000 stages',
);

const noRetry = z.literal('none').transform(() => null);

const population = mapping('a mapping with "name"', {
  name: nameField(60)
    .regex(
      /^(?:[\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_.-]+)*)?$/u,
      'expected letters, digits, single blanks and the signs . _ -',
    )
    .describe('The name of this population in reports. It decides the random choices, too.'),
  after: withDefault(durationField(), '0s').describe('When it begins, after the start of the run.'),
  load: optionalField(scenarioLoadSchema).describe('Its load. Default: the scenario’s.'),
  stages: optionalField(stages).describe('Its loads, one after another, instead of "load".'),
  traffic: optionalField(traffic).describe('Its requests. Default: the scenario’s.'),
  keys: keys.describe('Its API keys. Default: the scenario’s.'),
  retry: optionalField(
    z.union([scenarioRetrySchema, noRetry], 'expected a mapping such as {attempts: 3}, or none'),
  ).describe('Which of its failed requests are retried, or none. Default: as in the scenario.'),
  objectives: objectivesField().describe('The objectives of this population. Default: none.'),
  target: optionalField(nameField(60)).describe(
    'The name of its target, if the scenario has targets by name.',
  ),
});

const populations = listField(
  population,
  'a list of populations, each with a "name"',
  'population',
).max(100, 'expected at most 100 populations');

const headers = z.record(
  z.string(),
  z.string('expected text; put quotes around it'),
  'expected a mapping of header names to text',
);

/** A named target. A field that the target leaves out is taken from the scenario. */
const namedTarget = mapping('an address, mock, container, or a mapping with "url"', {
  url: targetSchema.describe(
    'The base address of the target, or mock or container for a reference gateway of its own.',
  ),
  keys: keys.describe('Its API keys. Default: the scenario’s.'),
  auth: optionalField(authSchema).describe('The header of its keys. Default: the scenario’s.'),
  headers: optionalField(headers).describe('Its extra headers. Default: the scenario’s.'),
  wire: optionalField(wireSchema).describe(
    'How connections to it are made. Default: as in the scenario.',
  ),
  endpoints: optionalField(endpointsSchema).describe('Its own paths. Default: the scenario’s.'),
  limits: optionalField(keyLimits).describe(
    'The limits that it declares for each key, or none. Default: those of the scenario.',
  ),
});

const targets = z.record(
  z.string(),
  z.union(
    [targetSchema.transform((url): z.output<typeof namedTarget> => ({ url })), namedTarget],
    'expected an address, mock, container, or a mapping with "url"',
  ),
  'expected a mapping of names to targets, such as {direct: http://host:8000/v1, gateway: …}',
);

const declaredLimits = z.strictObject({
  requestsPerMinute: withDefault(requestLimit, interfaceLimits.requestsPerMinute).describe(
    'Requests per minute and key, or none.',
  ),
  tokensPerMinute: withDefault(tokenLimit, interfaceLimits.tokensPerMinute).describe(
    'Tokens per minute and key, or none.',
  ),
  class: optionalField(z.enum(['any', ...limiterClassNames])).describe(
    'Which class of limiter is permitted, or any: the run is then judged by its limits, and ends with exit 14 if they are violated. Default: the report describes the limits without a verdict.',
  ),
});

const limits = z
  .union([
    declaredLimits,
    z.literal('none').transform((): z.output<typeof declaredLimits> => ({
      requestsPerMinute: null,
      tokensPerMinute: null,
    })),
  ])
  .prefault({});

const vary = z.record(
  z.string(),
  z.union(
    [z.array(z.json()), z.string()],
    'expected a list of values, or a text such as "1,2,4" or "1..16*2"',
  ),
  'expected a mapping of paths to lists of values, such as load.users: [1, 2, 4]',
);

const fails = listField(
  mapping('a mapping such as {finish: content_filter}', {
    finish: nameField(60).describe('A finish reason, exactly as the server writes it.'),
  }),
  'a list such as [finish: content_filter]',
  'end',
).max(100, 'expected at most 100 ends');

export const scenarioSchema = z
  .strictObject({
    $schema: optionalField(z.string()).describe('The address of this schema, for editors.'),
    name: optionalField(nameField(200)).describe(
      'The name of this run in reports. Default: the file’s name.',
    ),
    description: orNull(textField()).describe('What the run is for; reports show it.'),
    target: withDefault(targetSchema, 'mock').describe(
      'The target: the base address of a gateway (ending in /v1), "mock" for the bundled reference gateway, or "container" for the reference gateway in a container.',
    ),
    targets: optionalField(targets).describe(
      'The addresses of several gateways. Give each a name: {direct: http://host:8000/v1, gateway: {url: …, keys: …}}. Each population says by that name where its requests go (target: direct). A target may have its own keys, auth, headers, wire, endpoints and limits. Default: the single address in "target".',
    ),
    keys: keys.describe(
      'The API keys: ${env:NAME}, ${secret:PATH}, ${command:…}, or a list of {name, key, weight, limits}. Default: ${env:WEIR_API_KEY}.',
    ),
    auth: optionalField(authSchema).describe(
      'The header that carries the key. Default: "Authorization: Bearer KEY".',
    ),
    headers: headers
      .prefault({})
      .describe(
        'Extra request headers. Values may contain ${env:NAME}, ${secret:PATH}, ${uuid} and ${index}.',
      ),
    body: bodyFieldsSchema
      .prefault({})
      .describe('Extra fields for the body of every chat request, for example top_k: 5.'),
    traffic: optionalField(traffic).describe('The requests to send: a weighted mix.'),
    prices: pricesSchema
      .prefault({})
      .describe(
        'Prices by model, in units of the currency for a million tokens, for example {NAME: {input: 0.15, cachedInput: 0.075, output: 0.60}}, or {file: prices.json}. Default: unknown for chats, the interface’s for audio.',
      ),
    load: optionalField(scenarioLoadSchema).describe(
      'How and when requests come. Either this or "stages".',
    ),
    stages: optionalField(stages).describe(
      'Several loads, one after another without a gap, each with its own figures.',
    ),
    populations: optionalField(populations).describe(
      'Parts of the run that run beside each other, each with its own load, traffic, keys, retry and objectives; what one does not say is as in the scenario. Default: none.',
    ),
    warmUp: withDefault(z.union([durationField(), z.literal('auto')]), '0s').describe(
      'Requests that are due before this time are sent but not measured; "auto": the run finds it, within the first half of the constant load.',
    ),
    grace: withDefault(durationField(), '30s').describe(
      'How long unfinished requests may continue after the last arrival.',
    ),
    inFlight: withDefault(wholeNumberField(1, 1_000_000), 10_000).describe(
      'The maximum number of requests in flight, including waiting ones; further requests are dropped.',
    ),
    deadlines: deadlines.prefault({}).describe('When Weir gives up on a request.'),
    caps: caps.prefault({}).describe('The limits on the size of one answer.'),
    objectives: objectivesField().describe(
      'The objectives of the run: a list of texts such as "ttft.p95{stage=peak} < 800ms" or "errorRate < 1%", or mappings with "objective", "minSamples", "severity", "quota" and "abort". Default: none.',
    ),
    until: optionalField(z.enum(['decided'], 'expected decided')).describe(
      'Ends the run as soon as each objective is sure, kept or broken. Default: the run lasts as long as its loads.',
    ),
    atMost: optionalField(positiveDurationField()).describe(
      'With "until: decided", how long the last load may last; it replaces its duration, which can then be left out.',
    ),
    perRequest: perRequestSchema.describe(
      'The objectives of each request, for example ["ttft < 500ms", "e2e < 5s"]; "goodput" is the share of all arrivals that meet all of them. Default: none.',
    ),
    limits: limits.describe('The limits that the gateway declares for each key, or none.'),
    retry: orNull(scenarioRetrySchema).describe(
      'Which failed requests are retried, and when. Default: none.',
    ),
    pace: optionalField(scenarioPaceSchema).describe(
      'Makes requests wait so that no key uses more than its limits. Default: requests go when they are due.',
    ),
    budget: orNull(budget).describe(
      'The most that a run may spend: Weir refuses a run that may need more, and ends a run before it spends more. Default: no limit.',
    ),
    streams: wordField(['lenient', 'standard', 'strict'], 'standard').describe(
      'When a stream is complete: with "standard" when every choice has a finish reason, or by [DONE] if one has; with "lenient" by [DONE] also without any; with "strict" never without [DONE] and a finish reason. Default: standard.',
    ),
    fails: optionalField(fails).describe(
      'Ends that fail an answer besides those that always do (reports/figures.md): [finish: content_filter]. Default: none.',
    ),
    seed: withDefault(wholeNumberField(0, Number.MAX_SAFE_INTEGER), 1).describe(
      'The seed of all random choices: the same seed sends the same requests.',
    ),
    vary: optionalField(vary).describe(
      'The values that "weir sweep" runs, by the path of the field that takes them: {load.users: [1, 2, 4], prompt.tokens: [100, 1000]}; all other verbs use the field as it stands. Default: none.',
    ),
    server: optionalField(serverSchema).describe(
      'The server’s own metrics (Prometheus text), read beside the run: reports draw them, and objectives such as "server.waiting.max < 20" judge them. Default: none.',
    ),
    wire: wireSchema.prefault({}).describe('How connections are made.'),
    endpoints: optionalField(endpointsSchema).describe(
      'Paths of the target’s own, below its address: {chat: /x/chat/completions}. Default: those of the OpenAI API.',
    ),
    transport: transportSchema,
    workers: workersSchema,
    canary: canarySchema,
    mock: mockSchema
      .prefault({})
      .describe('The bundled reference gateway; ignored with a real target.'),
  })
  .describe('A load test of an OpenAI-compatible gateway.');
/** A scenario whose quantities have been read and whose defaults have been filled in. */
export type Scenario = z.output<typeof scenarioSchema>;

/**
 * Matches a reference to an environment variable. Editors must also accept a reference in place of a number or a
 * boolean, since the value may come from the environment.
 */
const fromEnvironment = String.raw`^\$\{env:[^}]+\}$`;

type Json = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const namesOfReferences = (value: unknown): readonly string[] =>
  Array.from(JSON.stringify(value).matchAll(/"#\/definitions\/([^"]+)"/g), ([, name]) => name!);

/**
 * Moves each definition that is used only once to the place of its use, since zod makes a definition for every field.
 */
const withoutSingleUses = ({ definitions, ...root }: Json): Json => {
  const all = isMapping(definitions) ? definitions : {};
  const uses = Object.groupBy(namesOfReferences({ root, all }), (name) => name);
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined);
    if (!isMapping(value)) return value;
    const [, name = ''] = /^#\/definitions\/(.+)$/.exec(String(value['$ref'])) ?? [];
    if (uses[name]?.length === 1) return inlined(all[name]);
    const { allOf, ...rest } = Object.fromEntries(
      Object.entries(value).map(([field, part]) => [field, inlined(part)] as const),
    ) as Json;
    if (!Array.isArray(allOf)) return rest;
    const [only] = allOf as readonly Json[];
    const canMerge = allOf.length === 1 && only !== undefined && !('$ref' in only);
    return canMerge && Object.keys(only).every((field) => !(field in rest))
      ? { ...rest, ...only }
      : { ...rest, allOf };
  };
  const shared = Object.entries(all).filter(([name]) => uses[name]?.length !== 1);
  return {
    ...(inlined(root) as Json),
    definitions: Object.fromEntries(shared.map(([name, part]) => [name, inlined(part)])),
  };
};

/** Returns the JSON Schema of scenarios in draft 7, which editors support best. */
export const scenarioJsonSchema = (): Record<string, unknown> => {
  const schema = z.toJSONSchema(scenarioSchema, {
    io: 'input',
    target: 'draft-7',
    reused: 'ref',
    override: ({ jsonSchema }) => {
      // Editors do not require the duration of a load, since a scenario with `until` may leave out the duration.
      if (jsonSchema.required?.includes('duration') === true)
        jsonSchema.required = jsonSchema.required.filter((name) => name !== 'duration');
      if (!['integer', 'number', 'boolean'].includes(String(jsonSchema.type))) return;
      (jsonSchema as { type: unknown }).type = [jsonSchema.type, 'string'];
      jsonSchema.pattern = fromEnvironment;
    },
  });
  const { $schema, ...rest } = schema;
  return { $schema, title: 'Weir scenario', ...withoutSingleUses(decideUnions(rest)) };
};
