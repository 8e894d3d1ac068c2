import { describe, expect, it } from 'vitest';
import type { Plan } from '../../model/plan/plan.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import { stepPlan } from './find-capacity.ts';

const request = { rate: 12, seconds: 30, warmUp: 7 };

describe('the plan of a step', () => {
  it('has the traffic of the first stage at one rate, and nothing that hides a limit', () => {
    const [stage] = samplePlan().stages as [Plan['stages'][number]];
    const scope = { stages: ['steady'], traffic: null };
    const objective = { scope, abortAfter: milliseconds(5000), text: 'o' };
    const plan = samplePlan({
      stages: [stage, { ...stage, name: 'other', traffic: [] }],
      retry: { attempts: 3 },
      pace: { spacing: 'even' },
      objectives: [objective],
      perRequest: [{ scope, text: 'p' }],
      seed: 42,
    } as never);
    const { name, stages, warmUp, grace, retry, pace, objectives, perRequest, seed, ...rest } =
      stepPlan(plan, request, 3);
    expect({ name, warmUp, grace, retry, pace, seed }).toEqual({
      name: 'sample step-3',
      warmUp: 7000,
      grace: 10_000,
      retry: null,
      pace: null,
      seed: 45,
    });
    expect(stages).toEqual([
      {
        name: 'step-3',
        load: {
          kind: 'open',
          spacing: 'even',
          curve: [{ from: 12, to: 12, duration: 30_000 }],
        },
        traffic: stage.traffic,
      },
    ]);
    expect(objectives).toEqual([
      { scope: { stages: null, traffic: null }, abortAfter: null, text: 'o' },
    ]);
    expect(perRequest).toEqual([{ scope: { stages: null, traffic: null }, text: 'p' }]);
    const own = [
      'name',
      'stages',
      'warmUp',
      'grace',
      'retry',
      'pace',
      'objectives',
      'perRequest',
      'seed',
    ];
    expect(Object.keys(rest)).toEqual(Object.keys(plan).filter((key) => !own.includes(key)));
    expect(rest).toEqual(
      Object.fromEntries(Object.entries(plan).filter(([key]) => !own.includes(key))),
    );
  });

  it('has a grace of at most half a minute, and no longer than its load', () => {
    const graceOf = (grace: number, seconds: number) =>
      stepPlan(samplePlan({ grace: milliseconds(grace) }), { ...request, seconds }, 1).grace;
    expect([graceOf(90_000, 60), graceOf(90_000, 6), graceOf(5000, 60)]).toEqual([
      30_000, 6000, 5000,
    ]);
  });

  it('has the spacing of the first open load, or an even one', () => {
    const [stage] = samplePlan().stages as [Plan['stages'][number]];
    const curve = [{ from: perSecond(1), to: perSecond(1), duration: milliseconds(1000) }] as const;
    const open = (spacing: string) => ({ ...stage, load: { kind: 'open', curve, spacing } });
    const closed = { ...stage, load: { kind: 'closed', users: 1, thinkTime: 0 } };
    const spacingOf = (...stages: readonly object[]) => {
      const [{ load }] = stepPlan(samplePlan({ stages } as never), request, 1).stages as [
        Plan['stages'][number],
      ];
      return load.kind === 'open' && load.spacing;
    };
    expect(spacingOf(closed)).toBe('even');
    expect(spacingOf(closed, open('poisson'), open('even'))).toBe('poisson');
  });
});
