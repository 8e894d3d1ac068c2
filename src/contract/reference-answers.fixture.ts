import { z } from 'zod';
import { answerContent, usageSchema } from './chat.ts';
import { modelSchema } from './models.ts';

/**
 * This file describes the answers of the reference gateway for its tests. Answers of other servers are read as far as
 * possible.
 */

/** The response, with the fields that clients rely on. */
export const chatResponseSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({ content: answerContent }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: usageSchema.nullish(),
});

/** One event of a stream. Real servers leave out any of the fields, or send null or empty values. */
export const chatChunkSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        index: z.int().optional(),
        delta: z
          .looseObject({
            content: answerContent,
            reasoning: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            refusal: z.string().nullish(),
            /** The tool calls. Text Generation Inference sends a single call without a list. */
            tool_calls: z.union([z.array(z.unknown()), z.looseObject({})]).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: usageSchema.nullish(),
  error: z.unknown().optional(),
});

export const modelListSchema = z.looseObject({
  object: z.literal('list'),
  data: z.array(modelSchema),
});
