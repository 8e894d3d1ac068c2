import { describe, expect, it } from 'vitest';
import type { Load, Plan } from '../model/plan/plan.ts';
import { milliseconds, perSecond } from '../model/quantity.ts';
import { connectLead } from './connect-ahead.ts';
import {
  constantLoad,
  fakePlan,
  fakeSliceOptions,
  startFakeRun,
  usersAtOnce as users,
} from './fake-run.fixture.ts';

const pace = {
  requests: 60,
  tokens: null,
  window: milliseconds(60_000),
  margin: milliseconds(0),
  charged: 'sent',
} as const;

const traffic = [{ kind: 'models', weight: 1 }] as const;

/** A plan with a stage for each load that opens connections ahead. */
const planOf = (loads: readonly Load[], changes: Partial<Plan> = {}): Plan => {
  const plan = fakePlan(loads[0]!);
  return {
    ...plan,
    transport: 'socket',
    wire: { ...plan.wire, connectAhead: true },
    deadlines: { connect: null, firstToken: null, idle: null, total: null },
    stages: loads.map((load, index) => ({ name: `s${index}`, load, traffic: [...traffic] })),
    ...changes,
  };
};

/** How many connections were wanted by each look at these instants of a run without answers. */
const wantedAt = (plan: Plan, instants: readonly number[]) => {
  const { world } = startFakeRun(plan);
  world.advanceTo(Math.max(...instants));
  return instants.map((at) => world.connectAhead.find((look) => look.at === at)?.count);
};

describe('connections are opened ahead', () => {
  it('for as many requests as are due within a tenth of a second of the next second', () => {
    const plan = planOf([constantLoad(10, 1500), users(50)]);
    expect(wantedAt(plan, [20, 480, 500, 1480, 1500])).toEqual([1, 1, 50, 50, 0]);
  });

  it('as far as the cap of requests in flight leaves room', () => {
    const plan = planOf([constantLoad(10, 1500), users(50)], { inFlight: 30 });
    expect(wantedAt(plan, [500, 1480])).toEqual([24, 15]);
  });

  it('for no request whose connection is left by one that ends', () => {
    const { world, answerAll } = startFakeRun(planOf([constantLoad(100, 5000)]));
    for (let at = 20; at <= 400; at += 10) {
      world.advanceTo(at);
      answerAll();
    }
    expect(world.connectAhead[0]!.count).toBeGreaterThanOrEqual(9);
    expect(world.connectAhead.at(-1)!.count).toBeLessThanOrEqual(1);
  });

  it('in each slice for its own requests', () => {
    const { world } = startFakeRun(planOf([constantLoad(10, 1000), users(50)]), {
      index: 1,
      count: 5,
    });
    world.advanceTo(20);
    expect(world.connectAhead.at(-1)!.count).toBe(10);
  });

  it('no longer once the run is stopped', () => {
    const { world, running } = startFakeRun(planOf([constantLoad(10, 5000)]));
    world.advanceTo(100);
    running.stop(milliseconds(500));
    const looks = world.connectAhead.length;
    world.advanceTo(300);
    expect(world.connectAhead).toHaveLength(looks);
  });

  it.each([
    ['the scenario does not want it', { wire: fakePlan(users(1)).wire }],
    ['the transport cannot', { transport: 'undici' }],
    ['the pace decides when requests are sent', { pace }],
  ] as const)('not where %s', (_, changes) => {
    const plan = planOf([users(5)], changes);
    expect(wantedAt(plan, [20])).toEqual([undefined]);
    expect(connectLead(fakeSliceOptions(plan))).toBe(0);
  });
});

describe('the clock starts before its zero', () => {
  const leadOf = (load: Load): number => connectLead(fakeSliceOptions(planOf([load])));

  it('by a fifth of a second and half a millisecond for each connection, at most by a second', () => {
    expect(leadOf(users(1))).toBe(200.5);
    expect(leadOf(users(500))).toBe(450);
    expect(leadOf(users(2000))).toBe(1000);
  });

  it('not at all where no request is due at the start', () => {
    const ramp = { from: perSecond(0), to: perSecond(10), duration: milliseconds(1000) };
    expect(leadOf({ kind: 'open', spacing: 'even', curve: [ramp] })).toBe(200.5);
    const pause = { ...ramp, to: perSecond(0) };
    expect(leadOf({ kind: 'open', spacing: 'even', curve: [pause, ramp] })).toBe(0);
  });
});
