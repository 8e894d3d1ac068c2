import {
  bytesOfChunk,
  chunksPerWorker,
  weirCosts,
  type SliceForecast,
} from '../../model/plan/slice-forecast.ts';
import type { Calibration, CalibrationCell } from '../../model/series/calibration.ts';

interface Peak {
  readonly chunks: number;
  readonly streams: number;
}

/** Returns how many slices a load needs if each slice takes at most the calibrated load. */
const slicesFor = (cell: CalibrationCell, { chunks, streams }: Peak): number =>
  Math.max(
    1,
    Math.ceil(streams / cell.streams),
    Math.ceil(chunks / (cell.streams * cell.tokensPerSecond)),
  );

const basisOf = ({ streams, tokensPerSecond, workers, trust }: CalibrationCell) => ({
  streams,
  tokensPerSecond,
  workers,
  isValid: trust === 'valid',
});

export const sliceForecast = (
  peak: Peak,
  slices: number,
  basis: CalibrationCell | null,
): SliceForecast => {
  const streams = Math.ceil(peak.streams / slices);
  const chunksPerSecond = Math.ceil(peak.chunks / slices);
  const workers = Math.max(1, Math.ceil(chunksPerSecond / chunksPerWorker));
  return {
    slices,
    streams,
    sockets: streams,
    chunksPerSecond,
    cores: (chunksPerSecond * weirCosts.chunk) / 1000,
    workers,
    memory: workers * weirCosts.worker + streams * weirCosts.stream,
    bytesPerSecond: chunksPerSecond * bytesOfChunk,
    basis: basis && basisOf(basis),
  };
};

/**
 * Returns the smallest number of slices for which the load of each slice is at most a calibrated load. Calibrated loads
 * whose trust is `degraded` count only if no calibrated load is `valid`. Returns `null` without a suitable calibrated
 * load.
 */
export const neededSlices = (
  { cells }: Calibration,
  peak: Peak,
  {
    transport,
    workers,
  }: { readonly transport: CalibrationCell['transport']; readonly workers: number | 'auto' },
): SliceForecast | null => {
  const usable = cells.filter(
    (cell) =>
      cell.trust !== 'invalid' &&
      cell.transport === transport &&
      (workers === 'auto' || cell.workers === workers),
  );
  const valid = usable.filter(({ trust }) => trust === 'valid');
  const [best] = (valid.length > 0 ? valid : usable).toSorted(
    (a, b) =>
      slicesFor(a, peak) - slicesFor(b, peak) ||
      a.workers - b.workers ||
      a.streams * a.tokensPerSecond - b.streams * b.tokensPerSecond,
  );
  return best === undefined ? null : sliceForecast(peak, slicesFor(best, peak), best);
};
