import { join } from 'node:path';
import { createSharedBudget } from '../../engine/slice-options.ts';
import { readingDelayOf } from '../../judge/errors/reading-delay.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { secretReferencesIn } from '../../model/plan/secret.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { type Arrival, wholeRunSlice } from '../../model/workload/arrival.ts';
import { hashOf } from '../../model/workload/draw.ts';
import { openRunFolder, type RunFolder } from '../../platform/files/run-folder.ts';
import { wallClock } from '../../platform/host/clock.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { timeText } from '../../report/text/number-text.ts';
import { openCanary, type RunCanary } from '../../run/canary.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import type { Host } from '../../run/input/host.ts';
import { readOption } from '../../run/input/read-option.ts';
import { readPlanWithFiles, type ReadPlanWithFiles } from '../../run/input/read-plan.ts';
import { rejectUntil } from '../../run/input/reject-until.ts';
import { defaultRunId } from '../../run/input/run-facts.ts';
import { type ExitName, gravestExit } from '../../run/output/exit-codes.ts';
import { openOutputFolder, usingFolder, writeResultIn } from '../../run/output/output-folder.ts';
import { publishReport } from '../../run/output/write-outputs.ts';
import { closeTarget } from '../../run/target/prepare-target.ts';
import {
  prepareTargets,
  type ReadyTargets,
  sliceOptionsFor,
} from '../../run/target/prepare-targets.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import { joinPairs, summariseSide } from './collect-pairs.ts';
import { type DrivenPairs, type DrivenSide, drivePairs } from './drive-pairs.ts';
import { agreeOnPairs } from './pairs-budget.ts';
import { exitForPairs } from './exit-for-pairs.ts';
import type { PairedSide, PairsReport } from './model/pairs.ts';
import { pairsDocument } from './report/pairs-document.ts';
import { judgePairs } from './judge/judge-pairs.ts';

interface PairsRequest {
  readonly scenario: string;
  /** The address of the base; if absent, the scenario's address. */
  readonly target: string | undefined;
  readonly next: string;
  /** The environment variables with the keys of each side. */
  readonly key: string | undefined;
  readonly withKey: string | undefined;
  readonly set: readonly string[];
  readonly allowFiles: boolean;
  readonly gap: string | undefined;
  readonly maxAdded: string | undefined;
  readonly yes: boolean;
  readonly out: string | undefined;
  readonly jobSummary: string | undefined;
}

/** The time between the two requests of a pair, in ms. With this gap, a machine can send both requests on time. */
const defaultGap = '10ms';
/** The precision in ms of the reference gateway's own times. Node's timers limit this precision. */
const mockPrecision = 1;

const limitPattern = /^(?:p(50|95|99)=)?(\S+)$/;

/** Reads the limits, such as `5ms` or `5ms,p95=20ms`. Without a percentile, a limit is on the median. */
const limitsFrom = (text: string | undefined) =>
  (text === undefined ? [] : text.split(',')).map((each) => {
    const [, percent = '50', time] = limitPattern.exec(each.trim()) ?? [];
    if (time === undefined)
      throw new Problem(
        `--max-added: expected a time such as 5ms, or p95=20ms for the 95th percentile; got ${each}`,
      );
    return { q: Number(percent) / 100, most: readOption('max-added', time, durationNotation) };
  });

const keysOf = (
  option: 'key' | 'with-key',
  name: string | undefined,
  environment: Host['environment'],
): readonly string[] => {
  if (name === undefined) return [];
  if ((environment[name] ?? '') === '')
    throw new Problem(
      `--${option}: the environment variable ${name} is not set; set it before the run, for example: export ${name}=…`,
    );
  return [`keys=${JSON.stringify([{ name: name.toLowerCase(), key: `\${env:${name}}` }])}`];
};

/** Throws a `Problem` for a plan that cannot be sent in pairs. */
const rejectUnpaired = (plan: Plan): void => {
  rejectUntil(plan, 'both sides are compared over the same time');
  if (plan.populations !== undefined)
    throw new Problem(
      'populations: --paired sends one mix of requests to both sides. Give the scenario one load',
    );
  const open = plan.stages.every(({ load }) => load.kind === 'open' || load.kind === 'trace');
  if (!open)
    throw new Problem(
      '--paired: expected loads with a rate or a trace, whose requests are due at the same instants at both sides; users who wait for answers would send to the faster side more often. Give the scenario a rate (load: {kind: constant, rate: 10/s, duration: 30s})',
    );
};

const secretHeader = ({ headers }: Plan): string | undefined =>
  Object.entries(headers).find(([, value]) => secretReferencesIn(value).length > 0)?.[0];

/** Throws a `Problem` if the new side would get a secret of the base. */
const rejectCrossedKeys = ({ plan }: ReadPlanWithFiles, { next, withKey }: PairsRequest): void => {
  if (withKey === undefined)
    throw new Problem(
      `--with-key: expected the environment variable with the key for ${next}: a key goes to no other side than its own. If both sides have the same key, name it again`,
    );
  const header = secretHeader(plan);
  if (header !== undefined)
    throw new Problem(
      `headers.${header}: it has a secret, and would go to both sides. Give the key of each side with --key and --with-key`,
    );
};

interface PairedPlans {
  readonly reads: readonly [base: ReadPlanWithFiles, next: ReadPlanWithFiles];
  readonly gap: Milliseconds;
  readonly limits: readonly { readonly q: number; readonly most: number }[];
}

const readPlans = async (request: PairsRequest, { environment }: Host): Promise<PairedPlans> => {
  const { scenario, target, next, key, withKey, set, allowFiles } = request;
  const limits = limitsFrom(request.maxAdded);
  const gap = readOption('gap', request.gap ?? defaultGap, durationNotation);
  const source = { scenario, flags: {}, allowFiles };
  const base = await readPlanWithFiles(
    { ...source, target, set: [...keysOf('key', key, environment), ...set] },
    environment,
  );
  rejectUnpaired(base.plan);
  rejectCrossedKeys(base, request);
  const other = await readPlanWithFiles(
    { ...source, target: next, set: [...set, ...keysOf('with-key', withKey, environment)] },
    environment,
  );
  return { reads: [base, other], gap, limits };
};

/** This random stream decides which side gets the first request of each pair. */
const orderStream = 0x9a17;

const isNextFirstOf =
  ({ seed }: Plan) =>
  ({ stage, index }: Pick<Arrival, 'stage' | 'index'>): boolean =>
    (hashOf(seed, orderStream + stage, index) & 0x10) === 0;

const sideOf = (
  { observations, results }: DrivenPairs,
  side: 0 | 1,
  target: ReadyTargets,
  isNextFirst: ReturnType<typeof isNextFirstOf>,
): PairedSide => ({
  target: target.baseUrl,
  key: target.credentials.map(({ name }) => name),
  trust: judgeTrust(results[side]).level,
  ...summariseSide(observations[side], (each) => isNextFirst(each) === (side === 1)),
});

const publishPairs = async (
  report: PairsReport,
  driven: DrivenPairs,
  folder: RunFolder,
  { printer }: Host,
  jobSummary: string | undefined,
): Promise<ExitName> => {
  const document = pairsDocument(report, folder.path);
  const written = await publishReport(printer, folder, 'pairs', { report, document, jobSummary });
  for (const [side, name] of (['base', 'new'] as const).entries())
    await writeResultIn(await openRunFolder(join(folder.path, name)), driven.results[side]!);
  return gravestExit([exitForPairs(report, driven), written]);
};

/** Drives both sides, and judges what the new side adds. */
const measurePairs = async (
  { reads, gap, limits }: PairedPlans,
  targets: readonly [base: ReadyTargets, next: ReadyTargets],
  canary: RunCanary,
  { printer, onStop }: Pick<Host, 'printer' | 'onStop'>,
): Promise<{ readonly report: PairsReport; readonly driven: DrivenPairs }> => {
  const { plan } = reads[0];
  const isNextFirst = isNextFirstOf(plan);
  const runId = defaultRunId(plan);
  const sharedBudget = createSharedBudget(wholeRunSlice);
  const sideAt = (side: 0 | 1): DrivenSide => ({
    target: targets[side],
    options: {
      ...sliceOptionsFor(reads[side], targets[side], { slice: wholeRunSlice, runId }),
      sharedBudget,
      second: { gap, isSecond: (arrival) => isNextFirst(arrival) === (side === 0) },
    },
  });
  const [base, next] = targets;
  printer.say(
    `${plan.name}: each request to ${base.baseUrl} and to ${next.baseUrl}, ${timeText(gap)} apart in random order, for ${timeText(scheduledEnd(plan))}. Ctrl-C ends it early and keeps the report.`,
  );
  const driven = await drivePairs([sideAt(0), sideAt(1)], canary, onStop);
  const { warmUp } = plan;
  const [ofBase, ofNext] = driven.observations;
  const seconds = Math.max(1, (driven.results[0].scheduled - warmUp) / 1000);
  const report: PairsReport = {
    format: 'pairs/1',
    weir: weirVersion(),
    name: plan.name,
    comparedAt: wallClock(),
    seed: plan.seed,
    gap,
    seconds,
    base: sideOf(driven, 0, base, isNextFirst),
    next: sideOf(driven, 1, next, isNextFirst),
    ...judgePairs({
      pairs: joinPairs({ base: ofBase, next: ofNext, isNextFirst, gap, warmUp }),
      seconds,
      reading: readingDelayOf(driven.results[0]),
      limits,
      mockError: targets.some(({ mocks }) => mocks.length > 0) ? mockPrecision : 0,
    }),
    notes: [
      ...(driven.partial === null ? [] : [`The load ${driven.partial}.`]),
      ...new Set(targets.flatMap(({ notes }) => notes)),
    ],
  };
  return { report, driven };
};

const closeTargets = async ({ targets }: ReadyTargets): Promise<void> => {
  for (const target of targets) await closeTarget(target);
};

/**
 * Sends the same requests to two sides, each to the second side shortly after the first, and reports what the new side
 * adds.
 */
export const comparePairs = async (request: PairsRequest, host: Host): Promise<ExitName> => {
  const { say } = host.printer;
  const plans = await readPlans(request, host);
  const [{ plan }, nextRead] = plans.reads;
  await agreeOnPairs(plans.reads, request.yes, host);
  const folder = await openOutputFolder(request.out, 'pairs', say);
  return usingFolder(folder, async (closing) => {
    const stops = followStops(host.onStop, () =>
      say('the load is over; the report is being written'),
    );
    closing.defer(() => stops.release());
    const starting = openCanary(plan, 1);
    closing.defer(async () => (await starting).stop());
    const open = async (read: ReadPlanWithFiles): Promise<ReadyTargets> => {
      const target = await stops.unlessStopped(prepareTargets(read), closeTargets);
      closing.defer(() => closeTargets(target));
      for (const warning of target.warnings) say(warning);
      return target;
    };
    const sides = [await open(plans.reads[0]), await open(nextRead)] as const;
    const stoppable = { ...host, onStop: stops.onStop };
    const { report, driven } = await measurePairs(plans, sides, await starting, stoppable);
    return publishPairs(report, driven, folder, host, request.jobSummary);
  });
};
