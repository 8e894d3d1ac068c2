import { z } from 'zod';
import { between, share, text, whole } from './field.ts';

/** The traffic of a scenario: what the requests ask for. */

const weight = () =>
  share().describe('The share of the requests, relative to the other entries. Default: 1.');

const message = z.strictObject(
  {
    role: z
      .enum(['system', 'user', 'assistant'])
      .describe('Who speaks: "system", "user" or "assistant".'),
    content: z.string({ error: 'expected text' }).describe('What is said.'),
  },
  { error: 'expected a message such as {role: user, content: Hello}' },
);

const conversation = () =>
  z
    .array(message, { error: 'expected a list of messages, each with "role" and "content"' })
    .min(1, { error: 'expected at least one message' });

/** Fields of a request body, sent as they stand. */
export const bodyFields = z.record(z.string(), z.json(), {
  error: 'expected a mapping of request fields, for example top_k: 5',
});

const chatFields = {
  weight: weight(),
  model: z
    .string({ error: 'expected the name of a model' })
    .min(1, { error: 'expected the name of a model' })
    .describe('The model to ask, as the gateway lists it.'),
  prompt: text().optional().describe('One prompt for all requests.'),
  prompts: z
    .array(text(), { error: 'expected a list of prompts' })
    .min(1, { error: 'expected at least one prompt' })
    .optional()
    .describe('Several prompts; each request draws one.'),
  messages: conversation().optional().describe('One whole conversation for all requests.'),
  conversations: z
    .array(conversation(), { error: 'expected a list of conversations' })
    .min(1, { error: 'expected at least one conversation' })
    .optional()
    .describe('Several whole conversations; each request draws one.'),
  system: text().optional().describe('A system message before every conversation of this entry.'),
  maxTokens: whole(1, 10_000_000)
    .optional()
    .describe('The most tokens to generate (max_tokens). Default: what the model allows.'),
  temperature: between(0, 2)
    .optional()
    .describe('The sampling temperature. Default: the gateway’s own.'),
  topP: between(0, 1).optional().describe('Nucleus sampling (top_p). Default: the gateway’s own.'),
  body: bodyFields
    .optional()
    .describe('Further fields of the request body, sent as they stand, for example top_k: 5.'),
};

const chatEntry = z
  .strictObject({ kind: z.literal('chat').describe('Chat, answered as a whole.'), ...chatFields })
  .describe('Chat completions, answered as a whole.');

const chatStreamEntry = z
  .strictObject({
    kind: z.literal('chat-stream').describe('Chat, answered as a stream.'),
    ...chatFields,
  })
  .describe('Chat completions, answered as a stream of events.');

const modelsEntry = z
  .strictObject({ kind: z.literal('models').describe('The model list.'), weight: weight() })
  .describe('Requests for the list of models.');

export const trafficEntrySchema = z.discriminatedUnion(
  'kind',
  [chatEntry, chatStreamEntry, modelsEntry],
  {
    error: ({ code }: { readonly code?: string }) =>
      code === 'invalid_type'
        ? 'expected a mapping with a "kind", for example {kind: chat, model: NAME}'
        : undefined,
  },
);
/** An entry of the traffic as the scenario gives it. */
export type ScenarioTraffic = z.output<typeof trafficEntrySchema>;
