import { errorBarOf } from '../../model/result/error-bar.ts';
import { hasChatStreams } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { figureText, plural, shareText } from '../text/number-text.ts';

/** Why a run that should have one has none; `null` where none was to be expected, as before there were any. */
const missingErrorReason = ({ plan }: Result): string | null => {
  if (plan.canary === undefined || !hasChatStreams(plan)) return null;
  return plan.canary
    ? 'No canary: not one event of it was read, so this run tells no error bar of its own.'
    : 'No canary: the scenario switched it off (canary: false), so this run tells no error bar of its own.';
};

/** How exact a run's instants of arrival are, by its own canary, in one sentence. */
export const measurementErrorText = (result: Result): string | null => {
  const error = errorBarOf(result);
  if (error === null) return missingErrorReason(result);
  const loops = error.loops === 1 ? '' : ` in each of ${error.loops} loops`;
  const { plan, slices } = result;
  const afterFirstSecond = errorBarOf({ plan: { ...plan, warmUp: milliseconds(1000) }, slices });
  // In the first second code is compiled and connections are made; trust does not judge it.
  const settled =
    plan.warmUp >= 1000 || afterFirstSecond === null || afterFirstSecond.p99 > error.p99 / 2
      ? ''
      : `; p99 ${figureText(afterFirstSecond.p99)} ms after the first second`;
  const missing =
    error.missing < 0.01 ? '' : `; ${shareText(error.missing, 1)} of them are missing`;
  return `Error bar: arrivals read late by p50 ${figureText(error.p50)} / p99 ${figureText(error.p99)} ms (${error.streams} canary streams${loops}, ${plural(error.events, 'event')}${missing}${settled}).`;
};

export const measurementErrorMeaning =
  'How much later an event is stamped than it was sent. Beside the run’s own streams the same loop, by the same transport, reads 20 canary streams (fewer where many workers share them) of a process on this machine: each sends an event every 50 ms that holds the instant just before its write, on the monotonic clock that all processes share. Of the time in which that process was held up itself events are missing, and the bar says nothing of it. Read minus sent holds the way through this machine’s kernel and the wait for our loop, and nothing of the target: a slow one never shows in it. Over the seconds that the figures hold. The run’s own reads wait as long, if TLS or another protocol does not add to it.';
