import { milliseconds } from '../../model/quantity.ts';
import {
  findContainerEngine,
  loadContainerLibrary,
} from '../../platform/process/container-engine.ts';
import { startMockContainer } from '../../platform/process/mock-container.ts';
import type { Bench } from '../harness/bench.ts';
import { median } from '../harness/median.ts';

/** How long the gateway's container takes from the order until it answers, beside one that only starts Node. */

const rounds = 7;

export const containerBench: Bench = {
  name: 'container',
  about: 'how long the container of the mock takes until it answers',
  run: async () => {
    const base = process.env['WEIR_NODE_IMAGE'] ?? null;
    const { dockerode } = (await findContainerEngine(await loadContainerLibrary())).container;
    const options = { settings: {}, lifetime: milliseconds(60_000), base };
    // The first builds the image where it is missing, and has the engine read it.
    const first = await startMockContainer(options);
    await first.stop();
    const ready: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const container = await dockerode.createContainer({
        Image: base ?? 'node:24-slim',
        Cmd: ['node', '-e', '0'],
        HostConfig: { AutoRemove: true },
      });
      const bareStartedAt = performance.now();
      await container.start();
      await container.wait();
      bare.push(performance.now() - bareStartedAt);
      const mockStartedAt = performance.now();
      const mock = await startMockContainer(options);
      ready.push(performance.now() - mockStartedAt);
      await mock.stop();
    }
    return [
      {
        what: 'container ready, from the order on, once built',
        value: median(ready),
        unit: 'ms',
        bound: { kind: 'at most', value: 900 },
        ruler: median(bare),
      },
    ];
  },
};
