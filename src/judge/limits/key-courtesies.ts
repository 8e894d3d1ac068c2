import type { LimitCheck } from '../../model/limit-log.ts';
import type { KeyRefusals, Promised } from '../../model/run-limits.ts';
import type { KeyEvidence } from './key-evidence.ts';
import { evidenceOf, whole } from './key-words.ts';
import { findingOf } from './limit-facts.ts';

/** Claims about what a key was told: courtesies, whose breach violates no limit. */

const columns = {
  requests: ['limitRequests', 'remainingRequests'],
  tokens: ['limitTokens', 'remainingTokens'],
} as const;

/** Whether answers bore the two headers of each limit that is declared. */
export const checkPresence = (
  { entries }: KeyEvidence,
  units: readonly (keyof typeof columns)[],
): LimitCheck => {
  const bound = entries.filter(({ status }) => status !== 0 && status !== 401);
  const lacking = bound.filter((entry) =>
    units.flatMap((unit) => columns[unit]).some((column) => entry[column] === null),
  );
  const classes = new Set(
    lacking.map(({ status, traffic }) => (status < 300 ? traffic : String(status))),
  );
  return {
    id: 'headers-present',
    claim: `Every response bears the limit headers of ${units.join(' and ')}.`,
    section: '8',
    finding: bound.length === 0 ? 'undecided' : findingOf(true, lacking.length > 0),
    violates: false,
    observed:
      lacking.length === 0
        ? `all ${whole(bound.length)} responses bore them`
        : `${whole(lacking.length)} of ${whole(bound.length)} responses lacked some: ${[...classes].join(', ')}`,
    evidence: evidenceOf(lacking),
  };
};

export const checkTold = (
  { unit, limit }: { readonly unit: 'requests' | 'tokens'; readonly limit: number },
  { entries }: KeyEvidence,
): LimitCheck => {
  const column = unit === 'requests' ? 'limitRequests' : 'limitTokens';
  const told = entries.filter((entry) => entry[column] !== null);
  const other = told.filter((entry) => entry[column] !== limit);
  const values = [...new Set(told.map((entry) => entry[column]!))].toSorted((a, b) => a - b);
  return {
    id: `limit-${unit}`,
    claim: `The headers always name the limit of ${whole(limit)} ${unit}.`,
    section: '8',
    finding: told.length === 0 ? 'undecided' : findingOf(true, other.length > 0),
    violates: false,
    observed: told.length === 0 ? 'no header named one' : `named: ${values.map(whole).join(', ')}`,
    evidence: evidenceOf(other),
  };
};

/** `12 exact, 3 absent`. */
const promisedText = (promised: Promised): string =>
  (['exact', 'conservative', 'deceptive', 'unknown', 'absent'] as const)
    .filter((name) => promised[name] > 0)
    .map((name) => `${whole(promised[name])} ${name}`)
    .join(', ');

export const checkPromise = (
  [id, claim, section]: readonly [string, string, string | null],
  promised: Promised,
): LimitCheck => ({
  ...{ id, claim, section, violates: false, evidence: [] },
  finding: findingOf(
    promised.exact + promised.conservative > 0 && promised.unknown === 0,
    promised.deceptive > 0,
  ),
  observed: promisedText(promised),
});

export const checkForms = ({ forms, count }: KeyRefusals): LimitCheck => {
  const documented = (forms.error ?? 0) + (forms['none-429'] ?? 0);
  const names = Object.entries(forms).map(([form, times]) => `${form} ${whole(times)}`);
  return {
    id: 'refusal-body',
    claim: 'The body of a 429 has one of the two documented forms.',
    section: '7',
    finding: findingOf(true, documented < count),
    violates: false,
    observed: `forms: ${names.join(', ')}`,
    evidence: [],
  };
};
