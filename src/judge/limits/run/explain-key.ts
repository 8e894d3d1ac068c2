import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import type { LimiterDecision, LimitCheck, LimiterClass } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { replayedDecisions } from '../../../model/limits/run-limits.ts';
import { identifyLimiter, isFit } from '../limiter/identify-limiter.ts';
import { isChat, type KeyEvidence, formatCount } from './key-evidence.ts';

const decisionOf = ({ sent, answered, ended, status }: LedgerEntry): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(answered),
  ended: instant(ended),
  admitted: status !== 429,
});

/** The requests that count against a limit, by the counting methods of gateways: the interface leaves it open. */
const countingRules: readonly ((entry: LedgerEntry) => boolean)[] = [
  isChat,
  ({ traffic }) => traffic !== 'models',
  () => true,
];

/** Whether a status certainly shows a decision: answered, limited, or refused after the limiter. */
const isDecided = ({ status }: LedgerEntry): boolean =>
  status === 429 || (status >= 200 && status < 500 && status !== 401);

/** The admitted requests, by gateway: a server error (5xx) or broken connection (0) can come before or after the limiter. */
const admissionRules: readonly ((entry: LedgerEntry) => boolean)[] = [
  isDecided,
  (entry) => isDecided(entry) || entry.status >= 500,
  (entry) => isDecided(entry) || entry.status >= 500 || entry.status === 0,
];

const isSame = (one: readonly LedgerEntry[], other: readonly LedgerEntry[]): boolean =>
  one.length === other.length && one.every((entry, i) => entry === other[i]);

/** The classes that explain the first decisions by some counting method, if no one else used the key; `null` if nothing was refused. */
export const explainKey = (
  { entries }: KeyEvidence,
  { limit, window }: { readonly limit: number; readonly window: number },
): readonly LimiterClass[] | null => {
  if (entries.every(({ status }) => status !== 429)) return null;
  const known = { limit, window: milliseconds(window), minute: null };
  const interpretations = countingRules.flatMap((counts) =>
    admissionRules.map((isIn) =>
      entries
        .filter((entry) => counts(entry) && isIn(entry) && entry.unit !== 'tokens')
        .slice(0, replayedDecisions),
    ),
  );
  const distinctInterpretations = interpretations.filter(
    (reading, i) => interpretations.findIndex((other) => isSame(reading, other)) === i,
  );
  const fits = distinctInterpretations.map((reading) => {
    const decisions = reading.map(decisionOf);
    if (decisions.every(({ admitted }) => admitted)) return [];
    const identification = identifyLimiter(decisions, known);
    return identification.ranking
      .filter((fit) => isFit(fit, identification))
      .map(({ limiter }) => limiter);
  });
  // A cap on requests in flight has no rate and would explain almost anything.
  return [...new Set(fits.flat())].filter((name) => name !== 'in-flight');
};

/**
 * Whether a permitted class explains the decisions. If none does, the check is undecided: other users
 * of the key explain any refusal, and a replay assumes that decisions fall in the middle of their
 * intervals.
 */
export const checkKeyExplained = (
  classes: readonly LimiterClass[],
  limit: number,
  permitted: readonly LimiterClass[],
): LimitCheck => ({
  id: 'limit-explained',
  claim: `A permitted limiter of ${formatCount(limit)} requests a minute explains the decisions (at most the first ${replayedDecisions}).`,
  section: '8',
  finding: classes.some((name) => permitted.includes(name)) ? 'proved' : 'undecided',
  violates: true,
  observed:
    classes.length === 0
      ? 'no class explains them, if no one else used the key before or during the run'
      : `explained by: ${classes.join(', ')}; if no one else used the key before or during the run`,
  evidence: [],
});
