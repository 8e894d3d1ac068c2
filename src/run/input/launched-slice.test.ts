import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { launchedSlice } from './launched-slice.ts';

const array = (id: number, count: number, step = 1, first = 0): Record<string, string> => ({
  SLURM_ARRAY_TASK_ID: String(id),
  SLURM_ARRAY_TASK_COUNT: String(count),
  SLURM_ARRAY_TASK_MIN: String(first),
  SLURM_ARRAY_TASK_MAX: String(first + (count - 1) * step),
  SLURM_ARRAY_TASK_STEP: String(step),
});

describe('the slice of a launcher', () => {
  it.each([
    ['a Kubernetes job', { JOB_COMPLETION_INDEX: '2', WEIR_SLICES: '3' }, 2, 3],
    ['srun', { SLURM_PROCID: '1', SLURM_NTASKS: '4' }, 1, 4],
    ['a job array of sbatch', { ...array(5, 3, 2, 1), SLURM_PROCID: '0', SLURM_NTASKS: '1' }, 2, 3],
    ['srun in a job array', { ...array(1, 2), SLURM_PROCID: '2', SLURM_NTASKS: '3' }, 5, 6],
    ['a Swarm job', { WEIR_TASK_SLOT: '2', WEIR_SLICES: '3' }, 2, 3],
    [
      'a Swarm job’s slot 0, which prints a node',
      { WEIR_TASK_SLOT: 'p2ykjm4ccmr4w12s3ghjcdvi9', WEIR_SLICES: '3' },
      0,
      3,
    ],
  ])('is read for %s', (_, environment, index, count) => {
    expect(launchedSlice(environment)).toEqual({ index, count });
  });

  it('is another one for each task of any array of steps, and together they are the whole', () => {
    const sizes = fc.record({
      tasks: fc.integer({ min: 1, max: 5 }),
      count: fc.integer({ min: 1, max: 6 }),
      step: fc.integer({ min: 1, max: 4 }),
      first: fc.integer({ min: 0, max: 9 }),
    });
    fc.assert(
      fc.property(sizes, ({ tasks, count, step, first }) => {
        const slices = Array.from({ length: count * tasks }, (_, n) =>
          launchedSlice({
            ...array(first + Math.floor(n / tasks) * step, count, step, first),
            SLURM_PROCID: String(n % tasks),
            SLURM_NTASKS: String(tasks),
          }),
        );
        expect(slices).toEqual(slices.map((_, index) => ({ index, count: count * tasks })));
      }),
    );
  });

  it.each([
    ['no launcher', {}, 'found none of these variables'],
    [
      'two launchers',
      { JOB_COMPLETION_INDEX: '0', SLURM_PROCID: '0' },
      'found the variables of a Kubernetes Indexed Job and Slurm',
    ],
    [
      'no number of slices',
      { JOB_COMPLETION_INDEX: '0' },
      'set the environment variable WEIR_SLICES',
    ],
    [
      'an index outside',
      { JOB_COMPLETION_INDEX: '3', WEIR_SLICES: '3' },
      'this process is number 3, counted from 0, and there are 3 slices',
    ],
    [
      'no number',
      { JOB_COMPLETION_INDEX: 'x', WEIR_SLICES: '3' },
      'expected a whole number from 0 on in the environment variable JOB_COMPLETION_INDEX, got "x"',
    ],
    [
      'an array with gaps',
      { ...array(1, 3), SLURM_ARRAY_TASK_MAX: '7' },
      'expected an array without gaps, such as --array=0-2; got 3 tasks from 0 to 7',
    ],
    [
      'two numbers of slices',
      { SLURM_PROCID: '0', SLURM_NTASKS: '3', WEIR_SLICES: '4' },
      'Slurm started 3 tasks, and WEIR_SLICES says 4',
    ],
  ])('is refused with what to do for %s', (_, environment, message) => {
    expect(() => launchedSlice(environment)).toThrow(`--slice auto: `);
    expect(() => launchedSlice(environment)).toThrow(message);
  });
});
