import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { observationsHeaderSchema } from '../../model/observation/observation.ts';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Mock } from '../../mock/gateway/start.ts';
import { countersOf, openMock } from './open-mock.fixture.ts';
import { resultIn } from './run-files.fixture.ts';
import {
  type FinishedProgram,
  type StartedProgram,
  startWeir,
  tempFile,
  tempFolder,
} from './weir-process.fixture.ts';

/** A key that must be nowhere in a rendezvous. */
export const testKeyOfWorkers = 'sk-weir-test';

const scenario = (seconds: number): string => `
name: shared
traffic: [{ kind: models }]
load: { kind: constant, rate: 60/s, duration: ${seconds}s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
`;

/** How long anybody is silent before it is taken for gone, in these tests, in ms. */
export const silence = 3000;

/** A coordinator and its workers, as processes, against a gateway of this process. */
export interface StartedRendezvous {
  readonly mock: Mock;
  readonly address: string;
  /** The folder of the coordinator's report. */
  readonly out: string;
  readonly coordinator: StartedProgram;
  /** Starts a worker, with further options and environment. */
  worker(args?: readonly string[], environment?: Readonly<Record<string, string>>): StartedProgram;
  /** Resolves when the load is under way: every slice has had its share of what the gateway has answered. */
  loadBegun(): Promise<void>;
  /** The path of a worker's observations. */
  observationsOf(name: string): string;
}

/** Starts a coordinator of `slices` slices at a rendezvous; its workers are the test's. */
export const startRendezvousRun = async (
  address: string,
  {
    slices = 3,
    seconds = 4,
    options = [],
    silence: given = silence,
  }: {
    readonly slices?: number;
    readonly seconds?: number;
    readonly options?: readonly string[];
    readonly silence?: number;
  } = {},
): Promise<StartedRendezvous> => {
  const mock = await openMock({ limits: { requestsPerMinute: null } });
  const home = await tempFolder();
  const out = join(home, 'out');
  const file = await tempFile('shared.yaml', scenario(seconds));
  const coordinator = startWeir([
    'coordinate',
    file,
    `--target=${mock.url}`,
    `--rendezvous=${address}`,
    `--slices=${slices}`,
    `--silence=${given}ms`,
    `--out=${out}`,
    ...options,
  ]);
  return {
    mock,
    address,
    out,
    coordinator,
    worker: (args = [], environment = {}) =>
      startWeir(['worker', '--rendezvous', address, '--no-key-check', ...args], {
        WEIR_API_KEY: testKeyOfWorkers,
        ...environment,
      }),
    loadBegun: async () => {
      await coordinator.waitForOutput('the load begins at');
      while ((await completedBy(mock)) < 20 * slices)
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    observationsOf: (name) => join(home, `${name}.jsonl`),
  };
};

/** What the gateway has completed by its own count. */
export const completedBy = async (mock: Mock): Promise<number> =>
  (await countersOf(mock))['completed'] ?? 0;

/** How many requests the gateway gets within `ms` from now on. */
export const growthOf = async (mock: Mock, ms: number): Promise<number> => {
  const before = await completedBy(mock);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return (await completedBy(mock)) - before;
};

/** A result, and how many of its requests were completed and broken. */
export const joinedIn = async (
  out: string,
): Promise<{
  readonly result: Result;
  readonly completed: number;
  readonly broken: number;
}> => {
  const result = await resultIn(out);
  const { completed, broken } = sumOutcomes(result.groups);
  return { result, completed, broken };
};

/** The instants 0 of workers on the clock that they share, in ms. */
export const zerosOf = (paths: readonly string[]): Promise<readonly number[]> =>
  Promise.all(
    paths.map(async (path) => {
      const [head = ''] = (await readFile(path, 'utf8')).split('\n');
      return observationsHeaderSchema.parse(JSON.parse(head)).machineZero;
    }),
  );

/** Waits for the end of a process, for at most `ms`; `null` if it has not ended. */
export const endedWithin = async (
  { ended }: StartedProgram,
  ms: number,
): Promise<FinishedProgram | null> =>
  Promise.race([ended, new Promise<null>((resolve) => setTimeout(resolve, ms, null))]);

/** Ends a process at once, and waits for its end. */
export const killNow = async ({ child, ended }: StartedProgram): Promise<void> => {
  const closed = once(child, 'exit');
  child.kill('SIGKILL');
  await closed;
  await ended;
};
