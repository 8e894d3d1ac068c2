import { expect, it } from 'vitest';
import { constantLoad, fakePlan, fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { instant } from '../../model/quantity.ts';
import { startClock } from '../../platform/host/clock.ts';
import { sampleTraffic } from '../../traffic/sample-traffic.fixture.ts';
import { dryRun } from './dry-run.ts';

const load = constantLoad(2, 1000);
const traffic = [sampleTraffic.models];
const stages = [
  { name: 'of two', load, traffic },
  { name: 'of three', load: constantLoad(3, 1000), traffic },
];

/** Returns what a dry run observes if its time is over after `count` requests. */
const observed = (changes: Partial<Plan>, count: number): readonly Observation[] => {
  const observations: Observation[] = [];
  const now = () => instant(observations.length < count ? 149 : 299);
  // The other transport would be loaded, which takes longer than all else.
  const options = fakeSliceOptions(fakePlan(load, { transport: 'socket', ...changes }));
  dryRun(options, { ...startClock(), now }, (each) => observations.push(each));
  return observations;
};

it('the stages take turns, and begin again after their last request', () => {
  const drawn = observed({ stages }, 8).map(({ stage, index }) => [stage, index]);
  expect(drawn).toEqual([
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
    [0, 0],
    [1, 2],
    [0, 1],
    [1, 0],
  ]);
});

it('the speech of a dry run is a file of 64 samples at 8 kHz', () => {
  const speech = [{ name: 'speech', load, traffic: [sampleTraffic.speech] }];
  const [{ outcome } = { outcome: null }] = observed({ stages: speech }, 1);
  expect(outcome).toMatchObject({
    kind: 'completed',
    answer: {
      kind: 'speech',
      firstByte: 149,
      firstAudio: 149,
      // A header of 44 bytes, and two bytes for each sample.
      bytes: 44 + 64 * 2,
      audioSeconds: 64 / 8000,
      characters: 'Hello, weir.'.length,
      notes: [],
    },
  });
});
