import {
  answerNoteNames,
  droppedCauses,
  malformedIssues,
  tokenSources,
  namedLimits,
  refusalForms,
} from './outcome.ts';
import { z } from 'zod';
import { brokenCauses } from './exchange.ts';
import { type Observation } from './observation.ts';
import { gaveUpNames, waitSources } from './attempt.ts';
import { instantSchema, millisecondsSchema } from '../quantity.ts';
import { trafficKinds } from '../workload/traffic.ts';

/**
 * The lines of an observations file, `observations/1`: one header, then one observation per line
 * with every instant in ms since the run began. There is no field for a prompt or an answer's text;
 * what a server said of a failure is kept, secrets masked.
 */
export const observationsHeaderSchema = z.strictObject({
  format: z.literal('observations/1'),
  /** The version of Weir that wrote it. */
  weir: z.string(),
  planHash: z.string(),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  /** Instant 0 on the machine's monotonic clock, in ms: what joins these instants with those of other processes of that machine. */
  machineZero: z.number(),
});
export type ObservationsHeader = z.infer<typeof observationsHeaderSchema>;

const count = z.int().nonnegative();
const moment = instantSchema.nullable();
const instants = z.array(z.number()).transform((list) => Float64Array.from(list));

const tokensSchema = z.strictObject({
  input: count.nullable(),
  output: count,
  asked: count.exactOptional(),
  source: z.enum(tokenSources),
});

const notes = z.array(z.enum(answerNoteNames));
const pricedFields = { notes, cost: count.nullable() };

const answerSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('chat'),
    firstByte: instantSchema,
    tokens: tokensSchema,
    finish: z.string().nullable(),
    ...pricedFields,
  }),
  z.strictObject({
    kind: z.literal('chat-stream'),
    firstByte: instantSchema,
    firstEvent: moment,
    firstToken: moment,
    firstVisible: moment,
    lastToken: moment,
    tokenInstants: instants,
    commentInstants: instants,
    coalesced: count,
    tokens: tokensSchema,
    firstChunkTokens: count.nullable(),
    finish: z.string().nullable(),
    buffered: z.boolean(),
    ...pricedFields,
  }),
  z.strictObject({
    kind: z.literal('speech'),
    firstByte: instantSchema,
    firstAudio: instantSchema,
    bytes: count,
    audioSeconds: z.number().nonnegative(),
    characters: count,
    ...pricedFields,
  }),
  z.strictObject({
    kind: z.literal('transcription'),
    firstByte: instantSchema,
    audioSeconds: z.number().nonnegative().nullable(),
    words: z.strictObject({ wrong: count, expected: count }).nullable(),
    ...pricedFields,
  }),
  z.strictObject({ kind: z.literal('models'), firstByte: instantSchema, models: count, notes }),
]);

const refusalSchema = z.strictObject({
  status: z.int(),
  form: z.enum(refusalForms),
  type: z.string().nullable(),
  code: z.string().nullable(),
  message: z.string(),
});

const limitedSchema = z.strictObject({
  kind: z.literal('limited'),
  refusal: refusalSchema,
  unit: z.enum(namedLimits).nullable(),
  retryAfter: millisecondsSchema.nullable(),
  resetIn: millisecondsSchema.nullable(),
});
const refusedSchema = z.strictObject({ kind: z.literal('refused'), refusal: refusalSchema });
const brokenSchema = z.strictObject({
  kind: z.literal('broken'),
  cause: z.enum(brokenCauses),
  detail: z.string(),
  partial: answerSchema.nullable(),
});

const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('completed'), answer: answerSchema }),
  limitedSchema,
  refusedSchema,
  z.strictObject({
    kind: z.literal('malformed'),
    issue: z.enum(malformedIssues),
    detail: z.string(),
    partial: answerSchema.nullable(),
  }),
  brokenSchema,
  z.strictObject({ kind: z.literal('dropped'), cause: z.enum(droppedCauses) }),
]);

const limit = z.number().nullable();
const headSchema = z.strictObject({
  at: instantSchema,
  status: z.int(),
  quota: z
    .strictObject({
      limitRequests: limit,
      remainingRequests: limit,
      limitTokens: limit,
      remainingTokens: limit,
    })
    .nullable(),
  serverId: z.string().nullable(),
});

const attemptFields = {
  key: z.string(),
  released: instantSchema,
  reserved: count.nullable(),
  begun: instantSchema,
  connected: moment,
  connection: z.enum(['new', 'reused']).nullable(),
  sent: moment,
  head: headSchema.nullable(),
  ended: instantSchema,
};

const attemptSchema = z.strictObject({
  ...attemptFields,
  outcome: z.discriminatedUnion('kind', [limitedSchema, refusedSchema, brokenSchema]),
  wait: millisecondsSchema,
  waitBy: z.enum(waitSources),
});

export const observationSchema = z.strictObject({
  requestId: z.string(),
  stage: count,
  index: count,
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  entry: z.string().optional(),
  due: instantSchema,
  ...attemptFields,
  earlier: z.array(attemptSchema),
  gaveUp: z.enum(gaveUpNames).nullable(),
  outcome: outcomeSchema,
}) satisfies z.ZodType<Observation>;
