import { type Plan, saturateLoadOf, planSchema } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';
import { rejectUntil, slicesNeedLength } from '../../run/input/reject-until.ts';
import { rejectSmallShares } from '../../run/open-run.ts';
import { plansByTarget } from '../../model/plan/targets.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { secretReferencesIn } from '../../model/plan/secret.ts';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { jsonOf, keysOf, type RendezvousRun } from './model/records.ts';
import { outsideOf } from '../../platform/files/outside.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import type { ReferencedFile } from '../../scenario/rules/referenced-files.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import { mountedSecret, readNamedFiles } from '../../run/input/named-files.ts';
import type { ReadPlanWithFiles } from '../../run/input/read-plan.ts';
import { workloadFiles } from '../../run/input/workload-files.ts';

/**
 * Prepares a plan for `slices` machines, each of which runs one slice. Throws a `Problem` if the plan cannot be
 * divided.
 */
export const dividedPlan = (plan: Plan, slices: number): Plan => {
  if (saturateLoadOf(plan) !== null) {
    throw new Problem(
      'a load of the kind "saturate" has no slices: every machine would saturate the target by itself. Start a separate run on each machine, or use the kind "closed"',
    );
  }
  rejectSmallShares(plan, slices);
  if (slices > 1) rejectUntil(plan, slicesNeedLength);
  // With `auto`, machines could have different numbers of workers, but all slices must be alike. So each machine gets
  // one worker.
  return plan.workers === 'auto' ? { ...plan, workers: 1 } : plan;
};

/**
 * This file passes a plan from the coordinator to the workers. The plan contains prompts but no secrets: keys and
 * headers are references, which each worker resolves in its own environment. Files are not sent: each worker reads its
 * own copies, which must have the same content.
 */

/**
 * Stores a plan for the workers, and returns its digest. The plan contains no secrets, since scenarios with secrets are
 * refused.
 */
export const storePlan = (rendezvous: Rendezvous, id: string, plan: Plan): Promise<string> =>
  rendezvous.store(keysOf(id).plan, new TextEncoder().encode(JSON.stringify(plan)));

/** Returns whether a key of a plan comes from a command. */
export const namesCommand = ({ keys }: Plan): boolean =>
  keys
    .flatMap(({ template }) => secretReferencesIn(template))
    .some(({ kind }) => kind === 'command');

/** Throws a `Problem` if a plan contains a command. A worker does not run commands that come from another machine. */
const rejectCommands = (plan: Plan): void => {
  if (namesCommand(plan))
    throw new Problem(
      'the plan takes a key from a command, and a worker runs no command that comes from another machine: use ${env:NAME} or ${secret:PATH} in the scenario',
    );
};

const fetchPlan = async (rendezvous: Rendezvous, run: RendezvousRun): Promise<Plan> => {
  if (run.weir !== weirVersion()) {
    throw new Problem(
      `the coordinator is Weir ${run.weir}, and this worker is ${weirVersion()}: install the same version on all machines`,
    );
  }
  const content = await rendezvous.load(keysOf(run.id).plan, run.planDigest);
  const read = planSchema.safeParse(jsonOf(content));
  if (read.success && planHash(read.data) === run.planHash) {
    rejectCommands(read.data);
    return read.data;
  }
  throw new Problem(
    `the plan in the rendezvous ${rendezvous.name} is not the one that the coordinator named (${run.planHash.slice(0, 12)}…): install the same Weir on all machines, and start the coordinator again`,
  );
};

const filesOfTarget = ({
  keys,
  headers,
  wire,
  stages,
  target,
}: Plan): readonly ReferencedFile[] => {
  const templates = [...keys.map(({ template }) => template), ...Object.values(headers)];
  const secrets = templates
    .flatMap(secretReferencesIn)
    .flatMap((reference) => (reference.kind === 'secret' ? [reference.path] : []));
  const clips = stages
    .flatMap(({ traffic }) => traffic)
    .flatMap((entry) =>
      entry.kind === 'transcription'
        ? entry.clips.map((clip) => ({ clip, oversized: entry.oversized }))
        : [],
    );
  const isRemote = target.kind === 'url';
  return [
    ...(isRemote ? secrets.map((file) => ({ kind: 'secret' as const, file })) : []),
    ...[wire.caFile, wire.clientCert, wire.clientKey].flatMap((file) =>
      isRemote && typeof file === 'string' ? [{ kind: 'certificates' as const, file }] : [],
    ),
    ...clips.map((clip) => ({ kind: 'clip' as const, ...clip })),
  ].map((use) => ({ use, place: { line: 1, column: 1 } as ReferencedFile['place'] }));
};

/** Returns the files that the plan names, except prompts and traces. */
const namedFiles = (plan: Plan): readonly ReferencedFile[] =>
  plansByTarget(plan).flatMap(filesOfTarget);

export interface WorkerFolder {
  readonly folder: string;
  /** Whether the plan may name files outside `folder`. */
  readonly allowFiles: boolean;
  readonly environment: Environment;
}

const rejectOutside = (files: readonly ReferencedFile[], folder: string): void => {
  for (const { use } of files) {
    if (use.kind === 'clip' || (use.kind === 'secret' && mountedSecret.test(use.file))) continue;
    const message = outsideOf(folder, use.file);
    if (message !== null) throw new Problem(message);
  }
};

const filesNeeded = (folder: string): string =>
  `A worker needs the scenario’s files: start it in a copy of the scenario’s folder, or name one with --folder (now ${folder})`;

/**
 * Reads the coordinator's plan and, from this machine, its files and secrets. Throws a `Problem` if the version of
 * Weir, the plan or a file differs.
 */
export const receivePlan = async (
  rendezvous: Rendezvous,
  run: RendezvousRun,
  { folder, allowFiles, environment }: WorkerFolder,
): Promise<ReadPlanWithFiles> => {
  const plan = await fetchPlan(rendezvous, run);
  const files = namedFiles(plan);
  if (!allowFiles) rejectOutside(files, folder);
  const { clips, problems } = await readNamedFiles(files, folder, allowFiles);
  const [first] = problems;
  if (first !== undefined) throw new Problem(`${first.message}. ${filesNeeded(folder)}`);
  const workload = workloadFiles(folder, allowFiles).reopenOrExplain(plan);
  if (!workload.ok) throw new Problem(`${workload.problem}. ${filesNeeded(folder)}`);
  return { plan, folder, environment, clips, workload: workload.value };
};
