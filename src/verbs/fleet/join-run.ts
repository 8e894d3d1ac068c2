import {
  keysOf,
  readRecord,
  type RendezvousRun,
  rendezvousRunSchema,
  runKey,
} from './model/records.ts';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import { monotonicNow, steadyNow } from '../../platform/host/clock.ts';
import { hostName } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { pause } from '../../platform/process/pause.ts';
import { plural, timeText } from '../../report/text/number-text.ts';
import { type FollowedStops, StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import type { StopCause } from '../../run/input/host.ts';
import { persist } from './reach-rendezvous.ts';
import type { ClockOffset } from '../../model/rendezvous/clock-offset.ts';
import { offsetFrom, type RoundTrip } from './model/clock-offset.ts';

/** The interval at which a worker looks for a coordinator, in ms. */
const lookInterval = 250;

const runIn = async (rendezvous: Rendezvous): Promise<RendezvousRun | null> => {
  const text = await rendezvous.get(runKey);
  const run = readRecord(rendezvousRunSchema, text);
  if (text === null || run !== null) return run;
  throw new Problem(
    `the rendezvous ${rendezvous.name} holds a run of another version of Weir: install the same version on all machines`,
  );
};

/**
 * Waits for a coordinator. Throws a `Problem` if no coordinator comes, and `StoppedBeforeLoad` if the worker is stopped
 * first.
 */
export const waitForRun = async (
  rendezvous: Rendezvous,
  wait: number,
  { onStop }: FollowedStops,
  say: (text: string) => void,
): Promise<RendezvousRun> => {
  const until = monotonicNow() + wait;
  for (let looks = 0; ; looks += 1) {
    const run = await runIn(rendezvous);
    if (run !== null) return run;
    if (looks === 0) say(`Waiting for weir coordinate at ${rendezvous.name}.`);
    if (monotonicNow() >= until)
      throw new Problem(
        `no coordinator came to ${rendezvous.name} within ${timeText(wait)}: start weir coordinate with this rendezvous, or wait longer with --wait`,
      );
    const stoppedBy = await pause<StopCause>(lookInterval, onStop);
    if (stoppedBy !== null) throw new StoppedBeforeLoad(stoppedBy);
  }
};

/**
 * Claims a slice for this worker. A worker without a claim sends nothing. Throws a `Problem` if another worker has
 * claimed the slice.
 */
export const claimSlice = async (
  rendezvous: Rendezvous,
  { id, slices, silence }: RendezvousRun,
  wanted: Slice | null,
  worker: string,
): Promise<number> => {
  if (wanted !== null && wanted.count !== slices) {
    throw new Problem(
      `--slice: the coordinator divides the load into ${plural(slices, 'slice')}, and this worker is ${wanted.index} of ${wanted.count}: start as many workers as weir coordinate has --slices`,
    );
  }
  const claim = JSON.stringify({ worker, host: hostName() });
  const indexes = wanted === null ? Array.from({ length: slices }, (_, n) => n) : [wanted.index];
  for (const index of indexes) {
    const key = keysOf(id).claim(index);
    if (await persist(silence, () => rendezvous.create(key, claim))) return index;
  }
  throw new Problem(
    wanted === null
      ? `${slices === 1 ? 'the only slice is' : `all ${slices} slices are`} taken: this worker sends nothing. Give weir coordinate more --slices, or start fewer workers`
      : `slice ${wanted.index}/${slices} is taken: this worker sends nothing, since its requests would be sent twice. A slice that is lost is not started again`,
  );
};

/**
 * A worker asks the coordinator for the time at least `leastTrips` times. It continues, up to `mostTrips` times, until
 * its clock's offset is exact to `wantedUncertainty` ms.
 */
const leastTrips = 16;
const mostTrips = 64;
const wantedUncertainty = 1;

/**
 * Returns how far this process's clock is ahead of the coordinator's clock. Ends early if the coordinator leaves
 * `patience` questions unanswered. Throws a `Problem` if the coordinator answers no question.
 */
export const measureOffset = async (
  rendezvous: Rendezvous,
  patience: number,
): Promise<ClockOffset> => {
  const made: RoundTrip[] = [];
  let unanswered = 0;
  const isEnough = (): boolean =>
    made.length >= mostTrips ||
    (made.length >= leastTrips && offsetFrom(made)!.uncertainty <= wantedUncertainty);
  while (!isEnough()) {
    const asked = steadyNow();
    const other = await rendezvous.askTime();
    const answered = steadyNow();
    if (other !== null && Number.isFinite(other)) made.push({ asked, other, answered });
    else if ((unanswered += 1) >= patience) break;
  }
  const found = offsetFrom(made);
  if (found !== null) return found;
  throw new Problem(
    `the coordinator’s clock does not answer at ${rendezvous.name}: is weir coordinate still running there?`,
  );
};
