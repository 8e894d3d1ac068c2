import { type AuditedAnswer, auditedAnswer } from '../reading/audited-answer.ts';
import type { Answers } from '../reading/check-case.ts';
import { type RepeatedWord, tokensOfWord } from '../reading/token-growth.ts';
import { type AuditWord, renamedId, wordPrompts } from './usage-requests.ts';

/** This file reads the token counts of the audit's prompts, and finds whether these counts include cached tokens. */

/**
 * Reads the answer to a request. If the request was refused, reads the answer to the copy of the request, which gives
 * the token limit under its other name.
 */
export const auditOf = (answers: Answers, id: string): AuditedAnswer | string => {
  const first = auditedAnswer(id, answers.of(id));
  const renamed = answers.of(renamedId(id));
  if (typeof first !== 'string' || renamed === null) return first;
  const second = auditedAnswer(id, renamed);
  return typeof second === 'string' ? first : second;
};

/**
 * Returns how a target counts a prompt that was sent twice. `inside`: both counts include cached tokens. `left-out`:
 * the second count lacks the cached tokens that it reports. `unreported`: the second count is at most half of the
 * first, and the reported cached tokens do not explain the difference.
 */
export const cacheForm = (answers: Answers): 'inside' | 'left-out' | 'unreported' => {
  const [first, again] = ['usage-long', 'usage-again'].map((id) => auditOf(answers, id));
  if (typeof first !== 'object' || typeof again !== 'object' || again.written >= first.written)
    return 'inside';
  if (withCached(again) === withCached(first)) return 'left-out';
  return again.written <= first.written / 2 ? 'unreported' : 'inside';
};

const withCached = ({ written, usage }: AuditedAnswer): number =>
  written + (usage.classes.cached ?? 0);

/**
 * Returns answers whose prompt tokens include the tokens from a cache, or the reason why the audit of an answer shows
 * nothing.
 */
export const auditedAll = (
  answers: Answers,
  ids: readonly string[],
): readonly AuditedAnswer[] | string => {
  const form = cacheForm(answers);
  if (form === 'unreported') return unreportedCache;
  const given = asReported(answers, ids);
  return typeof given === 'string' || form === 'inside'
    ? given
    : given.map((each) => ({ ...each, input: withCached(each) }));
};

const unreportedCache =
  'the prompt tokens leave out those from a cache, which are not reported (usage.repeated)';

export const asReported = (
  answers: Answers,
  ids: readonly string[],
): readonly AuditedAnswer[] | string => {
  const audited = ids.map((id) => auditOf(answers, id));
  const reason = audited.find((each) => typeof each === 'string');
  if (reason !== undefined) return reason;
  const all = audited as readonly AuditedAnswer[];
  const tooled = all.find(({ serverTool }) => serverTool !== null);
  if (tooled !== undefined) return whyToolsHide(tooled);
  const origins = new Set(all.map(({ origin }) => origin));
  return origins.size === 1
    ? all
    : `${[...origins].join(' and ')} answered, whose tokens cannot be compared`;
};

/** Says why the tokens of an answer are unknown if the answer's server ran a tool. */
export const whyToolsHide = ({ id, serverTool }: AuditedAnswer): string =>
  `${id}: the server ran a tool (${serverTool}), whose calls and results may be among the tokens`;

/** Adds to a finding that a hidden tool could also explain more prompt tokens than were sent. */
export const orHiddenTools = (observed: string): string =>
  `${observed}; results of a tool that the server ran and does not show, such as a web search, could explain them`;

export const promptsOf = (word: AuditWord): readonly string[] =>
  Object.entries(wordPrompts).flatMap(([id, [own]]) => (own === word ? [id] : []));

/**
 * Returns the token counts of all answered prompts that repeat a word. Prompts without an answer are left out, since
 * the longest may be too long for a model.
 */
export const countsOf = (answers: Answers, word: AuditWord): readonly RepeatedWord[] | string => {
  const sent = promptsOf(word);
  const reasons = sent.map((id) => auditOf(answers, id)).filter((each) => typeof each === 'string');
  const answered = sent.filter((id) => typeof auditOf(answers, id) !== 'string');
  if (answered.length < 2) return reasons[0] ?? 'two prompts are needed';
  const audited = auditedAll(answers, answered);
  if (typeof audited === 'string') return audited;
  const counts = audited.map(({ id, input }) => ({ words: wordPrompts[id]![1], tokens: input }));
  const distinct = counts.filter(
    ({ words }, at) => counts.findIndex((c) => c.words === words) === at,
  );
  return distinct.length > 1 ? distinct : (reasons[0] ?? 'two prompts are needed');
};

/** Returns the tokens of each repetition of a word, or a text that says why they are unknown. */
export const perWordOf = (answers: Answers, word: AuditWord): number | string => {
  const counts = countsOf(answers, word);
  if (typeof counts === 'string') return counts;
  const found = tokensOfWord(counts);
  return 'perWord' in found ? found.perWord : `the tokens of a word are unknown (usage.growth)`;
};
