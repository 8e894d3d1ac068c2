import { startOn } from './processes.ts';
import { type Calm, calmOf, type SpeedSamples } from './slow-spells.ts';

/** Does something while another process watches the processor's speed, on the second core: a spell takes both. */
export const watched = async (work: () => Promise<void>): Promise<Calm> => {
  const witness = await startOn(1, ['speed-witness.ts'], { input: 'watch' });
  try {
    await work();
    witness.child.stdin!.write('tell\n');
    return calmOf(JSON.parse(await witness.next()) as SpeedSamples);
  } finally {
    await witness.stop();
  }
};
