import { advisoryCheck, type LimitCheck } from '../../../../model/limits/limit-log.ts';
import type { ChargeRow } from '../../model/token-report.ts';
import type { MeasuredCharge } from './measured-charges.ts';
import type { TokenGuards } from './token-guards.ts';
import { roundedCount } from './token-charges.ts';

/** How far a charge may be from the amount that it is called after, in tokens and as a share of it. */
const tolerance = { tokens: 2, share: 0.02 };

const isAbout = (charge: number, amount: number): boolean =>
  Math.abs(charge - amount) <= tolerance.tokens + tolerance.share * amount;

const wordsOf = ({ status, prompt, used, charge }: MeasuredCharge): string => {
  if (charge === null) return 'not shown';
  if (charge <= tolerance.tokens) return 'nothing';
  if (used !== null && isAbout(charge, used)) return status === 200 ? 'its usage' : 'prompt';
  if (isAbout(charge, prompt)) return 'prompt';
  return used === null
    ? `${roundedCount(charge)} tokens`
    : `${(charge / used).toFixed(2)} times its usage`;
};

/** Lists what was charged for each kind of request beside its usage. */
export const chargeRows = (charges: readonly MeasuredCharge[]): readonly ChargeRow[] =>
  charges.map((measured) => ({
    kind: measured.kind,
    status: measured.status,
    prompt: measured.prompt,
    used: measured.used,
    charge: measured.charge,
    words: wordsOf(measured),
  }));

/** Whether a measured charge is what a customer expects: usage for an answer, nothing for an error. */
const isExpected = (measured: MeasuredCharge): boolean => {
  const { kind, status, used, charge, prompt, isSteady } = measured;
  if (charge === null || kind === 'cut-answering' || kind === 'cut-sent' || kind === 'again')
    return true;
  if (kind === 'speech' || kind === 'transcription') return true;
  if (status !== 200) return charge <= tolerance.tokens;
  const expected = used ?? prompt + 1;
  // What is refilled meanwhile hides a part of a charge, unless the rest stood still.
  return isAbout(charge, expected) || (charge < expected && !isSteady);
};

/** Checks that the charges are the usage that the answers report. */
export const checkAccounting = ({ charges }: TokenGuards): LimitCheck => {
  const shown = charges.filter(({ charge }) => charge !== null);
  const odd = shown.filter((measured) => !isExpected(measured));
  return advisoryCheck({
    id: 'token-accounting',
    claim:
      'What is charged is the usage that answers report, for chats and streams alike, and nothing for errors.',
    finding: odd.length > 0 ? 'refuted' : shown.length > 1 ? 'proved' : 'undecided',
    observed:
      shown.length === 0
        ? 'the remaining tokens do not show what is charged'
        : odd.length === 0
          ? `true of ${shown.length} kinds of requests`
          : odd.map((measured) => `${measured.kind}: ${wordsOf(measured)}`).join(', '),
  });
};
