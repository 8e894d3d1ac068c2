import { expect, it } from 'vitest';
import { speechRequestSchema, transcriptionFieldsSchema } from './audio.ts';

it.each([
  ['speech', speechRequestSchema, { model: 'm', input: 'i', voice: 'v' }],
  ['a transcription', transcriptionFieldsSchema, { model: 'm' }],
])('a request for %s has texts of one character or more in each field', (_, schema, shortest) => {
  expect(schema.safeParse(shortest).success).toBe(true);
  for (const name of Object.keys(shortest)) {
    expect(schema.safeParse({ ...shortest, [name]: '' }).success, name).toBe(false);
    expect(schema.safeParse({ ...shortest, [name]: 'a longer text' }).success, name).toBe(true);
  }
});
