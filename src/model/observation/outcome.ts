import { z } from 'zod';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';
import { brokenCauses } from './exchange.ts';

/**
 * Where the token counts of an answer come from, the preferred source first. A statistic that mixes sources says so.
 */
export const tokenSources = ['usage', 'events', 'characters'] as const;
export type TokenSource = (typeof tokenSources)[number];

const count = z.int().nonnegative();
const moment = instantSchema.nullable();
const instants = z.array(z.number()).transform((list): Float64Array => Float64Array.from(list));

/**
 * The token counts of an answer. `input` counts all tokens of the prompt and `output` all tokens of the answer, even if
 * the server counts a class of tokens, such as cached tokens, separately. A class without tokens is absent.
 */
const tokenCountsSchema = z.strictObject({
  input: count.nullable(),
  output: count,
  /** The number of input tokens that a synthetic prompt should have; absent for any other prompt. */
  asked: count.exactOptional(),
  /**
   * How many tokens at the beginning of the prompt are repeated: an earlier request of the same slice began with them,
   * too, so a cache can contain them. 0 if nothing is repeated; absent if the prompt is too short or its beginnings are
   * unknown.
   */
  repeated: count.exactOptional(),
  /** The input tokens from a cache. 0 if the server reports 0; absent if the server reports no cached tokens. */
  cached: count.exactOptional(),
  /** The input tokens that were written to a cache. */
  cacheWrite: count.exactOptional(),
  /** The input tokens of recordings. Tokens from a cache do not count. */
  audioInput: count.exactOptional(),
  /** The output tokens of the model's reasoning. */
  reasoning: count.exactOptional(),
  audioOutput: count.exactOptional(),
  /** The answer's text can have at most this many output tokens; absent if the text is unknown, and in old files. */
  most: count.exactOptional(),
  /** How many input tokens the first answer to the same prompt reported; absent in the first answer itself. */
  before: count.exactOptional(),
  source: z.enum(tokenSources),
});
export type TokenCounts = z.infer<typeof tokenCountsSchema>;

/** How an answer may deviate from the API and still be accepted, with the texts for reports. */
export const answerNotes = {
  'content-type': 'The stream was not labelled text/event-stream.',
  'no-done': 'The stream ended without [DONE].',
  'no-finish': 'A choice ended without a finish reason.',
  'finish-unknown':
    'An answer ended with a finish reason that Weir does not know; it counts as completed.',
  'no-content': 'An answer ended without any text or call; it counts as completed.',
  'stray-line': 'A line of the stream was no field of an event stream, and was not read.',
  'cut-after-done': 'The connection broke after [DONE], before the stream’s proper end.',
  'data-after-done': 'Data followed [DONE]; only a usage and an error in it are read.',
  'empty-event': 'An event of the stream had no data.',
  'other-event': 'An event of the stream was JSON, but not a chunk of a completion.',
  'unfinished-event': 'The stream ended within an event, which was not read.',
  'usage-unreadable':
    'A count of the usage was absent, unreadable or implausible, and was not counted.',
  'usage-zero':
    'The usage named no output tokens although some came; they were counted by events, or estimated from characters.',
  'usage-total': 'The total of the usage is not the sum of its parts; the parts were counted.',
  unlabelled: 'The content type did not name the format of the body.',
  mislabelled: 'The content type named another format than that of the body.',
  junk: 'The audio file had bytes outside its structure, which players skip.',
  wrapped: 'Text or captions were requested, and they came wrapped in JSON.',
  'no-segments': 'verbose_json with segments was requested, and the transcript had none.',
  'no-words': 'verbose_json with single words was requested, and the transcript had none.',
} as const satisfies Record<string, string>;
export type AnswerNote = keyof typeof answerNotes;
export const answerNoteNames = Object.keys(answerNotes) as readonly AnswerNote[];

const notes = z.array(z.enum(answerNoteNames)).readonly();
/** The cost is in whole millionths of the currency; `null` if a price or a count is unknown. */
const pricedFields = { notes, cost: count.nullable() };

const chatAnswerSchema = z.strictObject({
  kind: z.literal('chat'),
  firstByte: instantSchema,
  tokens: tokenCountsSchema,
  finish: z.string().nullable(),
  ...pricedFields,
});
export type ChatAnswer = z.infer<typeof chatAnswerSchema>;

/**
 * The answer of a streamed chat. The instant of an event is the instant of the read that contained the event. An
 * instant is `null` if its event never came.
 */
const chatStreamAnswerSchema = z.strictObject({
  kind: z.literal('chat-stream'),
  firstByte: instantSchema,
  /** The instant of the first event that has `choices`. An event with only a role also counts. */
  firstEvent: moment,
  /** The instant of the first delta with content, reasoning, a tool call or a refusal. */
  firstToken: moment,
  /** The instant of the first delta that is not reasoning. */
  firstVisible: moment,
  lastToken: moment,
  tokenInstants: instants,
  /**
   * When comments such as `: ping` came; at most a thousand. They show that the connection to a slow model is not dead.
   */
  commentInstants: instants,
  /** How many token events arrived in the same read as an earlier token event. */
  coalesced: count,
  tokens: tokenCountsSchema,
  /** The number of tokens in the first token event; `null` if unknown. An unknown number is treated as 1. */
  firstChunkTokens: count.nullable(),
  finish: z.string().nullable(),
  /**
   * Whether nearly all tokens came in one burst at the end. Figures of gaps, TPOT and output speed leave out such a
   * stream.
   */
  buffered: z.boolean(),
  ...pricedFields,
});
export type ChatStreamAnswer = z.infer<typeof chatStreamAnswerSchema>;

const speechAnswerSchema = z.strictObject({
  kind: z.literal('speech'),
  firstByte: instantSchema,
  /** The instant of the first byte of audio after the container's header. */
  firstAudio: instantSchema,
  bytes: count,
  audioSeconds: z.number().nonnegative(),
  characters: count,
  ...pricedFields,
});
export type SpeechAnswer = z.infer<typeof speechAnswerSchema>;

const transcriptionAnswerSchema = z.strictObject({
  kind: z.literal('transcription'),
  firstByte: instantSchema,
  /** The length of the uploaded clip in seconds; `null` if the clip's container does not declare the length. */
  audioSeconds: z.number().nonnegative().nullable(),
  /**
   * How many words are wrong (inserted, deleted or replaced), and how many words the correct text has; `null` if the
   * correct text is unknown.
   */
  words: z.strictObject({ wrong: count, expected: count }).nullable(),
  ...pricedFields,
});
export type TranscriptionAnswer = z.infer<typeof transcriptionAnswerSchema>;

const answerSchema = z.discriminatedUnion('kind', [
  chatAnswerSchema,
  chatStreamAnswerSchema,
  speechAnswerSchema,
  transcriptionAnswerSchema,
  z.strictObject({ kind: z.literal('models'), firstByte: instantSchema, models: count, notes }),
]);
export type Answer = z.infer<typeof answerSchema>;

export const refusalForms = [
  'error',
  'none-429',
  'detail',
  'json',
  'text',
  'html',
  'empty',
] as const;

const refusalSchema = z.strictObject({
  status: z.int(),
  /**
   * The form of the refusal's body. `error`: the documented error object. `none-429`: the same object with the type
   * `None` and the code 429. `detail`: an object `{detail}`. `json`: any other JSON.
   */
  form: z.enum(refusalForms),
  type: z.string().nullable(),
  code: z.string().nullable(),
  message: z.string(),
});
export type Refusal = z.infer<typeof refusalSchema>;

export const malformedIssues = [
  'content-type',
  'not-json',
  'shape',
  'stream-error',
  'stream-truncated',
  'stream-event',
  'empty',
  'not-as-expected',
  'audio-container',
  'audio-truncated',
] as const;
export type MalformedIssue = (typeof malformedIssues)[number];

/**
 * The reasons why an arrival was not sent. `saturated`: too many requests were in flight. The other two: the arrival
 * waited for the pace until its deadline (`patience`) or until the end of the run (`run-ended`).
 */
export const droppedCauses = ['saturated', 'patience', 'run-ended'] as const;
export type DroppedCause = (typeof droppedCauses)[number];

export const namedLimits = ['requests', 'tokens', 'in-flight'] as const;
export type NamedLimit = (typeof namedLimits)[number];

const limitedSchema = z.strictObject({
  kind: z.literal('limited'),
  refusal: refusalSchema,
  /** The limit that the text of the refusal names; `null` if the text names no limit. */
  unit: z.enum(namedLimits).nullable(),
  /**
   * How long the key must wait until it is admitted again, as `Retry-After` or a similar header says; `null` if no such
   * header is present or readable.
   */
  retryAfter: millisecondsSchema.nullable(),
  /**
   * How long the key must wait until it is admitted again: the reset time in the body minus the answer's `Date`. `null`
   * if unknown.
   */
  resetIn: millisecondsSchema.nullable(),
});
export type LimitedOutcome = z.infer<typeof limitedSchema>;

const refusedSchema = z.strictObject({ kind: z.literal('refused'), refusal: refusalSchema });
/**
 * The fields of a failure. `partial` describes the part of the answer that was received; `null` if no part came or the
 * traffic kind cannot describe a part.
 */
const failedFields = { detail: z.string(), partial: answerSchema.nullable() };
const brokenSchema = z.strictObject({
  kind: z.literal('broken'),
  cause: z.enum(brokenCauses),
  ...failedFields,
});

export const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('completed'), answer: answerSchema }),
  limitedSchema,
  refusedSchema,
  z.strictObject({
    kind: z.literal('malformed'),
    issue: z.enum(malformedIssues),
    ...failedFields,
  }),
  brokenSchema,
  z.strictObject({ kind: z.literal('dropped'), cause: z.enum(droppedCauses) }),
  /** The client hung up, as the scenario says. `bytes` is the length of the received body. */
  z.strictObject({
    kind: z.literal('cancelled'),
    bytes: count,
    partial: answerSchema.nullable(),
  }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/**
 * Returns the part of an answer that came before the answer failed; `null` if no part came, and for a complete answer.
 */
export const partialOf = (outcome: Outcome): Answer | null =>
  'partial' in outcome ? outcome.partial : null;

export const maxFinishLength = 60;

/** Returns the finish reason of a chat that completed or failed; `null` without a finish reason. */
export const finishOf = (outcome: Outcome): string | null => {
  const answer = outcome.kind === 'completed' ? outcome.answer : partialOf(outcome);
  return answer !== null && 'finish' in answer ? answer.finish : null;
};

/**
 * What Anthropic, Gemini, Bedrock, Cohere and Mistral write instead of the finish reason `length` of the OpenAI API
 * (`finish-reasons.ts`).
 */
const namesOfLength: ReadonlySet<string> = new Set(['max_tokens', 'model_length']);

/**
 * Returns a finish reason in the spelling of the OpenAI API. Other servers write `content-filter`, `ABORT`,
 * `toolCalls`, `finish_reason_stop`, `FinishReason.STOP` or `MAX_TOKENS`. An objective on `length` therefore also
 * counts the answers of servers that write `MAX_TOKENS`.
 */
export const plainFinish = (reason: string): string => {
  // A shortcut for nearly every answer.
  if (reason === 'stop' || reason === 'length') return reason;
  const plain = reason
    .trim()
    .replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_')
    .toLowerCase()
    .replace(/[\s.-]+/g, '_')
    .replace(/^finish_?reason_/, '');
  return namesOfLength.has(plain) ? 'length' : plain;
};

export const retriedOutcomeSchema = z.discriminatedUnion('kind', [
  limitedSchema,
  refusedSchema,
  brokenSchema,
]);

export const outcomeKinds = [
  'completed',
  'limited',
  'refused',
  'malformed',
  'broken',
  'dropped',
  'cancelled',
] as const satisfies readonly Outcome['kind'][];
export type OutcomeKind = (typeof outcomeKinds)[number];

const limit = z.number().nullable();
/**
 * The values of the four limit headers (interface, section 8). A value is `null` if its header is absent or unreadable.
 */
const quotaSchema = z.strictObject({
  limitRequests: limit,
  remainingRequests: limit,
  limitTokens: limit,
  remainingTokens: limit,
});

export const responseHeadSchema = z.strictObject({
  at: instantSchema,
  status: z.int(),
  quota: quotaSchema.nullable(),
  /** The server's own request id, as in the server's logs. */
  serverId: z.string().nullable(),
});
export type ResponseHead = z.infer<typeof responseHeadSchema>;
