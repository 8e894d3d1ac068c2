// @long 60 s
import { expect, it, vi } from 'vitest';
import { percentileWithFailures } from '../../judge/statistics/percentile-with-failures.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { PolicyRecovery } from '../../verbs/recovery/model/recovery-report.ts';
import { windowsOf, yardstickOf } from '../../verbs/recovery/judge/windows.ts';
import type { OverloadTerms } from '../../verbs/recovery/overload-plan.ts';
import {
  calmPlan,
  capacity,
  lockingOut,
  type OverloadedServer,
  recoverVirtual,
  shedding,
  storm,
} from './overloaded-server.fixture.ts';

vi.setConfig({ testTimeout: 900_000 });

const seeds = Array.from({ length: 20 }, (_, index) => 1000 + index);

type Case = readonly [
  name: string,
  server: OverloadedServer,
  attempts: number,
  terms: Partial<OverloadTerms>,
  states: Partial<Record<PolicyRecovery['policy'], PolicyRecovery['state']>>,
];

/** Whether a target on which every attempt fails stays so: then each of ten requests a second is sent as often as it may be. */
const staysBad = (attempts: number, served: number): 'kept' | 'back' =>
  10 * attempts > served ? 'kept' : 'back';

const cases: readonly Case[] = [
  [
    'five attempts, 50 a second',
    storm,
    5,
    {},
    {
      none: staysBad(1, capacity),
      'retry-after': staysBad(5, capacity),
      backoff: staysBad(5, capacity),
    },
  ],
  [
    'three attempts, 30 a second',
    storm,
    3,
    { watch: 400_000, pause: 0 },
    {
      none: staysBad(1, capacity),
      'retry-after': staysBad(3, capacity),
      backoff: staysBad(3, capacity),
    },
  ],
  [
    'a cap on requests at once',
    shedding,
    5,
    {},
    { none: 'back', 'retry-after': 'back', backoff: 'back' },
  ],
  [
    'a limiter that counts refusals',
    lockingOut,
    5,
    { overload: 5000, watch: 40_000 },
    // Those who wait for ten seconds come back when its window is free again.
    { none: staysBad(1, 30), 'retry-after': 'back', backoff: staysBad(5, 30) },
  ],
];

it('cannot tell while what waits may still be worked off, and says how long that may take', async () => {
  const { policies } = await recoverVirtual(storm, calmPlan(1, 10, { attempts: 3 }), {
    policies: ['backoff'],
  });
  expect(policies[0]).toMatchObject({ state: 'unknown', reason: 'draining', after: null });
  // It comes back after some 200 s.
  expect(policies[0]!.needs).toBeGreaterThan(200_000);
});

it.each(cases)(
  'is right about %s in 19 of 20 runs',
  async (_name, server, attempts, terms, states) => {
    const wrong: string[] = [];
    const right: Record<string, number> = {};
    for (const seed of seeds) {
      const { policies } = await recoverVirtual(server, calmPlan(seed, 10, { attempts }), terms);
      for (const { policy, state, reason } of policies) {
        right[policy] = (right[policy] ?? 0) + Number(state === states[policy]);
        if (state !== states[policy]) wrong.push(`${seed} ${policy}: ${state} ${reason}`);
      }
    }
    for (const policy of Object.keys(states))
      expect(right[policy], wrong.join('; ')).toBeGreaterThanOrEqual(19);
  },
);

it('says when a server was back as its own log has it', async () => {
  const off: number[] = [];
  for (const seed of seeds) {
    const { policies, phases, log } = await recoverVirtual(storm, calmPlan(seed, 10, {}), {
      policies: ['none'],
    });
    const [{ after, resolution, within }, { gone, until }] = [policies[0]!, phases[0]!];
    const slow = log.filter(({ asked, ready }) => asked < until && ready - asked > within!);
    const truth =
      Math.max(...slow.filter(({ asked }) => asked < gone + 30_000).map(({ asked }) => asked)) -
      gone;
    off.push((after! - truth) / resolution!);
  }
  // A window is bad as a whole, so what is found is late by less than one, or early by what a bad minority of one hides.
  expect(off.filter((each) => Math.abs(each) <= 1).length, off.join(' ')).toBeGreaterThanOrEqual(
    19,
  );
});

/** Twenty requests a second to one server, which is busy for a share of the time and never overloaded. */
const queue = (seed: number, busy: number) => {
  const draw = drawFrom(seed, 77);
  const requests = [];
  let [due, free] = [0, 0];
  while (due < 130_000) {
    due += -50 * Math.log(1 - draw.uniform());
    free = Math.max(free, due) - 50 * busy * Math.log(1 - draw.uniform());
    requests.push({ policy: 'none', due, ended: free, came: free, attempts: [], named: 0 });
  }
  return requests;
};

it.each([0.3, 0.5, 0.8])(
  'calls a window of a steady queue at %s bad in at most 5 % of runs',
  (busy) => {
    const runs = 400;
    let [alarms, known] = [0, 0];
    for (let seed = 0; seed < runs; seed += 1) {
      const requests = queue(seed, busy);
      const phases = {
        policy: 'none',
        from: 0,
        peak: 30_000,
        gone: 40_000,
        until: 130_000,
      } as const;
      const times = requests.filter(({ due }) => due < 30_000).map(({ came, due }) => came - due);
      const [median, p95] = [0.5, 0.95].map((q) => percentileWithFailures(times, q)) as [
        number,
        number,
      ];
      const yardstick = yardstickOf(requests, phases, { median, within: 3 * p95 });
      if (yardstick === null) continue;
      known += 1;
      const windows = windowsOf(requests, { from: 40_000, to: 130_000 }, yardstick.length);
      if (windows.some((each) => yardstick.isBad(each, windows.length))) alarms += 1;
    }
    expect(known).toBeGreaterThan(runs / 2);
    expect(alarms / known).toBeLessThanOrEqual(0.05);
  },
);
