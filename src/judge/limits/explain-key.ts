import type { LedgerEntry } from '../../model/ledger.ts';
import type { Decision, LimitCheck, LimiterClass } from '../../model/limit-log.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import { replayedDecisions } from '../../model/run-limits.ts';
import { identifyLimiter, isFit } from './identify-limiter.ts';
import { isChat, type KeyEvidence } from './key-evidence.ts';
import { whole } from './key-words.ts';

/** Which classes of limiters explain what a run's key was let in and refused. */

const decisionOf = ({ sent, answered, ended, status }: LedgerEntry): Decision => ({
  ...{ sent: instant(sent), answered: instant(answered), ended: instant(ended) },
  admitted: status !== 429,
});

/** What may count against a limit, in the ways that gateways have: the interface leaves it open. */
const countings: readonly ((entry: LedgerEntry) => boolean)[] = [
  isChat,
  ({ traffic }) => traffic !== 'models',
  () => true,
];

/** A status that tells a decision: answered, refused by a limit, or refused after it. */
const isDecided = ({ status }: LedgerEntry): boolean =>
  status === 429 || (status >= 200 && status < 500 && status !== 401);

/** The classes that explain the first decisions in some way of counting, if nobody used the key before or beside the run; `null` where nothing was refused. */
export const explainKey = (
  { entries }: KeyEvidence,
  { limit, window }: { readonly limit: number; readonly window: number },
): readonly LimiterClass[] | null => {
  if (entries.every(({ status }) => status !== 429)) return null;
  const known = { limit, window: milliseconds(window), minute: null };
  const logs = countings.map((counts) =>
    entries
      .filter((entry) => counts(entry) && isDecided(entry) && entry.unit !== 'tokens')
      .slice(0, replayedDecisions)
      .map(decisionOf),
  );
  // Ways of counting differ where there are kinds that they tell apart.
  const different = logs.filter(
    (log, i) => logs.findIndex(({ length }) => length === log.length) === i,
  );
  const fits = different.map((decisions) => {
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
export const checkExplained = (
  classes: readonly LimiterClass[],
  limit: number,
  permitted: readonly LimiterClass[],
): LimitCheck => ({
  id: 'limit-explained',
  claim: `A permitted limiter of ${whole(limit)} requests a minute explains the decisions (the first ${replayedDecisions} at most).`,
  section: '8',
  finding: classes.some((name) => permitted.includes(name)) ? 'proved' : 'undecided',
  violates: true,
  observed:
    classes.length === 0
      ? 'no class does, if nobody else used the key before or meanwhile'
      : `explained by: ${classes.join(', ')}; if nobody else used the key before or meanwhile`,
  evidence: [],
});
