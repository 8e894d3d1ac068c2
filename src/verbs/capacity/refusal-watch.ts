import type { Breach } from '../../model/result/objective-verdict.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Instant } from '../../model/quantity.ts';

/** What to check when every request is refused with this status. */
const adviceByStatus: Readonly<Record<number, string>> = {
  401: 'is the key right, and does it belong to this gateway?',
  403: 'may this key ask for these models, and from here?',
  404: 'does the base address end in the gateway’s version, for example https://host/v1, and does it have the model?',
};

/**
 * The minimum number of refusals that shows that a target refuses everything. Fewer may all come from one model that
 * the key may not use.
 */
const minRefusals = 10;

/** Detects a target that refuses every request with 401, 403 or 404, since more load would be useless. */
export const watchRefusals = () => {
  const counts = new Map<number, number>();
  let others = 0;
  let lastMessage = '';
  const onObservation = ({ outcome }: Pick<Observation, 'outcome'>): void => {
    // A request that was never sent says nothing about the target.
    if (outcome.kind === 'dropped') return;
    if (outcome.kind !== 'refused' || adviceByStatus[outcome.refusal.status] === undefined) {
      others += 1;
      return;
    }
    const { status, message } = outcome.refusal;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    lastMessage = message;
  };
  /**
   * Returns a sentence with the refusals so far and with what the user can check; `null` if a request was not refused.
   */
  const sentence = (): string | null => {
    if (others > 0 || counts.size === 0) return null;
    const seen = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
    const advice = [...counts.keys()].map((status) => adviceByStatus[status]).join(' ');
    const quote = lastMessage === '' ? '' : ` (“${lastMessage}”)`;
    return `The target refused every request: ${seen}${quote}: ${advice}`;
  };
  return {
    onObservation,
    sentence,
    /** Ends the load after enough refusals, in the same way as a broken objective ends a load. */
    findBreach: (now: Instant): Breach | null => {
      const text = sentence();
      const answers = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return text === null || answers < minRefusals ? null : { at: now, text, observed: 1 };
    },
  };
};
