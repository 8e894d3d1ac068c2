import type { ClockOffset } from '../../model/rendezvous/clock-offset.ts';
import { offsetOver } from './model/clock-offset.ts';
import { keysOf, type RendezvousRun } from './model/records.ts';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import { openNewRunFolder } from '../../platform/files/run-folder.ts';
import { steadyNow } from '../../platform/host/clock.ts';
import { hostName, uniqueName } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { sleep } from '../../platform/process/pause.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import type { Host, OnStop } from '../../run/input/host.ts';
import type { PlannedStart } from '../../run/input/planned-start.ts';
import type { ReadPlanWithFiles } from '../../run/input/read-plan.ts';
import { bareRequest } from '../../run/input/run-request.ts';
import { folderFor } from '../../run/input/report-paths.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { writeResultIn } from '../../run/output/output-folder.ts';
import { type FinishedRun, runOnce } from '../../run/run.ts';
import { shareProgress } from './slice-progress.ts';
import { type FollowedCoordinator, followCoordinator } from './follow-coordinator.ts';
import { receivePlan, type WorkerFolder } from './hand-over-plan.ts';
import { claimSlice, waitForRun, measureOffset } from './join-run.ts';
import { reachRendezvous, persist } from './reach-rendezvous.ts';

export interface WorkRequest extends Omit<WorkerFolder, 'environment'> {
  readonly rendezvous: string;
  /** The slice that this worker runs; `null` means the next free slice. */
  readonly slice: Slice | null;
  /** The maximum time to wait for a coordinator, in ms. */
  readonly wait: number;
  /**
   * A folder for the slice's result. If `undefined`, the result is only written if the coordinator did not receive it.
   */
  readonly out: string | undefined;
  readonly keyCheck: boolean;
  /** The file on this machine that gets a line for each request; `undefined` means no file. */
  readonly observations: string | undefined;
}

/** Combines several `OnStop` sources into one. */
export const eitherStop =
  (...all: readonly OnStop[]): OnStop =>
  (listener) => {
    const times = all.map(() => 0);
    const releases = all.map((onStop, n) =>
      onStop((cause, count) => {
        times[n] = count;
        const sum = times.reduce((before, each) => before + each, 0);
        listener(cause, sum);
      }),
    );
    return () => {
      for (const release of releases) release();
    };
  };

interface ClaimedSlice {
  readonly run: RendezvousRun;
  readonly slice: Slice;
  readonly read: ReadPlanWithFiles;
  readonly follow: FollowedCoordinator;
  readonly progress: ReturnType<typeof shareProgress>;
}

/**
 * A worker stops asking the coordinator for the time after `startPatience` unanswered questions before the load, and
 * after `endPatience` unanswered questions after the load, when less depends on the answers.
 */
const [startPatience, endPatience] = [8, 2] as const;

/**
 * Runs a slice that this worker has claimed. Returns the finished run, and the offset of this clock if it is still
 * known at the end.
 */
const runSlice = async (
  rendezvous: Rendezvous,
  { run, slice, read, follow, progress }: ClaimedSlice,
  { keyCheck, observations }: WorkRequest,
  host: Host,
): Promise<{ readonly finished: FinishedRun; readonly clock: ClockOffset | null }> => {
  let first: ClockOffset | null = null;
  const agreeOnStart = async (): Promise<PlannedStart> => {
    const clock = await measureOffset(rendezvous, startPatience);
    first = clock;
    follow.send({ phase: 'ready', clock });
    return {
      at: await follow.startAt,
      now: () => steadyNow() - clock.offset,
      name: 'the common start',
      remedy: 'Its machine may be too busy',
    };
  };
  const request = {
    ...bareRequest,
    source: read,
    slice,
    runId: run.runId,
    agreeOnStart,
    lease: follow.lease,
    // Only one slice checks the keys, since each check uses up a part of the keys' limits.
    keyCheck: keyCheck && slice.index === 0,
    observations,
    yes: true,
  };
  const finished = await runOnce(request, host, () => ({
    ...progress.observer,
    onStart: (started) => {
      progress.observer.onStart?.(started);
      follow.send({ phase: 'running' });
    },
  }));
  const last = follow.isGone()
    ? null
    : await measureOffset(rendezvous, endPatience).catch((error: unknown) => {
        if (error instanceof Problem) return null;
        throw error;
      });
  return { finished, clock: first === null || last === null ? null : offsetOver(first, last) };
};

/** Writes the result of a slice to a file on this machine, and returns the file's path. */
const keepResult = async (
  { result }: FinishedRun,
  out: string | undefined,
  { index }: Slice,
): Promise<string> => {
  const path = folderFor(out, `${result.plan.name}-slice-${index}`);
  return writeResultIn(await openNewRunFolder(path), result);
};

/** Sends the result, and waits until the coordinator has received it. */
const handOver = async (
  rendezvous: Rendezvous,
  { run, slice, follow }: Pick<ClaimedSlice, 'run' | 'slice' | 'follow'>,
  { result }: FinishedRun,
  clock: ClockOffset | null,
): Promise<boolean> => {
  // If the run has ended, no coordinator would read or remove a result.
  if (follow.isRunOver()) return false;
  try {
    const content = new TextEncoder().encode(JSON.stringify(result));
    const key = keysOf(run.id).result(slice.index);
    const digest = await persist(run.silence, () => rendezvous.store(key, content));
    const isWhole = result.partial === null;
    follow.send({ phase: 'ended', clock, result: { digest, isWhole } });
    return await Promise.race([follow.ended, sleep(2 * run.silence).then(() => false)]);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
};

const stopExits: readonly ExitName[] = ['interrupted', 'terminated', 'hangup'];

/** Sends the result of a finished slice, keeps a copy if requested or needed, and says where the result is. */
export const endSlice = async (
  rendezvous: Rendezvous,
  claimed: Pick<ClaimedSlice, 'run' | 'slice' | 'follow'>,
  { finished, clock }: Awaited<ReturnType<typeof runSlice>>,
  out: string | undefined,
  { say, warn }: Host['printer'],
): Promise<ExitName> => {
  const { slice, run } = claimed;
  const isCollected = await handOver(rendezvous, claimed, finished, clock);
  const name = `Slice ${slice.index}/${run.slices}`;
  if (!isCollected || out !== undefined) {
    const path = await keepResult(finished, out, slice);
    if (isCollected) say(`Result: ${path}`);
    else
      warn(
        `${name}: the coordinator did not take the result. It is in ${path}; \`weir merge\` joins it with those of the other slices.`,
      );
  }
  const { partial } = finished.result;
  if (partial !== null) warn(`${name}: ${partial}.`);
  else if (isCollected) say(`${name} is complete; the coordinator has its result.`);
  if (stopExits.includes(finished.exit)) return finished.exit;
  return isCollected && partial === null ? 'pass' : 'incomplete';
};

/** Runs a claimed slice to its end, and sends the result. If the slice fails, tells the coordinator. */
const workOn = async (
  rendezvous: Rendezvous,
  claimed: ClaimedSlice,
  request: WorkRequest,
  host: Host,
): Promise<ExitName> => {
  const { follow } = claimed;
  const both = { ...host, onStop: eitherStop(host.onStop, follow.onStop) };
  const ended = await runSlice(rendezvous, claimed, request, both).catch((error: unknown) => {
    const message = error instanceof Problem ? error.message : 'a bug in Weir';
    follow.send({ phase: 'failed', message });
    throw error;
  });
  return endSlice(rendezvous, claimed, ended, request.out, host.printer);
};

/**
 * Waits for a coordinator, claims a slice, runs it from the common start, and sends the result. Throws a `Problem` and
 * sends no requests if another worker has claimed the slice, or if the version, the plan or a file differs.
 */
export const workOnce = async (request: WorkRequest, host: Host): Promise<ExitName> => {
  const { say } = host.printer;
  const stops = followStops(host.onStop, () => say('the result is being handed over'));
  const rendezvous = await reachRendezvous(request, host, stops).catch((error: unknown) => {
    stops.release();
    throw error;
  });
  let follow: FollowedCoordinator | null = null;
  try {
    const run = await waitForRun(rendezvous, request.wait, stops, say);
    const read = await receivePlan(rendezvous, run, { ...request, ...host });
    const worker = uniqueName();
    const index = await claimSlice(rendezvous, run, request.slice, worker);
    const progress = shareProgress();
    follow = followCoordinator(rendezvous, {
      run,
      slice: index,
      worker: { worker, host: hostName() },
      takeProgress: progress.take,
    });
    const slice = { index, count: run.slices };
    say(`This worker has slice ${index}/${run.slices} of ${run.name}.`);
    const claimed = { run, slice, read, follow, progress };
    return await workOn(rendezvous, claimed, request, { ...host, onStop: stops.onStop });
  } finally {
    await follow?.close();
    await rendezvous.close();
    stops.release();
  }
};
