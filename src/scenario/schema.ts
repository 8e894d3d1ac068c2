import { z } from 'zod';
import { interfaceLimits } from '../model/interface-limits.ts';
import { limiterClassNames } from '../model/limit-log.ts';
import { byteSize, length, lengthOrNone, money, share, text, whole, wholeOrNone } from './field.ts';
import { mockSchema } from './mock-schema.ts';
import { loadSchema } from './load-schema.ts';
import { paceSchema } from './pace-schema.ts';
import { retrySchema } from './retry-schema.ts';
import { bodyFields, prices, trafficEntrySchema } from './traffic-schema.ts';
import { objectives, perRequest } from './objective-schema.ts';
import { canary, target, transport, wire, workers } from './wire-schema.ts';

/** The scenario file, YAML or JSON. Strict: an unknown key is a mistake, never ignored. */

const key = z.strictObject(
  {
    name: text()
      .max(100, { error: 'expected a name of at most 100 characters' })
      .describe('What reports call this key.'),
    key: text().describe(
      'Where the key is: ${env:NAME} for an environment variable, ${secret:PATH} for a file. Never the key itself.',
    ),
    weight: share().describe('The share of the requests that use this key. Default: 1.'),
  },
  { error: 'expected a mapping with "name" and "key"' },
);

const keys = z
  .union(
    [
      text(),
      z
        .array(key, { error: 'expected a list of keys, each with "name" and "key"' })
        .min(1, { error: 'expected at least one key' }),
    ],
    {
      error: 'expected ${env:NAME}, ${secret:PATH}, or a list of keys, each with "name" and "key"',
    },
  )
  .optional();

const traffic = z
  .array(trafficEntrySchema, { error: 'expected a list of traffic entries, each with a "kind"' })
  .min(1, { error: 'expected at least one traffic entry' })
  .max(1000, { error: 'expected at most 1,000 traffic entries' });

const stage = z.strictObject(
  {
    name: text()
      .max(100, { error: 'expected a name of at most 100 characters' })
      .describe('What reports call this stage.'),
    load: loadSchema.describe('How and when requests come in this stage.'),
    traffic: traffic.optional().describe('This stage’s own traffic. Default: the scenario’s.'),
  },
  { error: 'expected a mapping with "name" and "load"' },
);

const declaredLimits = z.strictObject({
  requestsPerMinute: wholeOrNone(1_000_000_000)
    .prefault(interfaceLimits.requestsPerMinute)
    .describe('Requests per minute and key, or none. Default: 60.'),
  tokensPerMinute: wholeOrNone(1_000_000_000_000)
    .prefault(interfaceLimits.tokensPerMinute)
    .describe('Tokens per minute and key, or none. Default: 2000000.'),
  class: z
    .enum(['any', ...limiterClassNames])
    .optional()
    .describe(
      'Which class of limiter is permitted, or any: the run is then judged by its limits, and ends with exit 14 if they are violated. Default: the report tells what was seen, without a verdict.',
    ),
});

/** Limits, or the word for a gateway that has none. */
const limits = z
  .union([
    declaredLimits,
    z.literal('none').transform((): z.output<typeof declaredLimits> => ({
      requestsPerMinute: null,
      tokensPerMinute: null,
    })),
  ])
  .prefault({});

const deadlines = z.strictObject({
  connect: lengthOrNone()
    .prefault('10s')
    .describe('The longest wait for a connection, or none. Default: 10s.'),
  firstToken: lengthOrNone()
    .prefault('60s')
    .describe(
      'The longest wait from sending to the first token, or to the first byte of any other answer; or none. Default: 60s.',
    ),
  idle: lengthOrNone()
    .prefault('60s')
    .describe('The longest silence within an answer, or none. Default: 60s.'),
  total: lengthOrNone()
    .prefault('10m')
    .describe(
      'The longest that one request may take from when it was due, all attempts and waits included; or none. Default: 10m.',
    ),
});

const caps = z.strictObject({
  bytes: byteSize()
    .prefault('64 MiB')
    .describe(
      'The largest answer; a larger one is cut off and counted as broken. Default: 64 MiB.',
    ),
  events: whole(1, 100_000_000)
    .prefault(500_000)
    .describe('The most events in one stream. Default: 500000.'),
});

const budget = z.strictObject(
  {
    requests: whole(1, 1_000_000_000)
      .optional()
      .describe('The most requests, further attempts included. Default: any number.'),
    tokens: whole(1, 1_000_000_000_000)
      .optional()
      .describe('The most tokens, of prompts and answers together. Default: any number.'),
    cost: money()
      .refine((micros) => micros > 0, { error: 'expected an amount above 0' })
      .optional()
      .describe('The most money, in units of the currency, such as 2.50. Default: any amount.'),
  },
  { error: 'expected a mapping such as {requests: 1000, cost: 2.50}' },
);

const headers = z.record(z.string(), z.string({ error: 'expected text; put quotes around it' }), {
  error: 'expected a mapping of header names to text',
});

export const scenarioSchema = z
  .strictObject({
    $schema: z.string().optional().describe('The address of this schema, for editors.'),
    name: text()
      .max(200, { error: 'expected a name of at most 200 characters' })
      .optional()
      .describe('What reports call this run. Default: the file’s name.'),
    description: text().optional().describe('What the run is for; printed in reports.'),
    target: target
      .prefault('mock')
      .describe(
        'What to measure: the base address of a gateway (ending in /v1), or "mock" for the bundled reference gateway, or "container" for the same in a container. Default: mock.',
      ),
    keys: keys.describe(
      'The keys to spend: ${env:NAME}, ${secret:PATH}, or a list of {name, key, weight}. Default: ${env:WEIR_API_KEY}.',
    ),
    headers: headers
      .prefault({})
      .describe('Extra request headers. Values may hold ${env:NAME} and ${secret:PATH}.'),
    body: bodyFields
      .prefault({})
      .describe('Extra fields for the body of every chat request, for example top_k: 5.'),
    traffic: traffic.optional().describe('What the requests ask for: a weighted mix.'),
    prices: prices
      .prefault({})
      .describe(
        'What chat costs, by model: units of the currency for a million input and output tokens, for example {NAME: {input: 0.15, output: 0.60}}. Default: unknown.',
      ),
    load: loadSchema.optional().describe('How and when requests come. Either this or "stages".'),
    stages: z
      .array(stage, { error: 'expected a list of stages, each with "name" and "load"' })
      .min(1, { error: 'expected at least one stage' })
      .max(1000, { error: 'expected at most 1,000 stages' })
      .optional()
      .describe('Several loads, one after another without a gap, each with figures of its own.'),
    warmUp: length()
      .prefault('0s')
      .describe('Requests due before this are sent, but left out of the figures. Default: 0s.'),
    grace: length()
      .prefault('30s')
      .describe('How long unfinished requests may go on after the last arrival. Default: 30s.'),
    inFlight: whole(1, 1_000_000)
      .prefault(10_000)
      .describe(
        'The most requests under way, waiting ones included; what comes above it is dropped. Default: 10000.',
      ),
    deadlines: deadlines.prefault({}).describe('When a request is given up.'),
    caps: caps.prefault({}).describe('What one answer may at most be.'),
    objectives: objectives
      .prefault([])
      .describe(
        'What the run is held to: a list of texts such as "ttft.p95{stage=peak} < 800ms" or "errorRate < 1%", or mappings with "objective", "minSamples", "severity" and "abort". Default: nothing.',
      ),
    perRequest: perRequest
      .prefault([])
      .describe(
        'What each request is held to, for example ["ttft < 500ms", "e2e < 5s"]; "goodput" is the share of all arrivals that keep all of these. Default: nothing.',
      ),
    limits: limits.describe('The limits that the gateway declares for each key, or none.'),
    retry: retrySchema
      .optional()
      .describe(
        'Whether and when a request that failed is tried again. Default: never, a failure is an outcome.',
      ),
    pace: paceSchema
      .optional()
      .describe(
        'Whether requests wait so that no key ever uses more than its limits. Default: never, requests go when they are due.',
      ),
    budget: budget
      .optional()
      .describe(
        'What a run may spend at most: it is refused where it may need more, and ended where it would spend more. Default: what it needs.',
      ),
    streams: z
      .enum(['lenient', 'strict'])
      .default('lenient')
      .describe(
        'Whether a stream without [DONE] counts as complete when every choice has a finish reason: "lenient" says yes, "strict" says it is malformed. Default: lenient.',
      ),
    seed: whole(0, Number.MAX_SAFE_INTEGER)
      .prefault(1)
      .describe('Where all chance comes from: the same seed sends the same requests. Default: 1.'),
    wire: wire.prefault({}).describe('How connections are made.'),
    transport,
    workers,
    canary,
    mock: mockSchema
      .prefault({})
      .describe('The bundled reference gateway; ignored with a real target.'),
  })
  .describe('A load test of an OpenAI-compatible gateway.');
/** A scenario with its quantities read and its defaults filled in. */
export type Scenario = z.output<typeof scenarioSchema>;

/** What is no text may also come from the environment; the schema for editors has to say so. */
const fromEnvironment = String.raw`^\$\{env:[^}]+\}$`;

/** The JSON Schema of scenario files (draft 7, which editors know best). */
export const scenarioJsonSchema = (): Record<string, unknown> => {
  const schema = z.toJSONSchema(scenarioSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      if (!['integer', 'number', 'boolean'].includes(String(jsonSchema.type))) return;
      (jsonSchema as { type: unknown }).type = [jsonSchema.type, 'string'];
      jsonSchema.pattern = fromEnvironment;
    },
  });
  const { $schema, ...rest } = schema;
  return { $schema, title: 'Weir scenario', ...rest };
};
