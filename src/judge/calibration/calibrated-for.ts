import type { Calibration, CalibrationCell } from '../../model/series/calibration.ts';
import type { Result } from '../../model/result/result.ts';

interface RunLoad {
  readonly streams: number;
  readonly tokensPerSecond: number;
}

/**
 * Returns the largest number of requests in flight during a run, and the largest number of token events in one second;
 * `null` without token events.
 */
export const fullestLoad = ({ timeline }: Result): RunLoad | null => {
  let inFlight = 0;
  let streams = 0;
  let tokensPerSecond = 0;
  for (const { begun, ended, tokenEvents } of timeline) {
    streams = Math.max(streams, inFlight + begun);
    inFlight += begun - ended;
    tokensPerSecond = Math.max(tokensPerSecond, tokenEvents);
  }
  return tokensPerSecond === 0 ? null : { streams, tokensPerSecond };
};

const tokensOf = ({ streams, tokensPerSecond }: CalibrationCell): number =>
  streams * tokensPerSecond;

/**
 * Returns the smallest calibrated load that is at least the load of a run, for the same transport and number of
 * workers; `null` if no calibrated load is so large.
 */
export const calibratedFor = (
  { cells }: Calibration,
  load: RunLoad,
  { transport, workers }: Pick<CalibrationCell, 'transport' | 'workers'>,
): CalibrationCell | null =>
  cells
    .filter(
      (cell) =>
        cell.transport === transport &&
        cell.workers === workers &&
        cell.trust !== 'invalid' &&
        cell.streams >= load.streams &&
        tokensOf(cell) >= load.tokensPerSecond,
    )
    .toSorted((a, b) => tokensOf(a) - tokensOf(b) || a.streams - b.streams)[0] ?? null;

/**
 * Returns a text for each property of Weir or the machine that has changed since a calibration. After a change, the
 * calibrated errors may not apply to the run.
 */
export const changedSince = (
  { weir, machine }: Calibration,
  result: Pick<Result, 'weir' | 'slices'>,
): readonly string[] => {
  const now = result.slices[0]?.machine ?? machine;
  const facts = [
    ['Weir', weir, result.weir],
    ['Node', machine.node, now.node],
    ['system', machine.platform, now.platform],
    ['CPU', `${machine.cores} × ${machine.cpu}`, `${now.cores} × ${now.cpu}`],
  ] as const;
  return facts.flatMap(([what, before, after]) =>
    before === after ? [] : [`${what} ${before}, now ${after}`],
  );
};
