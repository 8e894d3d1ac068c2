import { expect, it } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import { keepFailure } from './sweep.ts';

const sweeping = () => {
  const { host, warned } = fakeHost();
  const points = [
    { values: ['1'], runs: [], problems: [] },
    { values: ['2'], runs: [], problems: ['before'] },
  ];
  return { warned, state: { host, points, stopped: null, partial: null } as never, points };
};
const slot = { point: 1, repetition: 0 };

it('a run that could not begin is kept with its point, and warned of', () => {
  const { state, points, warned } = sweeping();
  keepFailure(state, slot, new Problem('the address moved'));
  expect(points.map(({ problems }) => problems)).toEqual([[], ['before', 'the address moved']]);
  expect(warned).toEqual(['This run could not be made: the address moved']);
  expect(state).toMatchObject({ stopped: null, partial: null });
});

it('a run that was stopped before its load stops the sweep, and is no problem of its point', () => {
  const { state, points, warned } = sweeping();
  keepFailure(state, slot, new StoppedBeforeLoad('SIGTERM'));
  expect(state).toMatchObject({ stopped: 'terminated' });
  expect([points[1]!.problems, warned]).toEqual([['before'], []]);
});

it('any other error is a defect', () => {
  const { state, points } = sweeping();
  expect(() => keepFailure(state, slot, new Error('a defect'))).toThrow('a defect');
  expect(points[1]!.problems).toEqual(['before']);
});
