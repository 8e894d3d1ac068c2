import { monotonicNow } from '../../platform/host/clock.ts';
import { sleep } from '../../platform/process/pause.ts';
import type { StopCause } from '../../run/input/host.ts';
import { type Coordination, lookInterval } from './coordination.ts';
import { showProgress } from './show-progress.ts';
import { isSliceOver } from './slice-watch.ts';

/** Why all slices are stopped, where one has lost or ended its load too early; `null` to let them go on. */
const reasonToStop = ({ led: { slices, run }, request }: Coordination): string | null => {
  if (request.onLost === 'degrade') return null;
  for (const { index, lost, record, isCollected } of slices) {
    const name = `slice ${index}/${run.slices}`;
    if (lost !== null)
      return `The others stop, since ${name} is lost (--on-lost degrade lets them go on)`;
    if (isCollected && record?.result?.isWhole === false)
      return `The others stop, since ${name} ended before its load did`;
  }
  return null;
};

/** Reports each loss once. */
const lossReporter = () => {
  const reported = new Set<number>();
  return ({ led: { slices, run }, host: { printer } }: Coordination): void => {
    for (const { index, lost } of slices) {
      if (lost === null || reported.has(index)) continue;
      reported.add(index);
      printer.warn(`Slice ${index}/${run.slices} is lost: ${lost.why}.`);
    }
  };
};

/** Follows the load to its end. Returns what stopped it, if the user did. */
export const followLoad = async (coordination: Coordination): Promise<StopCause | null> => {
  const { led, plan, host, stops, onProgress } = coordination;
  const { printer } = host;
  const show = showProgress(plan, printer.screen, onProgress);
  let stoppedBy: StopCause | null = null;
  const release = stops.onStop((cause, times) => {
    stoppedBy ??= cause;
    led.stop(times);
    if (times === 1) printer.say('stopping all slices; press Ctrl-C again to abort their requests');
  });
  const reportLosses = lossReporter();
  try {
    for (;;) {
      await led.turn();
      const now = monotonicNow();
      if (led.slices.every((state) => isSliceOver(state, now, led.run.silence))) return stoppedBy;
      reportLosses(coordination);
      const reason = led.stops > 0 ? null : reasonToStop(coordination);
      if (reason !== null) {
        printer.warn(`${reason}.`);
        led.stop(1);
      }
      show(led.slices);
      await sleep(lookInterval);
    }
  } finally {
    release();
    printer.screen?.clear();
  }
};
