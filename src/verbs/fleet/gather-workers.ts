import { monotonicNow } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';
import { pause } from '../../platform/process/pause.ts';
import { plural, timeText } from '../../report/text/number-text.ts';
import { StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import type { StopCause } from '../../run/input/host.ts';
import { type Coordination, lookInterval } from './coordination.ts';
import type { SliceState } from './slice-watch.ts';

const failureBefore = ({ led: { slices, run } }: Coordination): string | null => {
  for (const { index, record, lost } of slices) {
    const name = `slice ${index}/${run.slices}`;
    if (record?.phase === 'failed')
      return `${name} could not begin on ${record.host}: ${record.message}`;
    if (lost !== null) return `${name} was lost before the load (${lost.why})`;
  }
  return null;
};

const readyText = ({ record, index }: SliceState, count: number): string => {
  const { host, clock } = record!;
  const { offset = 0, uncertainty = 0 } = clock ?? {};
  const sign = offset <= -0.05 ? '−' : '+';
  return `Slice ${index}/${count} is ready on ${host}: clock ${sign}${timeText(Math.abs(offset))} ± ${timeText(uncertainty)}`;
};

/** Waits until every slice has a worker that is ready. Throws a `Problem` if that cannot be, and `StoppedBeforeLoad` at a stop. */
export const gatherWorkers = async (coordination: Coordination): Promise<void> => {
  const { led, request, host, stops } = coordination;
  const { printer } = host;
  const { slices: count } = led.run;
  const until = monotonicNow() + request.wait;
  const announced = new Set<number>();
  for (;;) {
    await led.turn();
    const problem = failureBefore(coordination);
    if (problem !== null) throw new Problem(`${problem}. Nothing was sent`);
    const ready = led.slices.filter(({ record }) => record?.phase === 'ready');
    for (const state of ready) {
      if (announced.has(state.index)) continue;
      announced.add(state.index);
      printer.say(readyText(state, count));
    }
    if (ready.length === count) return;
    if (monotonicNow() >= until)
      throw new Problem(
        `${ready.length} of ${plural(count, 'worker')} came within ${timeText(request.wait)}: start the others with weir worker --rendezvous ${request.rendezvous}, or wait longer with --wait. Nothing was sent`,
      );
    const stoppedBy = await pause<StopCause>(lookInterval, stops.onStop);
    if (stoppedBy !== null) throw new StoppedBeforeLoad(stoppedBy);
  }
};
