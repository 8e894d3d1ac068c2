import { describe, expect, it } from 'vitest';
import { constantLoad, fakePlan, fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { sampleTrace, sampleTraceLoad } from '../../model/workload/sample-trace.fixture.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { startClock } from '../../platform/host/clock.ts';
import { sampleClip, sampleTraffic } from '../../traffic/sample-traffic.fixture.ts';
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

  it('keeps nothing and needs nobody', () => {
    expect(() => dryRun(optionsOf(), startClock())).not.toThrow();
  });
});
