/**
 * A worker runs one part of a slice in its own thread, with its own connections, clock and recorder. The worker reports
 * when it is ready, and begins at the common instant 0. The worker sends updates while it runs, and its whole result at
 * the end.
 */
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { milliseconds } from '../../model/quantity.ts';
import { growingRedactor } from '../../model/plan/secret.ts';
import { openCanaryStreams } from '../../platform/canary/canary-streams.ts';
import { cleanHeap } from '../../platform/host/clean-heap.ts';
import { clockFrom } from '../../platform/host/clock.ts';
import { currentThread } from '../../platform/process/thread.ts';
import { observationLine } from '../../record/observation-lines.ts';
import { toResult } from '../../record/tally.ts';
import { writeOwnCheckpoint } from '../watch/checkpoint.ts';
import { collectLiveFigures } from '../watch/live-display.ts';
import { combineObservers, tickInterval, type WorkerObservations } from '../watch/observer.ts';
import { openRecorder } from '../watch/recorder.ts';
import { dryRun } from './dry-run.ts';
import { runSlice } from '../../engine/run-slice.ts';
import { openSlice } from './slice-ports.ts';
import { requestLines } from '../input/requests-table.ts';
import { runFacts } from '../input/run-facts.ts';
import { workloadFiles } from '../input/workload-files.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './worker-pool-plan.ts';

const thread = currentThread<WorkerSetup, ToWorker, FromWorker>();
const { input: setup } = thread;
const { plan, runId } = setup.options;

const secrets = [...setup.secrets];

const options: SliceOptions = {
  ...setup.options,
  slice: setup.slice,
  clips: { clipsOf: (source) => setup.clips.get(JSON.stringify(source)) ?? [] },
  workload: workloadFiles(setup.baseFolder).reopen(plan),
  redact: growingRedactor(secrets),
};

const collectUpdates = ({ reporting }: WorkerSetup, zero: number) => {
  const live = collectLiveFigures();
  const { requests } = reporting;
  const requestLine = requests === null ? null : requestLines(requests, { plan, zero });
  const emptyUpdate = () => ({
    observationLines: [] as string[],
    requestLines: [] as string[],
    checkpointLines: [] as string[],
    observations: [] as Observation[],
  });
  let update = emptyUpdate();
  return {
    onObservation: (observation: Observation): void => {
      live.record(observation);
      if (reporting.lines) update.observationLines.push(observationLine(observation));
      if (requestLine !== null) update.requestLines.push(requestLine(observation));
      if (reporting.observations) update.observations.push(observation);
    },
    addCheckpointLine: (line: string): void => {
      update.checkpointLines.push(line);
    },
    take: (): WorkerObservations => {
      const taken = { figures: live.take(), ...update };
      update = emptyUpdate();
      return taken;
    },
  };
};

const canary = setup.canary === null ? null : await openCanaryStreams(setup.canary);

const begin = ({ startedAt, machineZero }: Extract<ToWorker, { kind: 'begin' }>) => {
  const clock = clockFrom(machineZero);
  const recorder = openRecorder(plan);
  const updates = collectUpdates(setup, Date.parse(startedAt));
  const facts = runFacts(plan, runId);
  const checkpoint = writeOwnCheckpoint(updates.addCheckpointLine, recorder, facts, setup.pace);
  const { ports, samples, drain, close } = openSlice(options, setup.targetAddresses, clock, {
    observer: combineObservers([recorder, updates]),
    canary,
  });
  const running = runSlice(options, ports);
  const slice = {
    ...setup.slice,
    startedAt,
    clock: `${startedAt} ${machineZero}`,
    baseUrl: setup.baseUrl,
    machine: setup.machine,
  };
  const { notes: targetNotes } = setup;
  const local = { slice, generator: samples };
  checkpoint.onStart({ startedAt, clock, notes: targetNotes, redact: options.redact, local });
  const sendUpdate = (): void =>
    thread.post({ kind: 'update', progress: running.progress(), ...updates.take() });
  const stopUpdates = clock.every(tickInterval, sendUpdate);
  const end = async (): Promise<void> => {
    const { loadEnded, stopped, spent, lostLease, notes } = await running.done.finally(drain);
    checkpoint.onEnd();
    stopUpdates();
    sendUpdate();
    const result = toResult(recorder.whole([]), {
      ...facts,
      slices: [{ ...slice, generator: [...samples] }],
      scheduled: milliseconds(loadEnded),
      partial: null,
      breach: undefined,
      notes: [...notes],
      gatewayCounters: null,
    });
    thread.post({ kind: 'over', result, cut: stopped, spent, lostLease });
    await close();
    thread.close();
  };
  return { running, ended: end() };
};

let started: ReturnType<typeof begin> | null = null;
thread.listen((message) => {
  if (message.kind === 'begin') started = begin(message);
  else if (message.kind === 'key') {
    secrets.push(message.value);
    options.credentials[message.index]!.value = message.value;
  } else if (message.kind === 'end') started?.running.endLoad();
  else started?.running.stop(message.grace);
});
dryRun(options, clockFrom(0));
cleanHeap();
thread.post({ kind: 'ready' });
