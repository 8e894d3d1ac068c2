import { expect, it } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import { withObjectives } from './with-objectives.ts';

/** A result of two populations, each with a target. */
const result = () => {
  const whole = healthyResult({ lags: [[0.1]] });
  const { plan } = whole;
  const [stage] = plan.stages;
  const names = ['quiet', 'noisy'];
  const { wire, target } = plan;
  return {
    ...whole,
    plan: {
      ...plan,
      stages: names.map((population) => ({ ...stage!, name: `of-${population}`, population })),
      populations: names.map((name) => ({
        name,
        after: 0,
        keys: [{ name: 'default', weight: 1 }],
        retry: null,
        target: name === 'quiet' ? 'east' : 'west',
      })),
      targets: ['east', 'west'].map((name) => ({ name, wire, target })),
    },
  } as unknown as ReturnType<typeof healthyResult>;
};

it('an objective of a population or a target is one of the stages that send for it', () => {
  const labels = ['population=quiet', 'target=west', 'stage=of-noisy'];
  const judged = withObjectives(
    result(),
    labels.map((label) => `errorRate{${label}} < 1%`),
  );
  expect(judged.plan.objectives.map(({ scope }) => scope.stages)).toEqual([
    ['of-quiet'],
    ['of-noisy'],
    ['of-noisy'],
  ]);
});

it('a population, a target or a stage that the plan lacks is named, with those that it has', () => {
  const labels = ['population=loud', 'target=north', 'stage=main'];
  const given = labels.map((label) => `errorRate{${label}} < 1%`);
  expect(() => withObjectives(result(), given)).toThrow(
    [
      `objective ${given[0]}: the plan has no population "loud": expected one of quiet, noisy`,
      `objective ${given[1]}: the plan has no target "north": expected one of east, west`,
      `objective ${given[2]}: the plan has no stage "main": expected one of of-quiet, of-noisy`,
    ].join('\n'),
  );
});

it('a message without a hint ends without one', () => {
  const whole = healthyResult({ lags: [[0.1]] });
  const messages = ['errorRate', 'errorRat < 1%'].map((text) => {
    try {
      withObjectives(whole, [text]);
      return 'none';
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(messages[0]).toMatch(/, or errorRate < 1%$/);
  expect(messages[1]).toMatch(/ of the run; did you mean "errorRate"\?$/);
});
