import type { InferredHits, NoInference } from '../../model/measures/prefill.ts';
import {
  promptCacheFigures,
  type PromptCacheFigures,
} from '../../model/result/prompt-cache-figures.ts';
import type { Result } from '../../model/result/result.ts';
import { column, type Column, section, type Section, table, text } from '../document/document.ts';
import { countText, figureText, plural, shareText } from '../text/number-text.ts';
import { present } from '../text/present.ts';

/** This file says which share of the prompts came from the server's cache: expected, reported and inferred. */

interface CacheRow {
  readonly name: string;
  readonly share: string;
  readonly basis: string;
}

const columns: readonly Column<CacheRow>[] = [
  column.name('Prompt tokens from a cache', ({ name }) => name),
  column.number('Share', ({ share }) => share),
  column.words('Of', ({ basis }) => basis),
];

const partText = ({ tokens, input, answers }: PromptCacheFigures['reported']): string =>
  `${countText(tokens)} of ${plural(input, 'token')} in ${plural(answers, 'prompt')}`;

const whyNot = {
  short: 'too few streams, or fewer than ten seconds with any',
  alike: 'new and repeated tokens do not vary apart from each other',
  'no-slope': 'the time does not surely grow with the tokens that are new',
  vague: 'the times vary too much',
  parted: 'no slice knows what the others repeated',
} as const satisfies Record<NoInference, string>;

const percent = (share: number): string => `${figureText(share * 100)} %`;

const isParted = (inferred: PromptCacheFigures['inferred']): boolean => inferred === 'parted';

const inferredRow = (inferred: InferredHits | NoInference): CacheRow => {
  const name = 'Inferred from TTFT';
  if (typeof inferred === 'string') return { name, share: '–', basis: whyNot[inferred] };
  const { hits, low, high, repeatedShare, answers } = inferred;
  const of = (part: number): string => percent(part * repeatedShare);
  return {
    name,
    share: of(hits),
    basis: `95 %: ${of(low)} to ${of(high)}, ${plural(answers, 'stream')}`,
  };
};

const silentText = (silent: number): string =>
  silent === 0 ? '' : `; ${plural(silent, 'answer')} reported nothing`;

const rowsOf = ({
  expected,
  reported,
  silent,
  inferred,
}: PromptCacheFigures): readonly CacheRow[] => [
  expected.tokens === 0
    ? { name: 'Expected', share: '–', basis: 'this run repeated nothing that Weir knows of' }
    : {
        name: isParted(inferred) ? 'Expected, at least' : 'Expected',
        share: shareText(expected.tokens, expected.input),
        basis: partText(expected),
      },
  reported.input === 0
    ? { name: 'Reported', share: '–', basis: 'no answer reports cached tokens' }
    : {
        name: 'Reported',
        share: shareText(reported.tokens, reported.input),
        basis: `${partText(reported)}${silentText(silent)}`,
      },
  ...(expected.tokens === 0 ? [] : [inferredRow(inferred)]),
];

/**
 * If the reported cached tokens exceed the expected ones by more than this share of all prompt tokens, the report says
 * so.
 */
const leastExcess = 0.01;

/**
 * Compares the reported with the expected cached tokens of the same answers; `null` if the two numbers cannot be
 * compared.
 */
const comparisonText = ({ expected, reported, inferred }: PromptCacheFigures): string | null => {
  if (expected.tokens === 0 || reported.answers !== expected.answers || isParted(inferred))
    return null;
  if (reported.tokens > expected.tokens + leastExcess * expected.input)
    return `More was reported than this run had sent before: the server’s cache held ${countText(reported.tokens - expected.tokens)} tokens from earlier requests, or it counts otherwise.`;
  if (reported.tokens >= expected.tokens)
    return 'All tokens that can have come from a cache were reported as cached.';
  return `Of the tokens that can have come from a cache, ${shareText(reported.tokens, expected.tokens)} were reported.`;
};

const meaning =
  'Expected are the tokens with which an earlier request to the same model began, too, whether it had been answered or not, without the last token of a prompt, which no server takes from a cache: an upper bound, but for the chat template that all prompts share. They are exact for whole prompts and conversations that the server counted before, within the tokens of its template for generated prefixes, and else estimated by words. Inferred is by least squares of the time to the first token, from sent, on new and repeated tokens.';

const workersText = ({ slices }: Result): string | null =>
  slices.length === 1
    ? null
    : 'Each worker or slice knows only what it sent itself, so more can have come from a cache.';

/** Builds the section on the prompt cache; `null` if no prompt tokens were repeated or cached. */
export const promptCacheSection = (result: Result): Section | null => {
  const figures = promptCacheFigures(result);
  if (figures === null) return null;
  const notes = present([
    comparisonText(figures),
    figures.expected.tokens > 0 && workersText(result),
  ]);
  return section(
    'What came from the prompt cache?',
    [
      table('', columns, rowsOf(figures)),
      ...notes.map((each) => text(each)),
      figures.expected.tokens > 0 && text(meaning, 'quiet'),
    ],
    'cache',
  );
};
