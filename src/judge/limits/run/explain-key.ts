import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import type { LimiterDecision, LimitCheck, LimiterClass } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { replayedDecisions } from '../../../model/limits/run-limits.ts';
import { identifyLimiter, isFit } from '../limiter/identify-limiter.ts';
import { isChat, type KeyEvidence } from './key-evidence.ts';
import { formatCount } from './ledger-evidence.ts';

/** Which classes of limiters explain what a run's key was let in and refused. */

const decisionOf = ({ sent, answered, ended, status }: LedgerEntry): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(answered),
  ended: instant(ended),
  admitted: status !== 429,
});

/** What may count against a limit, in the ways that gateways have: the interface leaves it open. */
const countingRules: readonly ((entry: LedgerEntry) => boolean)[] = [
  isChat,
  ({ traffic }) => traffic !== 'models',
  () => true,
];

/** A status that surely tells a decision: answered, refused by a limit, or refused after it. */
const isDecided = ({ status }: LedgerEntry): boolean =>
  status === 429 || (status >= 200 && status < 500 && status !== 401);

/** What was let in, as gateways go: a server's error (5xx) or a broken connection (0) may come before the limit is asked, or after it counted. */
const admissionRules: readonly ((entry: LedgerEntry) => boolean)[] = [
  isDecided,
  (entry) => isDecided(entry) || entry.status >= 500,
  (entry) => isDecided(entry) || entry.status >= 500 || entry.status === 0,
];

const isSame = (one: readonly LedgerEntry[], other: readonly LedgerEntry[]): boolean =>
  one.length === other.length && one.every((entry, i) => entry === other[i]);

/** The classes that explain the first decisions in some way of counting, if nobody used the key before or beside the run; `null` where nothing was refused. */
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
  // Readings differ where there are kinds, or failures, that they tell apart.
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
  // A cap in flight knows no rate: it explains whatever never waits for a minute to end.
  return [...new Set(fits.flat())].filter((name) => name !== 'in-flight');
};

/**
 * Whether a permitted class explains the decisions. Where none does it is undecided: somebody else's
 * use of the key explains any refusal, and a replay takes decisions to have fallen in the middles of
 * their intervals. It keeps a run from proving a limit whose refusals nobody understands.
 */
export const checkKeyExplained = (
  classes: readonly LimiterClass[],
  limit: number,
  permitted: readonly LimiterClass[],
): LimitCheck => ({
  id: 'limit-explained',
  claim: `A permitted limiter of ${formatCount(limit)} requests a minute explains the decisions (the first ${replayedDecisions} at most).`,
  section: '8',
  finding: classes.some((name) => permitted.includes(name)) ? 'proved' : 'undecided',
  violates: true,
  observed:
    classes.length === 0
      ? 'no class does, if nobody else used the key before or meanwhile'
      : `explained by: ${classes.join(', ')}; if nobody else used the key before or meanwhile`,
  evidence: [],
});
