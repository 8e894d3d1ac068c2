import { errorBarOf } from '../../model/result/error-bar.ts';
import { hasChatStreams } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { figureText, plural, shareText } from '../text/number-text.ts';

/** Why a run that should have a measurement error has none; `null` if none is expected, as in old results. */
const missingErrorReason = ({ plan }: Result): string | null => {
  if (plan.canary === undefined || !hasChatStreams(plan)) return null;
  return plan.canary
    ? 'Measurement error unknown: no event of the self-test streams was read.'
    : 'Measurement error unknown: the scenario disables the self-test streams (canary: false).';
};

/** The measurement error of a run by its own canary, as a sentence. */
export const measurementErrorText = (result: Result): string | null => {
  const error = errorBarOf(result);
  if (error === null) return missingErrorReason(result);
  const loops = error.loops === 1 ? '' : ` in each of ${error.loops} loops`;
  const { plan, slices } = result;
  const afterFirstSecond = errorBarOf({ plan: { ...plan, warmUp: milliseconds(1000) }, slices });
  // In the first second code is compiled and connections are opened, so trust does not judge it.
  const settled =
    plan.warmUp >= 1000 || afterFirstSecond === null || afterFirstSecond.p99 > error.p99 / 2
      ? ''
      : `; p99 ${figureText(afterFirstSecond.p99)} ms after the first second`;
  const missing =
    error.missing < 0.01 ? '' : `; ${shareText(error.missing, 1)} of them are missing`;
  return `Measurement error: p50 ${figureText(error.p50)} ms, p99 ${figureText(error.p99)} ms (${error.streams} self-test streams${loops}, ${plural(error.events, 'event')}${missing}${settled}).`;
};

export const measurementErrorMeaning =
  'The delay between the sending of an event and its time stamp. Next to the run’s own streams, the same event loop and transport read 20 self-test streams (fewer if many workers share them) from a process on this machine. Each sends an event every 50 ms with the time just before its write, on the monotonic clock that all processes share. If that process is delayed itself, events are missing, and the error of that time is unknown. The delay includes this machine’s kernel and the wait for the event loop, but nothing of the target. It covers the same seconds as the figures. The run’s own reads have the same delay, plus that of TLS or another protocol.';
