import {
  hasUsedUp,
  minuteLimits,
  usedUpLimits,
} from '../../../judge/limits/facts/explained-refusals.ts';
import { keyEvidence } from '../../../judge/limits/facts/key-evidence.ts';
import { toLedgerEntry } from '../../../model/observation/ledger.ts';
import { limitsOfKey } from '../../../model/plan/limits-per-minute.ts';
import type { Result } from '../../../model/result/result.ts';
import type { FairnessReport, RefusalCause } from '../model/fairness-report.ts';
import { dueWithin, type SeenRun } from '../model/seen-arrival.ts';
import { sumOf } from '../../../model/sums.ts';

/**
 * Returns how many 429s of the keys in `keys` may be caused by the requests of these keys; `null` if the ledger of such
 * a key leaves out some requests.
 */
const explainedOf = (
  { ledger, plan }: Pick<Result, 'ledger' | 'plan'>,
  keys: ReadonlySet<string>,
) => {
  const own = ledger.filter(({ key }) => keys.has(key));
  if (own.some(({ left }) => left > 0)) return null;
  return sumOf(
    own.map(({ key, rows }) => {
      const evidence = keyEvidence(rows.map(toLedgerEntry));
      const usedUp = usedUpLimits(evidence, minuteLimits(limitsOfKey(plan, key)));
      return evidence.refused.filter((refusal) => hasUsedUp(refusal, usedUp)).length;
    }),
  );
};

/**
 * Says whose requests caused the quiet population's 429s. The noise caused these 429s if two conditions hold. First,
 * each 429 came between the beginning of a noise and the next measured block without noise. Second, at none of the 429s
 * can the quiet population have used up its own declared limit.
 */
export const refusalsOf = (
  run: SeenRun,
  result: Pick<Result, 'ledger' | 'plan'>,
): FairnessReport['refusals'] => {
  const own = run.arrivals.filter(({ population }) => population === run.quiet);
  const keys = new Set(own.map(({ key }) => key));
  const others = new Set(
    run.arrivals.filter(({ population }) => population !== run.quiet).map(({ key }) => key),
  );
  const calm = run.blocks
    .filter(({ isNoisy }) => !isNoisy)
    .flatMap(({ from, to }) => dueWithin(own, from, to));
  const count = (arrivals: typeof own): number => sumOf(arrivals.map(({ limited }) => limited));
  const begins = run.blocks[0]?.begins ?? 0;
  const all = own.filter(({ due }) => due >= begins);
  const alone = count(calm);
  const noisy = count(all) - alone;
  const explained = explainedOf(result, keys);
  const limits = [...keys].flatMap((key) =>
    minuteLimits(limitsOfKey(result.plan, key)).map(
      ({ unit, limit }) => `${limit} ${unit} a minute`,
    ),
  );
  const cause = ((): RefusalCause => {
    if (noisy + alone === 0) return 'none';
    if (explained === null) return 'unknown';
    if ([...keys].some((key) => others.has(key))) return 'shared';
    if (explained > 0) return 'own';
    if (alone > 0) return 'alone';
    return limits.length === 0 ? 'undeclared' : 'noise';
  })();
  return {
    cause,
    noisy,
    ofNoisy: all.length - calm.length,
    alone,
    ofAlone: calm.length,
    explained: explained ?? 0,
    limits: [...new Set(limits)],
  };
};
