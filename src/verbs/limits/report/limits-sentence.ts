import type { LimiterClass } from '../../../model/limits/limit-log.ts';
import type { Tone, TonedText } from '../../../report/document/document.ts';
import { countText, listed, timeText } from '../../../report/text/number-text.ts';
import { present } from '../../../report/text/present.ts';
import { areAnswersUnseen } from '../judge/tokens/check-accounting.ts';
import type { KeyFindings } from '../model/key-findings.ts';
import type { LimitReport, LimitVerdict } from '../model/limit-report.ts';
import type { TokenReport } from '../model/token-report.ts';
import { wordsOfUnit } from '../model/token-units.ts';

/** This file says in one sentence what was proved about both limits, for customers and owners of a gateway. */

const minute = 60_000;

export const perWindow = (window: number): string =>
  window === minute ? 'a minute' : `in ${timeText(window)}`;

export const ownerOf = ({ isTeam }: { readonly isTeam?: true }): string =>
  isTeam === true ? 'team' : 'key';

/** Says whether the examined limit was declared or assumed. */
export const sourceOfLimit = ({ isAssumed }: { readonly isAssumed?: true }): string =>
  isAssumed === true ? 'assumed' : 'declared';

/** A limit in words (`amount` and `per`), its setting in a scenario, and the verdict on it. */
interface Claim {
  readonly setting: 'limits.requestsPerMinute' | 'limits.tokensPerMinute';
  readonly amount: string;
  readonly per: string;
  readonly verdict: LimitVerdict;
}

const requestsClaim = ({ judgement, log }: LimitReport): Claim => {
  const { limit, window } = log.declared.requests;
  return {
    setting: 'limits.requestsPerMinute',
    amount: `${countText(limit)} requests`,
    per: perWindow(window),
    verdict: judgement.requests,
  };
};

/** Returns what an examination of requests shows about the limit of tokens: nothing, or that the limit is violated. */
const tokensBesideRequests = ({ judgement, log }: LimitReport): readonly Claim[] => {
  const { tokens } = log.declared;
  if (tokens === null || judgement.tokens.verdict !== 'violated') return [];
  const amount = `${countText(tokens.limit)} tokens`;
  const per = perWindow(tokens.window);
  return [{ setting: 'limits.tokensPerMinute', amount, per, verdict: 'violated' }];
};

const tokensClaim = ({ log, findings }: TokenReport): Claim => ({
  setting: 'limits.tokensPerMinute',
  amount: `${countText(log.rule.tokens)} ${wordsOfUnit(log)}`,
  per: perWindow(log.rule.window),
  verdict: findings.verdict,
});

/**
 * Returns the claims about each limit. An examination of requests may show that a limit of all tokens is violated. If
 * the examination of tokens was also about all tokens, its claim becomes `violated`, whatever that examination found.
 * If it was about input or output tokens only, the violation is a separate claim.
 */
const claimsOf = ({ requests, tokens }: KeyFindings): readonly Claim[] => {
  const beside = requests === null ? [] : tokensBesideRequests(requests);
  const examined = tokens === null ? [] : [tokensClaim(tokens)];
  const isSame = tokens !== null && tokens.log.unit === undefined;
  return [
    ...(requests === null ? [] : [requestsClaim(requests)]),
    ...(isSame && beside.length > 0
      ? examined.map((claim): Claim => ({ ...claim, verdict: 'violated' }))
      : [...beside, ...examined]),
  ];
};

const clause = (limits: string, verdict: LimitVerdict): string =>
  ({
    kept: `${limits} are kept`,
    violated: `${limits} are NOT kept`,
    undecided: `it is undecided whether ${limits} are kept`,
  })[verdict];

const limitText = ({ amount, per }: Claim): string => `${amount} ${per}`;

/** Says for each limit whether it is kept. Limits with the same verdict share a sentence. */
const verdictText = (claims: readonly Claim[]): string =>
  [...Map.groupBy(claims, ({ verdict }) => verdict)]
    .map(([verdict, alike]) => {
      const pers = new Set(alike.map(({ per }) => per));
      const limits = alike.map((claim, i) =>
        pers.size > 1 || i === alike.length - 1 ? limitText(claim) : claim.amount,
      );
      return clause(listed(limits), verdict);
    })
    .join(', and ');

const fixedWindow = 'a fixed window may admit twice its limit across its boundary';
const bucket = 'a bucket may admit its size and what is refilled meanwhile';

/** Why a limiter that keeps the limit can still admit more than the limit within one window. */
const overshoots: Readonly<Partial<Record<LimiterClass, string>>> = {
  'fixed-from-first': fixedWindow,
  'fixed-any-phase': fixedWindow,
  'fixed-aligned': fixedWindow,
  'token-bucket': bucket,
  'burst-bucket': bucket,
  'stepped-bucket': bucket,
  'sliding-counter': 'a weighted counter only estimates the last window',
};

/**
 * Says how many requests were certainly admitted within one window, and why if that is known; empty if the number is
 * within the limit.
 */
const mostAdmittedText = ({ judgement, log }: LimitReport): readonly string[] => {
  const { limit, window } = log.declared.requests;
  const { facts, identification, requests } = judgement;
  const { least } = facts.mostAdmitted;
  if (least <= limit) return [];
  const { best, ties } = identification;
  const reasons = new Set([best, ...ties].map((fit) => fit && overshoots[fit.limiter]));
  const [reason] = reasons;
  const isKnown = requests === 'kept' && reasons.size === 1 && typeof reason === 'string';
  return [
    `${countText(least)} were admitted in ${timeText(window)}${isKnown ? `: ${reason}` : ''}`,
  ];
};

const chargedWords = {
  reserved: 'max_tokens is reserved when a request is sent',
  admission: 'prompts are charged when a request is sent',
  end: 'streams are charged at their end',
} as const;

/** Says when tokens are charged, and how many tokens can therefore be used at once. */
const chargingText = ({ findings, log }: TokenReport): readonly string[] => {
  const { chargedAt, atOnce } = findings;
  const windows = log.rule.window === minute ? 'minutes’' : 'windows’';
  const use =
    atOnce === null
      ? ''
      : `${countText(atOnce.requests)} at once can use ${atOnce.limits.toFixed(1)} ${windows} worth`;
  if (chargedAt === null) return use === '' ? [] : [use];
  return [`${chargedWords[chargedAt]}${use === '' ? '' : `, so ${use}`}`];
};

/**
 * Says that no answer was seen to be charged, although the limit of tokens is judged to be kept, and whether the
 * operator promised that usage is charged. Returns an empty list otherwise.
 */
const answersText = ({ findings, log }: TokenReport): readonly string[] => {
  if (findings.verdict !== 'kept' || !areAnswersUnseen(findings, log)) return [];
  const promise = findings.isPromised === true ? ', but promised' : '';
  return [`that the tokens of answers are charged was not seen${promise}`];
};

const day = 24 * 60 * minute;

/** Names the days or the models of the two examinations that the sentence joins, if the days or the models differ. */
const apartText = ({ requests, tokens }: KeyFindings): readonly string[] => {
  if (requests === null || tokens === null) return [];
  const [one, other] = [requests, tokens];
  const isLater = Math.abs(Date.parse(one.startedAt) - Date.parse(other.startedAt)) >= day;
  const parts = present([
    isLater && `on ${one.startedAt.slice(0, 10)} and ${other.startedAt.slice(0, 10)}`,
    one.model !== other.model && `with ${one.model} and ${other.model}`,
  ]);
  return parts.length === 0 ? [] : [`examined ${parts.join(', ')}`];
};

const upperFirst = (sentence: string): string =>
  sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** Says whether the examined limits are kept, and how much a gateway may admit although it keeps them. */
export const limitsSentence = (findings: KeyFindings): string => {
  const { requests, tokens } = findings;
  const more = [
    ...(requests === null ? [] : mostAdmittedText(requests)),
    ...(tokens === null ? [] : [...chargingText(tokens), ...answersText(tokens)]),
    ...apartText(findings),
  ];
  return `${upperFirst([verdictText(claimsOf(findings)), ...more].join('; '))}.`;
};

const verdictTones = {
  violated: 'bad',
  undecided: 'warning',
  kept: 'good',
} as const satisfies Record<LimitVerdict, Tone>;

/** Returns the gravest verdict of the examined limits. */
export const gravestVerdict = ({ requests, tokens }: KeyFindings): LimitVerdict => {
  const verdicts = [requests?.judgement.verdict, tokens?.findings.verdict];
  return (['violated', 'undecided'] as const).find((each) => verdicts.includes(each)) ?? 'kept';
};

/** Returns the options, unused so far, with which another examination of tokens could decide more. */
const moreOfTokens = ({ log, findings }: TokenReport): readonly string[] =>
  present([
    log.isQuick && 'in full',
    !log.replies.some(({ phase }) => phase === 'sustained') && 'with `--sustain 16`',
    findings.isPromised !== true && 'with `--yes-tokens` if the key is surely idle',
  ]);

/** Returns the options with which another examination of requests could decide more. */
const moreOfRequests = ({ log }: LimitReport): readonly string[] => {
  const has = (wanted: string): boolean => log.replies.some(({ phase }) => phase === wanted);
  return present([!has('even') && 'in full', 'for longer (`--sustain 10`)']);
};

/**
 * Says what to do if an examination decides nothing: remove what ended it early, or examine again, with the options
 * `more`.
 */
const againText = (
  of: string,
  { log }: { readonly log: { readonly cut: string | null } },
  more: readonly string[],
): string =>
  log.cut === null
    ? `examine ${of} again while nothing else uses the key${more.length === 0 ? '' : `, ${listed(more)}`}`
    : `see to what ended the examination of ${of} early, then repeat it`;

/** Says what to do about a limit that is violated or undecided; `null` if all limits are kept. */
export const limitsAdvice = (findings: KeyFindings): string | null => {
  const verdict = gravestVerdict(findings);
  if (verdict === 'kept') return null;
  const claims = claimsOf(findings).filter((claim) => claim.verdict !== 'kept');
  const settings = [...new Set(claims.map(({ setting }) => `\`--set ${setting}=…\``))].join(', ');
  const other = `If another limit or window was agreed, examine that one: ${settings}, \`--window …\`.`;
  if (verdict === 'violated')
    return `What now: what does not hold is the evidence for the gateway’s owner. ${other}`;
  const { requests, tokens } = findings;
  const steps = present([
    requests?.judgement.requests === 'undecided' &&
      againText('requests', requests, moreOfRequests(requests)),
    tokens?.findings.verdict === 'undecided' && againText('tokens', tokens, moreOfTokens(tokens)),
  ]);
  return `What now: ${steps.join('; ')}. ${other}`;
};

export const verdictOnLimits = (findings: KeyFindings): TonedText => ({
  text: limitsSentence(findings),
  tone: verdictTones[gravestVerdict(findings)],
});
