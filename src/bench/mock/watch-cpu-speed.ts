import { startPinned } from '../harness/pinned-processes.ts';
import { type NormalSpeed, normalSpeedOf, type SpeedSamples } from './slow-intervals.ts';

/** Does something while another process watches the processor's speed, on the second core: a spell takes both. */
export const watchCpuSpeed = async (work: () => Promise<void>): Promise<NormalSpeed> => {
  const monitor = await startPinned(1, ['speed-witness.ts'], { input: 'watch' });
  try {
    await work();
    monitor.child.stdin!.write('tell\n');
    return normalSpeedOf(JSON.parse(await monitor.next()) as SpeedSamples);
  } finally {
    await monitor.stop();
  }
};
