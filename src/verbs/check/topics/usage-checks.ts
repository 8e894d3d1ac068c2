import type { AuditedAnswer } from '../reading/audited-answer.ts';
import {
  type Answers,
  type Check,
  checksOf,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { patternIn, type RepeatedWord, tokensOfWord } from '../reading/token-growth.ts';
import {
  asReported,
  auditedAll,
  auditOf,
  cacheForm,
  countsOf,
  perWordOf,
  orHiddenTools,
  promptsOf,
  whyToolsHide,
} from './usage-counts.ts';
import { judgeDirect } from './usage-direct.ts';
import {
  judgeCost,
  judgeLimit,
  judgeListed,
  judgeText,
  judgeTotal,
} from '../reading/judge-usage.ts';
import {
  type AuditWord,
  auditWords,
  comparedIds,
  directId,
  openingOf,
  outputLimits,
  renamedId,
  repeated,
  toolWords,
  wordPrompts,
} from './usage-requests.ts';

/** This file audits the reported usage (interface, section 2.4) with known facts about prompts and answers. */

const { checkAcross } = checksOf('usage');
const rows = ['2.4.usage'];

/**
 * Judges a word's token counts by the target's tokenizer, if this tokenizer joins words. Returns `null` for any other
 * tokenizer, or if no tokenizer is known.
 */
const judgeByTokenizer = (
  { target }: Answers,
  word: AuditWord,
  counts: readonly RepeatedWord[],
): Judged | null => {
  const { tokenizer } = target;
  if (tokenizer === undefined) return null;
  const expected = ({ words }: RepeatedWord): number =>
    tokenizer.count(openingOf(target) + repeated(word, words));
  const [first, ...others] = counts.toSorted((a, b) => a.words - b.words);
  if (first === undefined) return null;
  const known = others.map((each) => ({
    words: each.words - first.words,
    reported: each.tokens - first.tokens,
    is: expected(each) - expected(first),
  }));
  if (known.every(({ words, is }) => is % words === 0)) return null;
  const wrong = known.find(({ reported, is }) => reported !== is);
  if (wrong === undefined) return pass(`“${word}” as the tokenizer joins it`);
  const { words, reported, is } = wrong;
  const observed = `reported ${reported} prompt tokens for ${words} times “${word}”, and ${is} by the tokenizer`;
  return { ...violation(observed), bounds: { of: 'input', reported, least: is, most: is } };
};

const rangeText = (least: number, most: number): string =>
  least === most ? `only +${least} is possible` : `+${least} or +${most} are possible`;

const judgeGrowth = (answers: Answers): Judged => {
  const known: string[] = [];
  let reason = '';
  for (const word of auditWords) {
    const counts = countsOf(answers, word);
    if (typeof counts === 'string') {
      reason = counts;
      continue;
    }
    const byTokenizer = judgeByTokenizer(answers, word, counts);
    if (byTokenizer !== null) {
      if (byTokenizer.outcome === 'violation') return byTokenizer;
      known.push(byTokenizer.observed);
      continue;
    }
    const found = tokensOfWord(counts);
    if ('perWord' in found) {
      known.push(`${found.perWord} for “${word}”`);
      continue;
    }
    if ('joined' in found) {
      const { moreWords, moreTokens } = found.joined;
      reason = `${moreTokens} prompt tokens more for ${moreWords} times “${word}” more: only a vocabulary that joins words has so few, and --tokenizer would decide`;
      continue;
    }
    const { moreWords, moreTokens, least, most } = found;
    const observed = `reported ${moreTokens} prompt tokens more for ${moreWords} times “${word}” more: ${rangeText(least, most)}${patternIn(counts)}`;
    return {
      ...violation(
        moreTokens > least ? orHiddenTools(observed) : observed,
        counts.map(({ words, tokens }) => `${words} times “${word}”: ${tokens} prompt tokens`),
      ),
      bounds: { of: 'input', reported: Math.max(0, moreTokens), least, most: least },
    };
  }
  return known.length === 0 ? unchecked(reason) : pass(`${known.join(', ')} each time`);
};

const judgeWords = (answers: Answers): Judged => {
  const { tokenizer } = answers.target;
  const found = auditWords.map((word) => [word, perWordOf(answers, word)] as const);
  const reason = found.find(([, each]) => typeof each === 'string');
  if (reason !== undefined) return unchecked(String(reason[1]));
  const seen = found.map(([word, each]) => `${String(each)} for “${word}”`).join(', ');
  const expected = ([word]: (typeof found)[number]): number =>
    tokenizer === undefined
      ? 1
      : (tokenizer.count(repeated(word, 101)) - tokenizer.count(repeated(word, 1))) / 100;
  if (!found.every((each) => Number.isInteger(expected(each))))
    return unchecked(`${seen}; the tokenizer joins words`);
  const wrong = found.find((each) => each[1] !== expected(each));
  if (wrong === undefined) return pass(seen);
  const first = Number(wrong[1]);
  const bounds = {
    of: 'input' as const,
    reported: first,
    least: expected(wrong),
    most: expected(wrong),
  };
  if (tokenizer !== undefined)
    return {
      ...violation(`${seen}; by the tokenizer ${expected(wrong)} for “${wrong[0]}”`),
      bounds,
    };
  if (found.some(([, each]) => each !== first))
    return unchecked(`${seen}: no common vocabulary, so that --tokenizer is needed`);
  return {
    ...deviation('several-tokens-per-word', `${seen}; in every common vocabulary it is 1`),
    bounds,
  };
};

/** Judges whether two answers to the same prompt report the same prompt tokens. */
const judgeSame = (
  answers: Answers,
  pairs: readonly (readonly [string, string, string])[],
): Judged => {
  const seen: string[] = [];
  let reason = '';
  for (const [one, other, what] of pairs) {
    const audited = auditedAll(answers, [one, other]);
    if (typeof audited === 'string') {
      reason = audited;
      continue;
    }
    const [a, b] = audited.map(({ input }) => input) as [number, number];
    if (a === b) {
      seen.push(String(a));
      continue;
    }
    return {
      ...violation(
        `the same prompt has ${a} prompt tokens, and ${b} ${what}: they must be equal, since both ask for one model; only a name that stands for several models explains it`,
      ),
      bounds: {
        of: 'input',
        reported: Math.max(a, b),
        least: Math.min(a, b),
        most: Math.min(a, b),
      },
    };
  }
  return seen.length === 0 ? unchecked(reason) : pass(`${seen.join(' and ')} in both`);
};

/**
 * Judges the token counts of a prompt that was sent again. The second time, a part of the prompt may come from a cache.
 */
const judgeRepeated = (answers: Answers): Judged => {
  const form = cacheForm(answers);
  if (form === 'inside')
    return judgeSame(answers, [['usage-long', 'usage-again', 'when it was sent again']]);
  const audited = asReported(answers, ['usage-long', 'usage-again']);
  if (typeof audited === 'string') return unchecked(audited);
  const [first, again] = audited as readonly [AuditedAnswer, AuditedAnswer];
  const cached =
    form === 'left-out'
      ? `the ${again.usage.classes.cached} cached ones are left out`
      : 'so few that tokens from a cache must be left out, which are not reported';
  return deviation(
    'cached-left-out',
    `the same prompt has ${first.written} prompt tokens, and ${again.written} when it was sent again: ${cached}`,
  );
};

const judgeTools = (answers: Answers): Judged => {
  const perWord = perWordOf(answers, 'time');
  if (typeof perWord === 'string') return unchecked(perWord);
  const audited = auditedAll(answers, ['usage-tools-short', 'usage-tools-more']);
  if (typeof audited === 'string') return unchecked(audited);
  const [short, long] = audited.map(({ input }) => input) as [number, number];
  const words = toolWords['usage-tools-more'] - toolWords['usage-tools-short'];
  const [more, most] = [long - short, words * perWord];
  const observed = `reported ${more} prompt tokens more for ${words} words more in a tool`;
  if (more === most) return pass(observed);
  if (more === 0) return open('the words of a tool do not count');
  const judged = violation(
    `${observed}: only +${most} is possible if the tool is in the prompt once`,
  );
  return { ...judged, bounds: { of: 'input', reported: Math.max(0, more), least: 0, most } };
};

/**
 * The most tokens that a chat template adds to one message. The longest templates add a preamble of some 500 tokens.
 */
const maxTemplate = 512;

const judgeOverhead = (answers: Answers): Judged => {
  const { target } = answers;
  const perWord = perWordOf(answers, 'time');
  if (typeof perWord === 'string') return unchecked(perWord);
  const audited = auditedAll(answers, ['usage-short']);
  if (typeof audited === 'string') return unchecked(audited);
  const { input } = audited[0]!;
  const opening = openingOf(target);
  // Without a tokenizer, each byte of the opening counts as one token, which is the largest possible number.
  const most = (target.tokenizer?.count(opening) ?? Buffer.byteLength(opening)) + 40 * perWord;
  const added = Math.max(0, input - most);
  const observed = `at least ${added} of ${input} prompt tokens are not of the text`;
  if (added <= maxTemplate) return pass(`${observed}; chat templates add up to ${maxTemplate}`);
  return {
    ...deviation(
      'tokens-not-sent',
      orHiddenTools(`${observed}; chat templates add at most ${maxTemplate}`),
    ),
    bounds: { of: 'input', reported: input, least: most, most: most + maxTemplate },
  };
};

/** Judges several answers one by one. The gravest result counts. */
const judgeEach = (
  answers: Answers,
  ids: readonly string[],
  judge: (answer: AuditedAnswer) => Judged,
): Judged => {
  const reasons: string[] = [];
  const found = ids.flatMap((id) => {
    const audited = auditOf(answers, id);
    if (typeof audited !== 'string')
      return [audited.serverTool === null ? judge(audited) : unchecked(whyToolsHide(audited))];
    if (answers.of(id) !== null) reasons.push(audited);
    return [];
  });
  const excess = ({ bounds }: Judged): number =>
    bounds === undefined ? 0 : bounds.reported - bounds.most;
  for (const outcome of ['violation', 'deviation', 'open', 'pass'] as const) {
    const alike = found.filter((each) => each.outcome === outcome);
    const [first] = alike.toSorted((a, b) => excess(b) - excess(a));
    if (first === undefined) continue;
    if (outcome === 'pass') return pass(`${alike.length} answers`);
    return { ...first, evidence: alike.map(({ observed }) => observed) };
  }
  return found[0] ?? unchecked(reasons[0] ?? 'no request was sent');
};

const ids = Object.keys(outputLimits);
const untooled = ids.filter((id) => !id.startsWith('usage-tools'));
const prompts = Object.keys(wordPrompts);

const audit = (
  id: string,
  expected: string,
  judge: Check['judge'],
  uses: readonly string[],
): Check =>
  checkAcross(`usage.${id}`, rows, expected, judge, { uses: [...uses, ...uses.map(renamedId)] });

export const usageChecks: readonly Check[] = [
  audit(
    'growth',
    'a repeated word is the same whole number of prompt tokens each time',
    judgeGrowth,
    prompts,
  ),
  audit(
    'words',
    'a common word is one prompt token, or as many as the tokenizer says',
    judgeWords,
    prompts,
  ),
  audit('repeated', 'the same prompt has the same prompt tokens again', judgeRepeated, [
    'usage-long',
    'usage-again',
  ]),
  audit(
    'streamed',
    'the same prompt has the same prompt tokens whole and streamed',
    (answers) =>
      judgeSame(answers, [
        ['usage-short', 'usage-stream-short', 'streamed'],
        ['usage-more', 'usage-stream-more', 'streamed'],
      ]),
    ['usage-short', 'usage-stream-short', 'usage-more', 'usage-stream-more'],
  ),
  audit('tools', 'the words of a tool count as those of a message, once', judgeTools, [
    'usage-tools-short',
    'usage-tools-more',
    ...promptsOf('time'),
  ]),
  audit(
    'tools-streamed',
    'the same prompt with a tool has the same prompt tokens whole and streamed',
    (answers) => judgeSame(answers, [['usage-tools-more', 'usage-tools-stream', 'streamed']]),
    ['usage-tools-more', 'usage-tools-stream'],
  ),
  audit('template', 'no more than a chat template is added to a prompt', judgeOverhead, [
    ...promptsOf('time'),
  ]),
  audit(
    'total',
    'total_tokens is the sum, or the sum with tokens that are counted beside',
    (answers) => judgeEach(answers, ids, judgeTotal),
    ids,
  ),
  audit(
    'limit',
    'no more output tokens than max_tokens are reported',
    (answers) => judgeEach(answers, ids, (answer) => judgeLimit(answer, outputLimits[answer.id]!)),
    ids,
  ),
  audit(
    'text',
    'no more output tokens than the received text can have, but declared reasoning',
    (answers) =>
      judgeEach(answers, untooled, (answer) => judgeText(answer, answers.target.tokenizer)),
    untooled,
  ),
  audit(
    'listed',
    'as many output tokens as the answer lists with their probabilities',
    (answers) => judgeEach(answers, ['usage-listed', 'usage-listed-stream'], judgeListed),
    ['usage-listed', 'usage-listed-stream'],
  ),
  audit(
    'cached',
    'tokens from a cache cost what they cost by the prices, or less than others',
    (answers) => {
      const audited = auditedAll(answers, ['usage-long', 'usage-again']);
      if (typeof audited === 'string') return unchecked(audited);
      return judgeCost(audited[0]!, audited[1]!, answers.target.price);
    },
    ['usage-long', 'usage-again'],
  ),
  audit(
    'direct',
    'prompt tokens and cached ones are those of the model without the gateway',
    judgeDirect,
    [...comparedIds, ...comparedIds.map(directId)],
  ),
];
