import { bytesOfChunk, weirMemory, type SliceForecast } from '../../model/plan/slice-forecast.ts';
import { section, type Section, text } from '../document/document.ts';
import { countText, plural } from '../text/number-text.ts';

const megabytes = (bytes: number): string => `${countText(Math.max(1, Math.ceil(bytes / 1e6)))} MB`;

const basisText = (basis: NonNullable<SliceForecast['basis']>): string =>
  `This machine was calibrated${basis.isValid ? '' : ' (degraded, as at any load)'} at ${plural(basis.streams, 'stream')} of ${countText(basis.tokensPerSecond)} tokens a second in ${plural(basis.workers, 'worker')}, beside the gateway: no slice gets more.`;

/** How many machines a load needs, and what each of them has to have. */
export const slicesSection = ({
  slices,
  streams,
  sockets,
  chunksPerSecond,
  memory,
  bytesPerSecond,
  basis,
}: SliceForecast): Section =>
  section('Slices', [
    text(
      `${plural(slices, 'slice')}, each at its peak with at most ${plural(streams, 'request')} in flight, as many sockets (${countText(sockets)}; see ulimit -n), ${plural(chunksPerSecond, 'chunk')} a second, about ${megabytes(memory)} of memory and ${megabytes(bytesPerSecond)}/s of answers.`,
    ),
    basis !== null && text(basisText(basis)),
    text(
      `Memory: ${weirMemory.process / 2 ** 20} MiB, and ${weirMemory.stream / 2 ** 10} KiB for each request in flight, rounded up from Weir’s own measurement (npm run bench memory). Answers: ${bytesOfChunk} bytes a chunk, assumed, not measured.`,
    ),
    text(
      'A request counts as ten chunks. In flight are as many as come in the time of an answer: 100 ms, and 10 ms for each token, unless --answer-time gives it.',
    ),
  ]);
