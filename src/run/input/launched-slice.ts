import type { Slice } from '../../model/workload/arrival.ts';
import { Problem } from '../../platform/problem.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';

/** This file implements `--slice auto`: environment variables say which slice the launcher assigned to this process. */

/** The environment variable in which the user passes the number of slices if the launcher does not set it. */
const countName = 'WEIR_SLICES';

/**
 * The position of this process among the processes that its launcher started. `count` is the number of these processes;
 * `null` if the launcher sets no variable with this number.
 */
interface Place {
  readonly index: number;
  readonly count: number | null;
}

const isSet = (environment: Environment, name: string): boolean =>
  environment[name] !== undefined && environment[name] !== '';

const wholeNumber = (environment: Environment, name: string, least: number): number => {
  const text = environment[name] ?? '';
  const value = Number(text);
  if (/^\d{1,6}$/.test(text) && value >= least) return value;
  throw new Problem(
    `--slice auto: expected a whole number from ${least} on in the environment variable ${name}, got ${JSON.stringify(text)}`,
  );
};

/** Reads a number from an environment variable. Returns `other` if the variable is not set. */
const numberOr = (environment: Environment, name: string, least: number, other: number): number =>
  isSet(environment, name) ? wholeNumber(environment, name, least) : other;

/**
 * Returns the position of a task in its Slurm job array. Throws a `Problem` if the numbers of the tasks have gaps,
 * since a task does not know the numbers of the other tasks.
 */
const arrayPlace = (environment: Environment): { index: number; count: number } => {
  if (!isSet(environment, 'SLURM_ARRAY_TASK_ID')) return { index: 0, count: 1 };
  const id = wholeNumber(environment, 'SLURM_ARRAY_TASK_ID', 0);
  const count = wholeNumber(environment, 'SLURM_ARRAY_TASK_COUNT', 1);
  const first = wholeNumber(environment, 'SLURM_ARRAY_TASK_MIN', 0);
  const last = wholeNumber(environment, 'SLURM_ARRAY_TASK_MAX', 0);
  const step = numberOr(environment, 'SLURM_ARRAY_TASK_STEP', 1, 1);
  if ((last - first) / step + 1 !== count || (id - first) % step !== 0) {
    throw new Problem(
      `--slice auto: expected an array without gaps, such as --array=0-${count - 1}; got ${count} tasks from ${first} to ${last}`,
    );
  }
  return { index: (id - first) / step, count };
};

/** The variables of each launcher. A launcher is recognised if one of the variables in `sign` is set. */
const launchers: readonly {
  readonly name: string;
  readonly sign: readonly string[];
  readonly place: (environment: Environment) => Place;
}[] = [
  {
    name: 'a Kubernetes Indexed Job',
    sign: ['JOB_COMPLETION_INDEX'],
    place: (environment) => ({
      index: wholeNumber(environment, 'JOB_COMPLETION_INDEX', 0),
      count: null,
    }),
  },
  {
    // The job may be a job array. Each job of the array may have several tasks, and every task runs one slice.
    name: 'Slurm',
    sign: ['SLURM_PROCID', 'SLURM_ARRAY_TASK_ID'],
    place: (environment) => {
      const tasks = numberOr(environment, 'SLURM_NTASKS', 1, 1);
      const array = arrayPlace(environment);
      const task = numberOr(environment, 'SLURM_PROCID', 0, 0);
      return { index: array.index * tasks + task, count: array.count * tasks };
    },
  },
  {
    // The user sets the variable to `{{.Task.Slot}}`. In a replicated job, slots begin at 0, but Docker prints the id
    // of a node instead of slot 0.
    name: 'a Docker Swarm job',
    sign: ['WEIR_TASK_SLOT'],
    place: (environment) => ({
      index: /^[0-9a-z]{25}$/.test(environment['WEIR_TASK_SLOT'] ?? '')
        ? 0
        : wholeNumber(environment, 'WEIR_TASK_SLOT', 0),
      count: null,
    }),
  },
];

/**
 * Returns the slice that the launcher assigned to this process. Throws a `Problem` if the environment shows no launcher
 * or several launchers, or if the slice is not valid.
 */
export const launchedSlice = (environment: Environment): Slice => {
  const [launcher, ...others] = launchers.filter(({ sign }) =>
    sign.some((name) => isSet(environment, name)),
  );
  if (launcher === undefined) {
    throw new Problem(
      `--slice auto: expected to be started by a Kubernetes Indexed Job (JOB_COMPLETION_INDEX), Slurm (SLURM_PROCID, SLURM_ARRAY_TASK_ID) or a Docker Swarm job (WEIR_TASK_SLOT={{.Task.Slot}}), and found none of these variables. Give the slice itself, such as --slice 0/2`,
    );
  }
  if (others.length > 0) {
    const names = [launcher, ...others].map(({ name }) => name).join(' and ');
    throw new Problem(
      `--slice auto: found the variables of ${names}, and cannot know whose slices these are. Unset those of one, or give the slice itself, such as --slice 0/2`,
    );
  }
  const { index, count: ownCount } = launcher.place(environment);
  if (ownCount === null && !isSet(environment, countName)) {
    throw new Problem(
      `--slice auto: ${launcher.name} does not say how many slices there are: set the environment variable ${countName} to their number`,
    );
  }
  const count = ownCount ?? wholeNumber(environment, countName, 1);
  if (ownCount !== null && isSet(environment, countName)) {
    const named = wholeNumber(environment, countName, 1);
    if (named !== count)
      throw new Problem(
        `--slice auto: ${launcher.name} started ${count} tasks, and ${countName} says ${named}: make them the same`,
      );
  }
  if (index >= count) {
    throw new Problem(
      `--slice auto: this process is number ${index}, counted from 0, and there ${count === 1 ? 'is 1 slice' : `are ${count} slices`}: start as many processes as slices`,
    );
  }
  return { index, count };
};
