import { z } from 'zod';

export type ContractSchema<T> = z.ZodType<T>;
export type SchemaError = z.ZodError;

/** An element of the model list (interface 2.2). */
export const modelSchema = z.looseObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
});
export type Model = z.infer<typeof modelSchema>;

export const modelListSchema = z.looseObject({
  object: z.literal('list'),
  data: z.array(modelSchema),
});
