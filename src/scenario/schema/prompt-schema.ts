import { z } from 'zod';
import { maxTokenCount } from '../../model/workload/token-count.ts';
import { encodingNames } from '../../model/workload/tokenizer.ts';
import { contentPartsField } from './message-schema.ts';
import {
  listField,
  mapping,
  numberAdvice,
  numberBetweenField,
  ofKind,
  optionalField,
  orNull,
  positiveNumberField,
  textField,
  wholeNumberField,
  withDefault,
} from './fields.ts';

/**
 * This file contains the schema of prompts and texts, which are generated or read from files, and the schema of token
 * counts, which are fixed or random.
 */

const tokens = wholeNumberField(1, maxTokenCount);

const bounds = {
  min: withDefault(tokens, 1).describe('A smaller value is drawn again.'),
  max: withDefault(tokens, 1_000_000).describe('A larger value is drawn again.'),
};

const distributions = [
  ofKind('uniform', 'Every whole number between two, equally likely.', {
    min: tokens.describe('The smallest value.'),
    max: tokens.describe('The largest value.'),
  }),
  ofKind('normal', 'The bell curve.', {
    mean: positiveNumberField(maxTokenCount).describe('The mean.'),
    deviation: numberBetweenField(0, maxTokenCount).describe('The standard deviation.'),
    ...bounds,
  }),
  ofKind('lognormal', 'Many short ones and a long tail, as in real traffic.', {
    median: positiveNumberField(maxTokenCount).describe('Half are shorter.'),
    sigma: numberBetweenField(0, 10).describe(
      'The standard deviation of the logarithm: 84 % are shorter than e^sigma medians.',
    ),
    ...bounds,
  }),
  ofKind('empirical', 'One of the listed values.', {
    values: listField(tokens, 'a list of whole numbers', 'value')
      .max(100_000, 'expected at most 100,000 values')
      .describe('The values.'),
    weights: optionalField(
      listField(positiveNumberField(1_000_000), 'a list of numbers above 0', 'weight'),
    ).describe('How often each value comes, relative to the others. Default: equally often.'),
  }),
] as const;

const countError =
  'expected a whole number from 1 to 10,000,000, or a distribution such as {kind: lognormal, median: 800, sigma: 0.6}';

/**
 * The schema of a number of tokens: one number for all requests, or a distribution from which a number is drawn for
 * each request.
 */
export const tokenCountField = z
  .union([tokens, z.discriminatedUnion('kind', distributions)], {
    error: ({ input }) => `${countError}${numberAdvice(input)}`,
  })
  .superRefine((count, context) => {
    if (typeof count === 'number') return;
    if ('min' in count && count.min > count.max) {
      const message = `expected at most "max" (${count.max})`;
      context.addIssue({ code: 'custom', path: ['min'], message });
    }
    if (count.kind === 'empirical' && count.weights !== undefined) {
      const { values, weights } = count;
      const message = `expected as many weights as values (${values.length}); there are ${weights.length}`;
      if (weights.length !== values.length) {
        context.addIssue({ code: 'custom', path: ['weights'], message });
      }
    }
  });

const prefix = mapping('a mapping such as {tokens: 1000, pool: 5}', {
  tokens: tokens.describe('How long each prefix is.'),
  pool: withDefault(wholeNumberField(1, 1_000_000), 1).describe(
    'How many prefixes there are; each request draws one of them.',
  ),
});

const turns = mapping('a mapping such as {count: 4, answer: 150}', {
  count: wholeNumberField(2, 1000).describe('How many questions each conversation has.'),
  answer: tokenCountField.describe(
    'The tokens of each answer in the history, a number or a distribution.',
  ),
});

const tokenizer = z
  .string('expected the path of a tokenizer.json, or an encoding such as o200k_base')
  .superRefine((name, context) => {
    if (name.endsWith('.json') || (encodingNames as readonly string[]).includes(name)) return;
    const message = `expected a path that ends in .json, or one of ${encodingNames.join(', ')}`;
    context.addIssue({ code: 'custom', message });
  });

const promptExample = 'text, or a mapping such as {tokens: 500} or {file: prompts.jsonl}';

const promptSource = mapping(promptExample, {
  tokens: optionalField(tokenCountField).describe(
    'The exact number of tokens of generated prompts, or a distribution: {kind: uniform, min, max}, {kind: normal, mean, deviation}, {kind: lognormal, median, sigma} or {kind: empirical, values, weights}.',
  ),
  prefix: orNull(prefix).describe(
    'What generated prompts begin with; it counts toward their tokens. Default: nothing.',
  ),
  turns: orNull(turns).describe(
    'Conversations of several generated questions of that length: each request sends its user’s next question after the earlier questions and generated answers. Default: each request is a separate conversation.',
  ),
  cache: optionalField(z.enum(['avoid', 'invite'])).describe(
    'Generated prompts: with "avoid" they all differ after their prefix, with "invite" they all begin with the same text. Default: avoid.',
  ),
  tokenizer: optionalField(tokenizer).describe(
    'Generated prompts: the tokenizer that counts the tokens: the path of a tokenizer.json, relative to the scenario’s folder, or an OpenAI encoding such as o200k_base. Default: exact for all OpenAI encodings from r50k to o200k.',
  ),
  calibration: optionalField(numberBetweenField(0.1, 10)).describe(
    'Generated prompts: how many tokens the server counts for each generated token, from an earlier report; prompts become that much shorter or longer. Default: 1.',
  ),
  file: optionalField(textField()).describe(
    'A file of prompts, relative to the scenario’s folder; each request draws one of them: .jsonl (prompt or messages, max_tokens, body, headers), .csv (the same as columns) or ShareGPT’s .json.',
  ),
});

/** The schema of the prompt: one text for all requests, or a source that provides a prompt for each request. */
export const promptField = z.union(
  [textField(), contentPartsField, promptSource],
  `expected ${promptExample}, or a list of content parts`,
);
export type ScenarioPrompt = z.output<typeof promptField>;

const spokenExample = 'text, or a mapping such as {file: chapter.txt}';
const spokenFile = mapping(spokenExample, {
  file: textField().describe('A file of plain text, relative to the scenario’s folder.'),
});

export const speechTextField = z.union([textField(), spokenFile], `expected ${spokenExample}`);

export const splitSchema = mapping('a mapping such as {characters: 4000}', {
  characters: wholeNumberField(1, 1_000_000).describe(
    'The maximum number of characters of a piece.',
  ),
});
