import { timeText, plural } from '../../report/text/number-text.ts';
import { joinedResult } from './joined-result.ts';
import { closeMeeting, LedRun, openMeeting, removeAbandoned } from './lead-run.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { instant } from '../../model/quantity.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { openNewRunFolder } from '../../platform/files/run-folder.ts';
import { monotonicNow, steadyNow } from '../../platform/host/clock.ts';
import { uniqueName, weirVersion } from '../../platform/host/machine.ts';
import { sleep } from '../../platform/process/pause.ts';
import { UndoStack } from '../../platform/undo-stack.ts';
import { join } from 'node:path';
import { checkPlanFits } from '../../run/forecast.ts';
import { type FollowedStops, followStops } from '../../run/input/follow-stops.ts';
import type { Host } from '../../run/input/host.ts';
import { readPlanWithFiles } from '../../run/input/read-plan.ts';
import { folderFor } from '../../run/input/report-paths.ts';
import { defaultRunId } from '../../run/input/run-facts.ts';
import { type ExitName, exitOfStop } from '../../run/output/exit-codes.ts';
import { openExtraReports } from '../../run/output/extra-reports.ts';
import { exitForVerdicts } from '../../run/output/judge-result.ts';
import { openOutputFolder } from '../../run/output/output-folder.ts';
import { publish, type PublishedResult } from '../../run/output/publish.ts';
import { openLivePage } from '../../run/watch/live-page.ts';
import { createSnapshotPace } from '../../run/watch/snapshot-pace.ts';
import { storeInHistory } from '../../run/output/store-in-history.ts';
import {
  type CoordinateRequest,
  type Coordination,
  followLoad,
  gatherWorkers,
} from './follow-load.ts';
import { dividedPlan, storePlan } from './hand-over-plan.ts';
import { reachRendezvous } from './reach-rendezvous.ts';

/** How a coordinated run ended. `published` is `null` if no slice has a result. */
interface CoordinatedRun {
  readonly published: (PublishedResult & { readonly file: string }) | null;
  readonly exit: ExitName;
}

/**
 * The load starts this many ms after all workers are ready. Meanwhile the workers learn when the load starts, compile
 * their code, and open connections.
 */
const startLead = 5000;
/**
 * The coordinator's last message stays in the rendezvous for at least this many ms, so that the workers can read it.
 */
const farewell = 1000;

/** Leads a run from the first worker to the report. */
const lead = async (
  coordination: Coordination,
  { folder, page, extraReports }: Outputs,
  discard: () => Promise<void>,
): Promise<CoordinatedRun> => {
  const { led, plan, host, request } = coordination;
  const { say, warn } = host.printer;
  await gatherWorkers(coordination);
  const startAt = steadyNow() + startLead;
  const startedAt = monotonicNow() + startLead;
  led.begin(startAt);
  say(
    `${plan.name}: ${led.run.slices === 1 ? 'the slice is' : `all ${led.run.slices} slices are`} ready; the load begins at ${new Date(startAt).toISOString()}, in ${timeText(startLead)}.`,
  );
  const stoppedBy = await followLoad(coordination);
  // This message tells the workers that their results have arrived. They read it while the coordinator writes the
  // report.
  await led.turn();
  const heard = sleep(farewell);
  const stop = stoppedBy === null ? null : exitOfStop[stoppedBy];
  const result = joinedResult(led.results, led.slices, startedAt);
  if (result === null) {
    await discard();
    const why = led.slices.flatMap(({ index, lost }) =>
      lost === null ? [] : [`slice ${index}: ${lost.why}`],
    );
    warn(`No slice has a result (${why.join('; ')}): there is nothing to report.`);
    await heard;
    return { published: null, exit: stop ?? 'incomplete' };
  }
  const judged = await publish(result, { folder, extraReports }, host.printer, {
    stop,
    isStrict: request.strict ?? false,
  });
  await page?.onPublished?.(judged.written);
  const file = folder === null ? '' : join(folder.path, 'result.json');
  const published = { ...judged, file };
  if (folder !== null) await storeInHistory(request.history, published, warn);
  await heard;
  return { published, exit: stop ?? exitForVerdicts(judged) };
};

const openOutputs = async (
  { out, extraReports: paths, live }: CoordinateRequest,
  plan: Plan,
  { say, warn }: Host['printer'],
  stops: FollowedStops,
  { closing, discarding }: Record<'closing' | 'discarding', UndoStack>,
) => {
  const folder =
    out === null
      ? null
      : out === undefined
        ? await openNewRunFolder(folderFor(out, plan.name))
        : await openOutputFolder(out, 'run', say);
  closing.defer(() => folder?.release());
  discarding.defer(() => folder?.discard());
  const requestStop = (): void => stops.request('the live page');
  const at = { plan, folder: folder?.path ?? '', pace: createSnapshotPace() };
  const hasPage = live !== undefined && folder !== null;
  const page = hasPage ? await openLivePage(live, at, { warn, requestStop }) : null;
  closing.defer(() => page?.close?.());
  const extraReports = await openExtraReports(paths, say);
  discarding.defer(() => extraReports.discard());
  return { folder, page, extraReports };
};
type Outputs = Awaited<ReturnType<typeof openOutputs>>;

/** Opens the run in the rendezvous. When the run is closed, the rendezvous is empty again. */
const openLedRun = async (
  rendezvous: Rendezvous,
  plan: Plan,
  { request, host, stops }: Pick<Coordination, 'request' | 'host' | 'stops'>,
  closing: UndoStack,
): Promise<LedRun> => {
  await stops.unlessStopped(removeAbandoned(rendezvous, host.printer.say), null);
  const id = uniqueName();
  const run = {
    format: 'rendezvous/1' as const,
    id,
    weir: weirVersion(),
    runId: request.runId ?? defaultRunId(plan),
    name: plan.name,
    planHash: planHash(plan),
    planDigest: await storePlan(rendezvous, id, plan),
    slices: request.slices,
    silence: request.silence,
  };
  await openMeeting(rendezvous, run);
  closing.defer(() => closeMeeting(rendezvous, run));
  closing.defer(await rendezvous.answerTime(steadyNow));
  host.printer.say(
    `Waiting for ${plural(run.slices, 'worker')}: start each with weir worker --rendezvous ${rendezvous.name}`,
  );
  return new LedRun(rendezvous, run);
};

/**
 * Leads a run of several slices to one report. Throws a `Problem` before any request is sent if the run cannot begin.
 */
export const coordinateOnce = async (
  request: CoordinateRequest,
  host: Host,
  onProgress: Coordination['onProgress'] = () => undefined,
): Promise<CoordinatedRun> => {
  const { printer } = host;
  // The first stack is always closed. The second stack removes files, and is closed only if the run has no report.
  const [closing, discarding] = [new UndoStack(), new UndoStack()];
  const stops = followStops(host.onStop, () =>
    printer.say('the load is over; the reports are being written'),
  );
  closing.defer(() => stops.release());
  try {
    const source = { ...request.source, secretsAreElsewhere: true };
    const read = await readPlanWithFiles(source, host.environment);
    const plan = dividedPlan(read.plan, request.slices);
    if (!request.yes) checkPlanFits(read);
    const outputs = await openOutputs(request, plan, printer, stops, { closing, discarding });
    const rendezvous = await reachRendezvous(request, host, stops);
    closing.defer(() => rendezvous.close());
    const led = await openLedRun(rendezvous, plan, { request, host, stops }, closing);
    const report: Coordination['onProgress'] = (progress) => {
      outputs.page?.onTick?.(instant(progress.elapsed), progress);
      onProgress(progress);
    };
    const coordination = { request, host, stops, plan, led, onProgress: report };
    return await lead(coordination, outputs, () => discarding.disposeAsync());
  } catch (error) {
    await discarding.disposeAsync();
    throw error;
  } finally {
    await closing.disposeAsync();
  }
};
