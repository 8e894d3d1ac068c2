// @long 57 s
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMock } from '../../acceptance/harness/open-mock.fixture.ts';
import {
  completedBy,
  growthOf,
  joinedIn,
} from '../../acceptance/harness/rendezvous-run.fixture.ts';
import { exitOf } from '../../acceptance/harness/run-files.fixture.ts';
import { weir } from '../../acceptance/harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  launcher,
  startWeir,
  tempFolder,
} from '../../acceptance/harness/weir-process.fixture.ts';
import type { Mock } from '../../mock/gateway/start.ts';
import { Unavailable } from '../harness/program-output.ts';
import { type SlurmCluster, startSlurm } from './slurm-cluster.fixture.ts';

/** What `weir emit slurm` prints, and a job array, on Slurm itself: three virtual nodes on this machine. */

cleanUpAfterEach();

let cluster: SlurmCluster | null = null;
let missing = '';

beforeAll(async () => {
  cluster = await startSlurm().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error;
    missing = error.message;
    return null;
  });
});
afterAll(() => cluster?.stop());

const scenario = (mock: Mock, seconds: number): string => `
name: evening
target: ${mock.url}
keys: [{ name: blue, key: '\${env:BLUE_KEY}' }]
traffic: [{ kind: models }]
load: { kind: constant, rate: 30/s, duration: ${seconds}s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
`;

/** A folder that all nodes see, with a scenario for a gateway. */
const openFolder = async (seconds: number) => {
  const mock = await openMock({ limits: { requestsPerMinute: null } });
  const folder = await tempFolder();
  await writeFile(join(folder, 'evening.yaml'), scenario(mock, seconds));
  return { mock, folder };
};

const environment = {
  BLUE_KEY: 'sk-weir-test',
  WEIR: `${process.execPath} ${launcher}`,
  WEIR_HISTORY: 'off',
};

const slurm = (skip: (why: string) => never): SlurmCluster => cluster ?? skip(missing);

/** Submits a script; returns the job's number. */
const submit = async (
  { slurm: run }: SlurmCluster,
  folder: string,
  script: string,
  options: readonly string[] = [],
): Promise<string> => {
  await writeFile(join(folder, 'job.sh'), script);
  const words = ['sbatch', '--parsable', '--output=job-%a.log', ...options, 'job.sh'] as const;
  return (await run(words, { cwd: folder, env: environment })).stdout.trim();
};

const emitted = async (folder: string): Promise<string> => {
  const { stdout, code } = await weir([
    'emit',
    'slurm',
    join(folder, 'evening.yaml'),
    '--slices=3',
  ]);
  expect(code).toBe(0);
  return stdout;
};

it('the script of weir emit slurm runs a slice on each of three nodes, to one report', async ({
  skip,
}) => {
  const started = slurm(skip);
  const { mock, folder } = await openFolder(4);
  const job = await submit(started, folder, await emitted(folder));
  const [finished] = await started.ended(job);
  const { result, completed } = await joinedIn(join(folder, 'reports', `weir-evening-${job}`));
  expect(finished?.exitCode).toBe(exitOf(result, 0));
  expect(result.partial).toBeNull();
  expect(result.slices.map(({ index, count }) => `${index}/${count}`)).toEqual([
    '0/3',
    '1/3',
    '2/3',
  ]);
  expect(completed).toBe(120);
  expect(await completedBy(mock)).toBe(120);
}, 90_000);

it('a cancelled job sends nothing more, and its report says that it was stopped', async ({
  skip,
}) => {
  const started = slurm(skip);
  const { mock, folder } = await openFolder(60);
  const job = await submit(started, folder, await emitted(folder));
  while ((await completedBy(mock)) < 30) await new Promise((resolve) => setTimeout(resolve, 100));
  await started.slurm(['scancel', job]);
  const [finished] = await started.ended(job);
  expect(finished?.state).toBe('CANCELLED');
  expect(await growthOf(mock, 1000)).toBe(0);
  const { result } = await joinedIn(join(folder, 'reports', `weir-evening-${job}`));
  expect(result.partial).toContain('SIGTERM');
}, 90_000);

it('each task of a job array is a worker with the slice of its index', async ({ skip }) => {
  const started = slurm(skip);
  const { mock, folder } = await openFolder(4);
  const meet = `file://${folder}/meet`;
  const out = join(folder, 'out');
  const coordinator = startWeir([
    'coordinate',
    join(folder, 'evening.yaml'),
    '--slices=3',
    `--rendezvous=${meet}`,
    `--out=${out}`,
  ]);
  const work = `#!/bin/sh\nexec $WEIR worker --rendezvous ${meet} --slice auto\n`;
  const job = await submit(started, folder, work, ['--array=5-9:2', '--mem=1G']);
  const { code } = await coordinator.ended;
  const tasks = await started.ended(job);
  expect(tasks).toEqual(tasks.map(() => ({ state: 'COMPLETED', exitCode: 0 })));
  expect(tasks).toHaveLength(3);
  const { result, completed } = await joinedIn(out);
  expect(code).toBe(exitOf(result, 0));
  expect(result.slices.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(completed).toBe(120);
  expect(await completedBy(mock)).toBe(120);
}, 90_000);
