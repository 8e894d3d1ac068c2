import { z } from 'zod';
import { mapping, optionalField, textField, wholeNumberField } from './fields.ts';

/** This file contains the schema of what an entry expects of its answers. */

const flag = () => z.boolean('expected true or false');

export const expectMeaning =
  'What the text of each answer must be like; one that is not counts as malformed. Default: anything.';

export const expectField = mapping('a mapping such as {json: true} or {matches: "^yes"}', {
  json: optionalField(flag()).describe('Whether the text must be JSON.'),
  schema: optionalField(
    z.union(
      [flag(), z.record(z.string(), z.json())],
      'expected a JSON Schema, for example {type: object, required: [name]}',
    ),
  ).describe('A JSON Schema that the text must obey, of 2020-12, or of draft 7 if it says so.'),
  toolArguments: optionalField(flag()).describe(
    'Whether the arguments of each tool call must be JSON; an answer without a call passes.',
  ),
  matches: optionalField(textField()).describe(
    'A regular expression (of JavaScript, with the flag u) that must match somewhere in the text.',
  ),
  minLength: optionalField(wholeNumberField(0, 10_000_000)).describe(
    'The fewest characters of the text.',
  ),
});
