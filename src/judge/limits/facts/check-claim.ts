import { type LimitCheck, advisoryCheck } from '../../../model/limits/limit-log.ts';
import { findingOf } from './rule-bounds.ts';

/** A claim about all requests of some kind. A single counterexample refutes the claim. */
export interface Claim<Request> extends Pick<LimitCheck, 'id' | 'claim' | 'observed'> {
  readonly section?: string | null;
  readonly violates?: boolean;
  /** Why the claim cannot be decided, such as `no header named a limit`; `null` or absent if it can be decided. */
  readonly unseen?: string | null;
  readonly wrong: readonly Request[];
  /** Whether the claim is refuted; if absent, any counterexample refutes it. */
  readonly isRefuted?: boolean;
}

export const maxEvidence = 5;

/** Judges a claim. The first counterexamples are its evidence. */
export const checkClaim = <Request>(
  { unseen = null, wrong, isRefuted = wrong.length > 0, ...claim }: Claim<Request>,
  describe: (request: Request) => string,
): LimitCheck =>
  advisoryCheck({
    ...claim,
    finding: unseen === null ? findingOf(true, isRefuted) : 'undecided',
    observed: unseen ?? claim.observed,
    evidence: wrong.slice(0, maxEvidence).map(describe),
  });

export const formatCount = (value: number): string => value.toLocaleString('en-US');

export const reportedLimitClaim = <Request>(
  unit: 'requests' | 'tokens',
  declared: number,
  requests: readonly Request[],
  limitOf: (request: Request) => number | null,
): Claim<Request> => {
  const reported = requests.filter((request) => limitOf(request) !== null);
  const values = new Set(reported.map((request) => limitOf(request)!));
  return {
    id: `limit-${unit}`,
    claim: `The headers always name a limit of ${formatCount(declared)} ${unit}.`,
    section: '8',
    unseen: reported.length === 0 ? 'no header named a limit' : null,
    wrong: reported.filter((request) => limitOf(request) !== declared),
    observed: `named: ${[...values]
      .toSorted((a, b) => a - b)
      .map(formatCount)
      .join(', ')}`,
  };
};
