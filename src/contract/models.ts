import { z } from 'zod';

export type ContractSchema<T> = z.ZodType<T>;
export type SchemaError = z.ZodError;

/** An entry of the list of models (interface, section 2.2). */
export const modelSchema = z.looseObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
});
export type Model = z.infer<typeof modelSchema>;

/**
 * A list of models as servers send it. LM Studio, DeepSeek and Gemini leave out `created`; OpenRouter leaves out
 * `object` and `owned_by`. Together AI sends a list without an object around the list. Servers written in Go send
 * `null` for an empty list.
 */
export const servedModelListSchema = z.preprocess(
  (body) => (Array.isArray(body) ? { data: body as unknown[] } : body),
  z.looseObject({
    data: z
      .array(z.looseObject({ id: z.string() }))
      .nullable()
      .transform((models) => models ?? []),
  }),
);
