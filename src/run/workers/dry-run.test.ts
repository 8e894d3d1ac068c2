// @gate 2 s
import { describe, expect, it } from 'vitest';
import { constantLoad, fakePlan, fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { sampleTrace, sampleTraceLoad } from '../../model/workload/sample-trace.fixture.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { startClock } from '../../platform/host/clock.ts';
import { sampleClip, sampleTraffic } from '../../traffic/sample-traffic.fixture.ts';
import { fakeWorld } from '../../engine/fake-world.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import { dryRun } from './dry-run.ts';

const load = constantLoad(10_000, 1000);
const roomy = { caps: { bytes: 1_000_000, events: 1000 } };
const optionsOf = (plan = fakePlan(load, roomy)): SliceOptions => ({
  ...fakeSliceOptions(plan),
  clips: { clipsOf: () => [sampleClip()] },
});

const observationsOf = (options: SliceOptions): readonly Observation[] => {
  const observations: Observation[] = [];
  dryRun(options, startClock(), (observation) => observations.push(observation));
  return observations;
};

describe('a dry run', () => {
  it.each(trafficKinds)('completes requests of %s', (kind) => {
    const stages = [{ name: 'main', load, traffic: [sampleTraffic[kind]] }];
    const observations = observationsOf(optionsOf(fakePlan(load, { ...roomy, stages })));
    expect(observations.length).toBeGreaterThan(0);
    expect(new Set(observations.map(({ outcome }) => outcome.kind))).toEqual(
      new Set(['completed']),
    );
  });

  it('draws only requests that the plan has, of all its stages', () => {
    const traffic = [sampleTraffic.models];
    const stages = [
      { name: 'trace', load: sampleTraceLoad, traffic },
      { name: 'none', load: constantLoad(0, 1000), traffic },
      { name: 'users', load: constantLoad(2, 1000), traffic },
    ];
    const observations = observationsOf(optionsOf(fakePlan(load, { stages })));
    const drawn = new Set(observations.map(({ stage, index }) => `${stage} ${index}`));
    const rows = Array.from({ length: sampleTrace.count }, (_, index) => `0 ${index}`);
    expect(drawn).toEqual(new Set([...rows, '2 0', '2 1']));
  });

  it('changes nothing of what is drawn afterwards', () => {
    const options = optionsOf();
    const [before] = observationsOf(options);
    const [after] = observationsOf(options);
    const { requestId, key, traffic } = before!;
    expect(after).toMatchObject({ requestId, key, traffic });
  });

  it.each(trafficKinds)('leaves no trace in the run of %s after it', async (kind) => {
    const short = constantLoad(20, 1000);
    const stages = [{ name: 'main', load: short, traffic: [sampleTraffic[kind]] }];
    const options = optionsOf(fakePlan(short, { ...roomy, stages }));
    const sentAndRecorded = async () => {
      const world = fakeWorld();
      const observations: Observation[] = [];
      const { clock, transport } = world;
      const observe = (each: Observation) => observations.push(each);
      const running = runSlice(options, { clock, transports: [transport], observe });
      for (let at = 50; at <= 3000; at += 50) {
        world.advanceTo(at);
        for (const exchange of world.sent)
          if (!exchange.isFinished) exchange.answer(503, 'text/plain', 'no');
      }
      return {
        sent: world.sent.map(({ request }) => request),
        observations,
        ...(await running.done),
      };
    };
    const without = await sentAndRecorded();
    expect(without.sent).toHaveLength(20);
    dryRun(options, startClock());
    expect(await sentAndRecorded()).toEqual(without);
  });

  it('keeps nothing and needs nobody', () => {
    expect(() => dryRun(optionsOf(), startClock())).not.toThrow();
  });
});
