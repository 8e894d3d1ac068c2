import { z } from 'zod';
import { contentPartSchema } from './content-parts.ts';

/**
 * This file describes chat completions: the request with all ranges of its fields (interface, section 4.1), the
 * response (2.4), and the chunk of a stream (2.5).
 */

const toolDefinition = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: z.looseObject({ type: z.literal('object') }).optional(),
    /** Whether the arguments of a tool call must match the parameters. This field is not in the interface. */
    strict: z.boolean().nullish(),
  }),
});

/**
 * A message. The interface (section 2.3) does not define how clients send back tool calls and the results of tools, so
 * this schema follows the OpenAI API.
 */
const messageSchema = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: z
      .union(
        [z.string(), z.array(contentPartSchema).min(1)],
        'expected a string or a list of content parts',
      )
      .nullish(),
    tool_calls: z.array(z.unknown()).nullish(),
  })
  .superRefine(({ role, content, tool_calls: calls }, context) => {
    const hasContent = content !== null && content !== undefined;
    if (hasContent || (role === 'assistant' && calls?.length)) return;
    const message = 'expected a string or a list of content parts';
    context.addIssue({ code: 'custom', path: ['content'], message, input: content });
  });

export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  max_tokens: z.int().positive().nullish(),
  /** The newer name of `max_tokens` in the OpenAI API. The interface does not have this name. */
  max_completion_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  /** The format of the response. The interface has `json_object`. A JSON Schema is written as in the OpenAI API. */
  response_format: z
    .discriminatedUnion(
      'type',
      [
        z.looseObject({ type: z.literal('text') }),
        z.looseObject({ type: z.literal('json_object') }),
        z.looseObject({
          type: z.literal('json_schema'),
          json_schema: z.looseObject({
            name: z.string().min(1),
            schema: z.record(z.string(), z.unknown()),
            strict: z.boolean().nullish(),
          }),
        }),
      ],
      'expected a mapping with type "text", "json_object" or "json_schema"',
    )
    .nullish(),
  /** The number of choices. `n`, `logprobs` and `top_logprobs` are in the OpenAI API but not in the interface. */
  n: z.int().min(1).max(128).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(toolDefinition).nullish(),
  /**
   * Whether the model may or must call a tool, and which tool, as in the OpenAI API. This field is not in the
   * interface.
   */
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({ name: z.string() }),
      }),
    ])
    .nullish(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

export const usageSchema = z.looseObject({
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  total_tokens: z.int().nonnegative().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** The content of an answer: a text, or a list of parts from some servers of reasoning models. */
export const answerContent = z.union([z.string(), z.array(z.unknown())]).nullish();

/** The parts of a completion that every server must send. Weir reads the other parts if possible. */
export const servedChatSchema = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: answerContent }) })).min(1),
});

/** The parts of a stream event that every server must send. */
export const servedChunkSchema = z.looseObject({
  choices: z
    .array(z.looseObject({ delta: z.looseObject({ content: answerContent }).nullish() }))
    .nullish(),
});

export const streamEnd = '[DONE]';
