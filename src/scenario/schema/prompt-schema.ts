import { z } from 'zod';
import { maxTokenCount } from '../../model/workload/token-count.ts';
import { encodingNames } from '../../model/workload/tokenizer.ts';
import { positiveNumberField, numberBetweenField, textField, wholeNumberField } from './fields.ts';

/** Prompts that do not stand in the scenario, and counts of tokens that are drawn. */

const tokens = () => wholeNumberField(1, maxTokenCount);

const bounds = {
  min: tokens().prefault(1).describe('Fewer are drawn again. Default: 1.'),
  max: tokens().prefault(1_000_000).describe('More are drawn again. Default: 1000000.'),
};

const distributions = [
  z.strictObject({
    kind: z.literal('uniform').describe('Every whole number between two, evenly.'),
    min: tokens().describe('The least.'),
    max: tokens().describe('The most.'),
  }),
  z.strictObject({
    kind: z.literal('normal').describe('The bell curve.'),
    mean: positiveNumberField(maxTokenCount).describe('The mean.'),
    deviation: numberBetweenField(0, maxTokenCount).describe('The standard deviation.'),
    ...bounds,
  }),
  z.strictObject({
    kind: z.literal('lognormal').describe('Many short ones and a long tail, as people write.'),
    median: positiveNumberField(maxTokenCount).describe('Half are shorter.'),
    sigma: numberBetweenField(0, 10).describe(
      'The standard deviation of the logarithm: 84 % are shorter than e^sigma medians.',
    ),
    ...bounds,
  }),
  z.strictObject({
    kind: z.literal('empirical').describe('One of the values that are listed.'),
    values: z
      .array(tokens(), { error: 'expected a list of whole numbers' })
      .min(1, { error: 'expected at least one value' })
      .max(100_000, { error: 'expected at most 100,000 values' })
      .describe('The values.'),
    weights: z
      .array(positiveNumberField(1_000_000), { error: 'expected a list of numbers above 0' })
      .min(1, { error: 'expected at least one weight' })
      .optional()
      .describe('How often each value comes, relative to the others. Default: evenly.'),
  }),
] as const;

const countError =
  'expected a whole number from 1 to 10,000,000, or a distribution such as {kind: lognormal, median: 800, sigma: 0.6}';

/** A number of tokens, or the distribution that each request draws it from. */
export const tokenCountField = () =>
  z
    .union([tokens(), z.discriminatedUnion('kind', distributions)], { error: countError })
    .superRefine((count, context) => {
      if (typeof count === 'number') return;
      if ('min' in count && count.min > count.max) {
        const message = `expected at most the "max" of ${count.max}`;
        context.addIssue({ code: 'custom', path: ['min'], message });
      }
      if (count.kind === 'empirical' && count.weights !== undefined) {
        const { values, weights } = count;
        const message = `expected as many weights as values, ${values.length}; there are ${weights.length}`;
        if (weights.length !== values.length) {
          context.addIssue({ code: 'custom', path: ['weights'], message });
        }
      }
    });

const prefix = z.strictObject(
  {
    tokens: tokens().describe('How long each prefix is.'),
    pool: wholeNumberField(1, 1_000_000)
      .prefault(1)
      .describe('How many prefixes there are; each request draws one. Default: 1.'),
  },
  { error: 'expected a mapping such as {tokens: 1000, pool: 5}' },
);

const turns = z.strictObject(
  {
    count: wholeNumberField(2, 1000).describe('How many questions a conversation has.'),
    answer: tokenCountField().describe(
      'The tokens of each answer in the history, a number or a distribution.',
    ),
  },
  { error: 'expected a mapping such as {count: 4, answer: 150}' },
);

const tokenizer = z
  .string({ error: 'expected the path of a tokenizer.json, or an encoding such as o200k_base' })
  .superRefine((name, context) => {
    if (name.endsWith('.json') || (encodingNames as readonly string[]).includes(name)) return;
    const message = `expected a path that ends in .json, or one of ${encodingNames.join(', ')}`;
    context.addIssue({ code: 'custom', message });
  });

const promptError = 'expected text, or a mapping such as {tokens: 500} or {file: prompts.jsonl}';

const promptSource = z.strictObject(
  {
    tokens: tokenCountField()
      .optional()
      .describe(
        'The exact number of tokens of made-up prompts, or a distribution: {kind: uniform, min, max}, {kind: normal, mean, deviation}, {kind: lognormal, median, sigma} or {kind: empirical, values, weights}.',
      ),
    prefix: prefix
      .optional()
      .describe('What made-up prompts begin with, counted among their tokens. Default: nothing.'),
    turns: turns
      .optional()
      .describe(
        'Conversations of several made-up questions of that length: each request asks the next one of its user, behind the questions before and made-up answers. Default: every request is a conversation of its own.',
      ),
    cache: z
      .enum(['avoid', 'invite'])
      .optional()
      .describe(
        'Made-up prompts: "avoid" makes every one another behind its prefix, "invite" makes all begin alike, as far as they go. Default: avoid.',
      ),
    tokenizer: tokenizer
      .optional()
      .describe(
        'Made-up prompts: by which tokenizer the tokens are exact: the path of a tokenizer.json from the scenario’s folder, or an encoding of OpenAI’s such as o200k_base. Default: exact by all of OpenAI’s from r50k to o200k.',
      ),
    calibration: numberBetweenField(0.1, 10)
      .optional()
      .describe(
        'Made-up prompts: how many tokens the server counts for each that is made, as a report told; they are made so much shorter or longer. Default: 1.',
      ),
    file: textField()
      .optional()
      .describe(
        'A file of prompts, of which each request draws one, as a path from the scenario’s folder: .jsonl (prompt or messages, max_tokens), .csv (the same as columns) or ShareGPT’s .json.',
      ),
  },
  { error: promptError },
);

/** One prompt for all requests, or where a prompt for each comes from. */
export const promptField = () => z.union([textField(), promptSource], { error: promptError });
export type ScenarioPrompt = z.output<ReturnType<typeof promptField>>;

const spokenError = 'expected text, or a mapping such as {file: chapter.txt}';

/** A text, or the file that holds it. */
export const speechTextField = () =>
  z.union(
    [
      textField(),
      z.strictObject(
        {
          file: textField().describe('A file of plain text, as a path from the scenario’s folder.'),
        },
        { error: spokenError },
      ),
    ],
    { error: spokenError },
  );

/** How long texts are cut. */
export const splitSchema = z.strictObject(
  {
    characters: wholeNumberField(1, 1_000_000).describe('The most characters of a piece.'),
  },
  { error: 'expected a mapping such as {characters: 4000}' },
);
