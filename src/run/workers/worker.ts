/**
 * A worker: one slice of a run in a thread of its own, with its own connections, clock, recorders and
 * signals. It prepares what it needs, says that it is ready, begins at the moment that all workers are
 * told, sends news while it runs, and its whole result when it is over.
 */
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { ClipSource, Clip } from '../../model/workload/clip.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { milliseconds } from '../../model/quantity.ts';
import { redactor } from '../../model/plan/secret.ts';
import { withoutPrompts } from '../../model/plan/without-prompts.ts';
import { openCanaryStreams } from '../../platform/canary/canary-streams.ts';
import { cleanHeap } from '../../platform/host/clean-heap.ts';
import { clockFrom } from '../../platform/host/clock.ts';
import { thisMachine, weirVersion } from '../../platform/host/machine.ts';
import { currentThread } from '../../platform/process/thread.ts';
import { observationLine } from '../../record/observation-lines.ts';
import { createIncrementalTally } from '../../record/incremental-tally.ts';
import { toResult } from '../../record/tally.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import { writeCheckpoint } from '../watch/checkpoint.ts';
import { redrawInterval, collectLiveFigures } from '../watch/live-display.ts';
import { startLocalSlice } from './run-local-slice.ts';
import { workloadFiles } from '../input/workload-files.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './worker-messages.ts';

const thread = currentThread<WorkerSetup, ToWorker, FromWorker>();
const { input: setup } = thread;
const { plan } = setup;

const clipsBy = new Map<string, readonly Clip[]>(
  setup.clips.map(([source, clips]) => [JSON.stringify(source), clips]),
);

const sliceRequest: SliceOptions = {
  plan,
  slice: setup.slice,
  runId: setup.runId,
  userAgent: setup.userAgent,
  credentials: setup.credentials,
  headers: setup.headers,
  sharedBudget: setup.sharedBudget,
  clips: { clipsOf: (source: ClipSource) => clipsBy.get(JSON.stringify(source)) ?? [] },
  workload: workloadFiles(setup.baseFolder).reopen(plan),
  redact: redactor(setup.secrets),
};

/** What the main thread wants to hear of each observation. */
const collectUpdates = ({ reporting }: WorkerSetup) => {
  const live = collectLiveFigures();
  let observationLines: string[] = [];
  let checkpointLines: string[] = [];
  let observations: Observation[] = [];
  return {
    record: (observation: Observation): void => {
      live.record(observation);
      if (reporting.lines) observationLines.push(observationLine(observation));
      if (reporting.observations) observations.push(observation);
    },
    addCheckpointLine: (line: string): void => {
      checkpointLines.push(line);
    },
    take: () => {
      const news = { figures: live.take(), observationLines, checkpointLines, observations };
      observationLines = [];
      checkpointLines = [];
      observations = [];
      return news;
    },
  };
};

const canary = setup.canary === null ? null : await openCanaryStreams(setup.canary);

type StartRequest = Extract<ToWorker, { kind: 'begin' }>;

const begin = ({ startedAt, machineZero }: StartRequest) => {
  const clock = clockFrom(machineZero);
  const tally = createIncrementalTally(plan);
  const news = collectUpdates(setup);
  const { running, samples, close } = startLocalSlice(sliceRequest, setup.targetAddress, clock, {
    wrap: (transport) => transport,
    canary,
    observe: (observation) => {
      tally.record(observation);
      news.record(observation);
    },
  });
  const facts = {
    weir: weirVersion(),
    runId: setup.runId,
    planHash: setup.planHash,
    plan: withoutPrompts(plan),
  };
  const slice = {
    ...setup.slice,
    startedAt,
    clock: `${startedAt} ${machineZero}`,
    baseUrl: setup.targetAddress.baseUrl,
    machine: thisMachine(),
  };
  const stopCheckpoint = writeCheckpoint(news.addCheckpointLine, {
    header: { ...facts, slice, notes: [...setup.notes] },
    tally,
    clock,
    generator: samples,
    loadEnds: scheduledEnd(plan),
  });
  const sendUpdate = (): void =>
    thread.post({ kind: 'news', motion: running.progress(), ...news.take() });
  const stopUpdates = clock.every(redrawInterval, sendUpdate);
  const end = async (): Promise<void> => {
    const { loadEnded, stopped, spent, notes } = await running.done;
    stopCheckpoint();
    stopUpdates();
    sendUpdate();
    const result = toResult(tally.whole(), {
      ...facts,
      slices: [{ ...slice, generator: [...samples] }],
      scheduled: milliseconds(loadEnded),
      partial: null,
      breach: undefined,
      notes: [...notes],
      witness: null,
    });
    thread.post({ kind: 'over', result, cut: stopped, spent });
    await close();
    thread.close();
  };
  return { running, ended: end() };
};

let started: ReturnType<typeof begin> | null = null;
thread.listen((message) => {
  if (message.kind === 'begin') started = begin(message);
  else started?.running.stop(message.grace);
});
cleanHeap();
thread.post({ kind: 'ready' });
