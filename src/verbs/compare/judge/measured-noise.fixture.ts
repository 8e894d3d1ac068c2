import type { sampleSide } from '../../../judge/series/sample-sides.fixture.ts';
import { type Noise, noiseSchema } from '../model/noise.ts';
import { selfNoise } from './self-noise.ts';

/** The noise of a side, in its stored form. */
export const measured = (side: ReturnType<typeof sampleSide>): Noise => {
  const found = selfNoise({
    side,
    gates: null,
    allowed: [],
    weir: '0.1.0',
    comparedAt: '2026-07-01T10:20:30.000Z',
  });
  if (!found.ok) throw new Error(found.refusals.map(({ message }) => message).join('; '));
  return noiseSchema.parse(found.noise);
};

/** The noise of the median TTFT of chat streams. */
export const ttft = ({ metrics }: Noise) =>
  metrics.find(({ id }) => id === 'chat-stream ttft.p50')!;
