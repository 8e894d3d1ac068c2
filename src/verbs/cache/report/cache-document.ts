import {
  column,
  type Fact,
  facts,
  list,
  type ReportDocument,
  section,
  table,
  text,
  type TonedText,
} from '../../../report/document/document.ts';
import { countText, moneyText, plural, timeText } from '../../../report/text/number-text.ts';
import type { CacheReport, KeptBounds, RepeatedPrompt } from '../model/cache-report.ts';

const tokens = (value: number): string => plural(value, 'token');

/** Formats the bounds of a value: `between 17 s and 19 s`, `at least 2 min`, `less than 1.5 s`. */
const boundsText = (
  { kept, lost }: KeptBounds,
  written: (value: number) => string,
  unseen = 'not seen',
): string => {
  if (kept !== null && lost !== null) return `between ${written(kept)} and ${written(lost)}`;
  if (kept !== null) return `at least ${written(kept)}`;
  return lost === null ? unseen : `less than ${written(lost)}`;
};

const shortestText = ({ kept, lost }: KeptBounds): string => {
  if (kept === null) return lost === null ? 'not seen' : `none up to ${tokens(lost)}`;
  return lost === null ? `at most ${tokens(kept)}` : `between ${tokens(lost)} and ${tokens(kept)}`;
};

const partText = ({ promptTokens, cachedTokens, inferredShare, seenBy }: CacheReport): string => {
  if (seenBy === 'reported')
    return `${countText(cachedTokens ?? 0)} of ${tokens(promptTokens ?? 0)}, as reported`;
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  return inferredShare === null
    ? 'not known'
    : `${percent(inferredShare.value)} (${percent(inferredShare.low)} to ${percent(inferredShare.high)}), inferred from times: none are reported`;
};

/**
 * Says what the answers report about cached tokens. Used if the reports do not distinguish repeated prompts from new
 * prompts.
 */
const reportedText = ({ cachedTokens }: CacheReport): string => {
  if (cachedTokens === null) return 'no cached tokens are reported';
  return cachedTokens === 0
    ? 'all answers report 0 cached tokens'
    : 'new prompts are reported as cached like repeated ones, or repeated ones too little';
};

const cacheVerdict = (report: CacheReport): TonedText => {
  const { seenBy, age, isSteady, promptTokens } = report;
  if (seenBy === null)
    return {
      text:
        promptTokens === null
          ? 'Cannot tell whether prompts are cached'
          : `Cannot tell whether prompts are cached: ${reportedText(report)}, and answer times do not show it`,
      tone: 'warning',
    };
  if (age.kept === null && age.lost === null)
    return { text: 'A prompt is cached; how long was not seen', tone: 'warning' };
  if (age.kept === null)
    return { text: 'A prompt is cached, but only when it is sent again at once', tone: 'plain' };
  const kept = `A prompt stays in the cache for ${boundsText(age, timeText)}`;
  return isSteady
    ? { text: kept, tone: 'good' }
    : { text: `${kept}, but not always: some were lost earlier`, tone: 'warning' };
};

/** Says what to do if the examination found nothing, or only a part of the facts. */
const advice = ({
  seenBy,
  age,
  stopped,
  promptTokens,
  cachedTokens,
}: CacheReport): string | null => {
  if (stopped !== null) return null;
  if (seenBy === null)
    return promptTokens === null
      ? 'What now: answers name no prompt tokens, so that nothing is reported of a cache. Have the server report its usage, or examine the address behind the gateway with `--target`.'
      : `What now: examine again while nothing else uses the target, so that times vary less; ${cachedTokens === null ? 'have the server report cached tokens (vLLM: `--enable-prompt-tokens-details`); ' : ''}or read \`vllm:prefix_cache_hits_total\` and its like with \`server:\` in a scenario.`;
  return age.kept !== null && age.lost === null
    ? 'What now: `--longest` with a longer time finds out when it is lost.'
    : null;
};

const hitWords = (hit: boolean | null): TonedText => {
  if (hit === null) return { text: '? unclear', tone: 'quiet' };
  return hit ? { text: '✓ cached', tone: 'good' } : { text: '– not cached', tone: 'plain' };
};

const columns = [
  column.name<RepeatedPrompt>('Used again after', ({ age, most = age }) =>
    most === age ? timeText(age) : `${timeText(age)} to ${timeText(most)}`,
  ),
  column.text<RepeatedPrompt>('Seen', ({ hit }) => hitWords(hit)),
];

const spentText = ({ spent, took }: CacheReport): string => {
  const cost = spent.cost === null ? '' : `, at most ${moneyText(spent.cost)} of your currency`;
  return `${plural(spent.requests, 'request')}, ${tokens(spent.tokens)}${cost}, in ${timeText(took)}`;
};

const found = (report: CacheReport): readonly Fact[] => [
  ['Part of a prompt', partText(report)],
  ['Time', boundsText(report.age, timeText)],
  ['Other prompts meanwhile', boundsText(report.others, tokens)],
  ...(report.seenBy === 'reported'
    ? [['Shortest prompt', shortestText(report.shortest)] as const]
    : []),
  ['Spent', spentText(report)],
];

export const cacheDocument = (report: CacheReport): ReportDocument => {
  const { weir, target, model, startedAt, repetitions, seenBy, stopped } = report;
  return {
    weir,
    title: `Prompt cache of ${target}`,
    description: [`Model: ${model}`],
    verdict: cacheVerdict(report),
    introduction: [text(advice(report))],
    blocks: [
      section('What is kept of a prompt, and how long', [
        facts(seenBy === null ? [['Spent', spentText(report)]] : found(report)),
        list([
          stopped !== null && `It ended early: ${stopped}.`,
          seenBy === 'timed' &&
            'An answer counts as cached if its time lies where those of prompts sent again at once do.',
        ]),
      ]),
      ...(repetitions.length === 0
        ? []
        : [
            section('Each prompt that was sent again', [
              table(
                'Repetitions by age',
                columns,
                repetitions.toSorted((a, b) => a.age - b.age),
              ),
            ]),
          ]),
    ],
    footer: `Examined by Weir ${weir}, started ${startedAt}.`,
  };
};
