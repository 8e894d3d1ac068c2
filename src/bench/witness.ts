import { startOn } from './processes.ts';
import { type Calm, calmOf, type SpeedSamples } from './slow-spells.ts';

/** Does something while another process watches the processor's speed, on the second core: a spell takes both. */
export const watched = async <T>(work: () => Promise<T>): Promise<{ done: T; calm: Calm }> => {
  const witness = await startOn(1, ['speed-witness.ts'], { input: 'watch' });
  try {
    const done = await work();
    witness.child.stdin!.write('tell\n');
    return { done, calm: calmOf(JSON.parse(await witness.next()) as SpeedSamples) };
  } finally {
    await witness.stop();
  }
};
