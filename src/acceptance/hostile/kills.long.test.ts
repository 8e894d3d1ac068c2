import { describe, expect, it } from 'vitest';
import { type Draw, drawFrom } from '../../model/workload/draw.ts';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import {
  isKept,
  killed,
  type MeasuringCommand,
  measuringCommands,
  type Signals,
} from './kills.fixture.ts';

cleanUpAfterEach();

const names = Object.keys(measuringCommands) as readonly MeasuringCommand[];
const rounds = 40;

/** How long a command may take from its last signal to its end, in ms, on a busy machine too. */
const deadline = 20_000;

/** One to three signals within the four seconds that a command lasts. */
const drawSignals = (draw: Draw): Signals => {
  const moment = (): number => Math.floor(draw.uniform() * 2500);
  const gentle = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  return draw.pick<Signals>([
    [[moment(), 'SIGKILL']],
    [[moment(), draw.pick(gentle)]],
    [
      [moment(), 'SIGINT'],
      [Math.floor(draw.uniform() * 300), draw.pick(gentle)],
    ],
    [
      [moment(), 'SIGINT'],
      [50, 'SIGINT'],
      [Math.floor(draw.uniform() * 1000), 'SIGINT'],
    ],
  ]);
};

describe.each(names)('weir %s that is stopped or killed', { concurrent: true }, (name) => {
  it(
    `at ${rounds} random moments ends soon, loses nothing and leaves no process`,
    { timeout: 900_000 },
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const signals = drawSignals(drawFrom(19, names.indexOf(name), round));
        const ended = await killed(name, signals);
        const where = `${JSON.stringify(signals)}: exit ${ended.code} ${ended.signal}\n${ended.stderr}`;
        expect(ended.orphans, where).toEqual([]);
        expect(ended.took, where).toBeLessThan(deadline);
        expect(ended.code, where).not.toBe(1);
        expect(await isKept(name, ended), where).toBe(true);
      }
    },
  );
});
