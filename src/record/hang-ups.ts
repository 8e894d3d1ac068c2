import type { HangUps } from '../model/measures/counts.ts';
import { emptyOutcomeCounts } from '../model/measures/outcome-counts.ts';
import type { Observation } from '../model/observation/observation.ts';
import { streamOf } from './recorder.ts';

const noHangUps = (): HangUps => ({
  outcomes: emptyOutcomeCounts(),
  headers: 0,
  tokenEvents: 0,
  bytes: 0,
  time: 0,
});

/**
 * Adds an arrival on which the client planned to hang up. If the arrival is cancelled, also counts the received part of
 * the answer and the time until the hang-up.
 */
export const recordHangUp = (
  group: { hangUps?: HangUps | undefined },
  { outcome, head, sent, ended }: Observation,
): void => {
  const hangUps = (group.hangUps ??= noHangUps());
  hangUps.outcomes[outcome.kind] += 1;
  if (outcome.kind !== 'cancelled') return;
  if (head !== null) hangUps.headers += 1;
  hangUps.tokenEvents += streamOf(outcome)?.tokenInstants.length ?? 0;
  hangUps.bytes += outcome.bytes;
  hangUps.time += sent === null ? 0 : Math.round(ended - sent);
};
