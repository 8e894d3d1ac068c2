import { interfaceLimits } from '../../model/limits/run-limits.ts';
import { deadlines, caps, budget } from './bounds-schema.ts';
import { pricesSchema } from './price-schema.ts';
import { z } from 'zod';
import { limiterClassNames } from '../../model/limits/limit-log.ts';
import {
  durationField,
  weightField,
  textField,
  wholeNumberField,
  wholeNumberOrNoneField,
} from './fields.ts';
import { mockSchema } from './mock-schema.ts';
import { scenarioLoadSchema } from './load-schema.ts';
import { scenarioPaceSchema } from './pace-schema.ts';
import { scenarioRetrySchema } from './retry-schema.ts';
import { bodyFieldsSchema, trafficEntrySchema } from './traffic-schema.ts';
import { objectivesSchema, perRequestSchema } from './objective-schema.ts';
import {
  canarySchema,
  targetSchema,
  transportSchema,
  wireSchema,
  workersSchema,
} from './wire-schema.ts';

/** The scenario file, YAML or JSON. Strict: an unknown key is a mistake, never ignored. */

const key = z.strictObject(
  {
    name: textField()
      .max(100, { error: 'expected a name of at most 100 characters' })
      .describe('What reports call this key.'),
    key: textField().describe(
      'Where the key is: ${env:NAME} for an environment variable, ${secret:PATH} for a file. Never the key itself.',
    ),
    weight: weightField().describe('The share of the requests that use this key. Default: 1.'),
  },
  { error: 'expected a mapping with "name" and "key"' },
);

const keys = z
  .union(
    [
      textField(),
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
    name: textField()
      .max(100, { error: 'expected a name of at most 100 characters' })
      .describe('What reports call this stage.'),
    load: scenarioLoadSchema.describe('How and when requests come in this stage.'),
    traffic: traffic.optional().describe('This stage’s own traffic. Default: the scenario’s.'),
  },
  { error: 'expected a mapping with "name" and "load"' },
);

const declaredLimits = z.strictObject({
  requestsPerMinute: wholeNumberOrNoneField(1_000_000_000)
    .prefault(interfaceLimits.requestsPerMinute)
    .describe('Requests per minute and key, or none. Default: 60.'),
  tokensPerMinute: wholeNumberOrNoneField(1_000_000_000_000)
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

const headers = z.record(z.string(), z.string({ error: 'expected text; put quotes around it' }), {
  error: 'expected a mapping of header names to text',
});

export const scenarioSchema = z
  .strictObject({
    $schema: z.string().optional().describe('The address of this schema, for editors.'),
    name: textField()
      .max(200, { error: 'expected a name of at most 200 characters' })
      .optional()
      .describe('What reports call this run. Default: the file’s name.'),
    description: textField().optional().describe('What the run is for; printed in reports.'),
    target: targetSchema
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
    body: bodyFieldsSchema
      .prefault({})
      .describe('Extra fields for the body of every chat request, for example top_k: 5.'),
    traffic: traffic.optional().describe('What the requests ask for: a weighted mix.'),
    prices: pricesSchema
      .prefault({})
      .describe(
        'What chat costs, by model: units of the currency for a million input and output tokens, for example {NAME: {input: 0.15, output: 0.60}}. Default: unknown.',
      ),
    load: scenarioLoadSchema
      .optional()
      .describe('How and when requests come. Either this or "stages".'),
    stages: z
      .array(stage, { error: 'expected a list of stages, each with "name" and "load"' })
      .min(1, { error: 'expected at least one stage' })
      .max(1000, { error: 'expected at most 1,000 stages' })
      .optional()
      .describe('Several loads, one after another without a gap, each with figures of its own.'),
    warmUp: durationField()
      .prefault('0s')
      .describe('Requests due before this are sent, but left out of the figures. Default: 0s.'),
    grace: durationField()
      .prefault('30s')
      .describe('How long unfinished requests may go on after the last arrival. Default: 30s.'),
    inFlight: wholeNumberField(1, 1_000_000)
      .prefault(10_000)
      .describe(
        'The most requests under way, waiting ones included; what comes above it is dropped. Default: 10000.',
      ),
    deadlines: deadlines.prefault({}).describe('When a request is given up.'),
    caps: caps.prefault({}).describe('What one answer may at most be.'),
    objectives: objectivesSchema
      .prefault([])
      .describe(
        'What the run is held to: a list of texts such as "ttft.p95{stage=peak} < 800ms" or "errorRate < 1%", or mappings with "objective", "minSamples", "severity" and "abort". Default: nothing.',
      ),
    perRequest: perRequestSchema
      .prefault([])
      .describe(
        'What each request is held to, for example ["ttft < 500ms", "e2e < 5s"]; "goodput" is the share of all arrivals that keep all of these. Default: nothing.',
      ),
    limits: limits.describe('The limits that the gateway declares for each key, or none.'),
    retry: scenarioRetrySchema
      .optional()
      .describe(
        'Whether and when a request that failed is tried again. Default: never, a failure is an outcome.',
      ),
    pace: scenarioPaceSchema
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
    seed: wholeNumberField(0, Number.MAX_SAFE_INTEGER)
      .prefault(1)
      .describe('Where all chance comes from: the same seed sends the same requests. Default: 1.'),
    wire: wireSchema.prefault({}).describe('How connections are made.'),
    transport: transportSchema,
    workers: workersSchema,
    canary: canarySchema,
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
