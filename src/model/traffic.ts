import { z } from 'zod';

/**
 * The closed set of traffic kinds. A kind is one row in each table that is keyed by it
 * (`satisfies Record<TrafficKind, …>`), so the compiler names every place a new kind must fill.
 */
export const trafficKinds = ['chat', 'chat-stream', 'models'] as const;
export type TrafficKind = (typeof trafficKinds)[number];

/** One message of a chat request (interface 2.3). */
export const messageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});
export type Message = z.infer<typeof messageSchema>;

const share = {
  /** The share of the arrivals that this entry gets, relative to the other entries' weights. */
  weight: z.number().positive(),
};

const chatFields = {
  ...share,
  model: z.string().min(1),
  /** Each request sends one of these, drawn evenly by (seed, stage, index). */
  conversations: z.array(z.array(messageSchema).min(1)).min(1),
  maxTokens: z.int().positive().nullable(),
  /** Further fields of the request body, sent as they stand. */
  body: z.record(z.string(), z.json()),
};

/**
 * What one entry of a plan's traffic mix asks for: the kind, its weight and its own fields. The
 * scenario compiles into it, `traffic/` prepares requests from it.
 */
export const trafficSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('chat'), ...chatFields }),
  z.strictObject({ kind: z.literal('chat-stream'), ...chatFields }),
  z.strictObject({ kind: z.literal('models'), ...share }),
]);
export type Traffic = z.infer<typeof trafficSchema>;
export type TrafficOf<K extends TrafficKind> = Extract<Traffic, { kind: K }>;

/** The model an entry asks for; `null` for kinds that name none. */
export const modelOf = (traffic: Traffic): string | null =>
  'model' in traffic ? traffic.model : null;
