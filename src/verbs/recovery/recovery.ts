import type { Plan } from '../../model/plan/plan.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { figureText, listed, timeText } from '../../report/text/number-text.ts';
import { examineRun } from '../../run/examine-run.ts';
import type { Host } from '../../run/input/host.ts';
import { bounded, readOption } from '../../run/input/read-option.ts';
import { type PlanSource, readPlanWithFiles } from '../../run/input/read-plan.ts';
import { rejectUntil } from '../../run/input/reject-until.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import type { FinishedRun } from '../../run/run.ts';
import { rejectWorkers } from '../../run/workers/worker-pool-plan.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { exitForRecovery } from './exit-for-recovery.ts';
import { judgeRecovery } from './judge/judge-recovery.ts';
import type { RecoveryReport } from './model/recovery-report.ts';
import {
  type PolicyPhases,
  retryPolicies,
  type RetryPolicy,
  type SeenRequest,
} from './model/seen-request.ts';
import { overloadPlan, type OverloadTerms, phasesOf, rateOf, retryIn } from './overload-plan.ts';
import { recoveryDocument } from './report/recovery-document.ts';
import { seenRequest } from './seen-requests.ts';

export interface RecoveryRequest {
  readonly source: PlanSource;
  readonly policies: string | undefined;
  readonly times: string | undefined;
  readonly base: string | undefined;
  readonly overload: string | undefined;
  readonly watch: string | undefined;
  readonly pause: string | undefined;
  readonly within: string | undefined;
  readonly requests: string | undefined;
  readonly yes: boolean;
  readonly out: string | undefined;
}

const lengthNotation = bounded(durationNotation, (length) => length >= 1000, ', at least 1s');

const readTimes = (text: string): number => {
  const times = /^\d{1,4}(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (times > 1 && times <= 1000) return times;
  throw new Problem(`--times: expected a number above 1, at most 1000; got ${text}`);
};

const readPolicies = (text: string): readonly RetryPolicy[] => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(retryPolicies as readonly string[]).includes(name));
  if (unknown !== undefined || new Set(names).size < names.length)
    throw new Problem(
      `--policies: expected some of ${listed(retryPolicies)}, each once, with commas between them; got ${text}`,
    );
  return names as RetryPolicy[];
};

const termsFor = ({
  policies = retryPolicies.join(),
  times = '3',
  base = '30s',
  overload = '10s',
  watch = '90s',
  pause = '30s',
}: RecoveryRequest): OverloadTerms => ({
  policies: readPolicies(policies),
  times: readTimes(times),
  base: readOption(
    'base',
    base,
    bounded(durationNotation, (length) => length >= 10_000, ', at least 10s'),
  ),
  overload: readOption('overload', overload, lengthNotation),
  watch: readOption('watch', watch, lengthNotation),
  pause: readOption('pause', pause, durationNotation),
});

/** Says what will be sent, and in which order. */
const designText = (
  { policies, times, base, overload, watch, pause }: OverloadTerms,
  rate: number,
  { attempts, on }: ReturnType<typeof retryIn>,
): string =>
  `${figureText(rate)} requests a second for ${timeText(base)}, ${figureText(times)} times as many for ${timeText(overload)}, and as before for ${timeText(watch)}; with each policy in turn, ${timeText(pause)} apart: ${listed(policies)}. Retries: at most ${attempts} attempts, of ${listed(on)}.`;

interface Examination {
  readonly plan: Plan;
  readonly terms: OverloadTerms;
  readonly phases: readonly PolicyPhases[];
  readonly within: number | null;
}

export const recoveryReportOf = (
  { result, trust }: FinishedRun,
  requests: readonly SeenRequest[],
  { plan, terms, phases, within }: Examination,
): RecoveryReport => {
  const { startedAt, partial, scheduled, ended, baseUrl } = result;
  const { base, cap, ...retry } = retryIn(plan);
  return {
    format: 'recovery/1',
    weir: weirVersion(),
    name: plan.name,
    target: baseUrl,
    startedAt,
    took: ended,
    seed: plan.seed,
    multiple: terms.times,
    rate: rateOf(plan),
    retry: { base, cap, attempts: retry.attempts, on: [...retry.on] },
    partial,
    ...judgeRecovery({
      requests,
      phases,
      within,
      seenUntil: scheduled,
      isInvalid: trust.level === 'invalid',
    }),
    spent: { requests: requests.reduce((sum, { attempts }) => sum + attempts.length, 0) },
  };
};

/**
 * Prints a budget. Then examines, within the budget, whether a target comes back after an overload, for each way in
 * which clients retry.
 */
export const examineRecovery = async (request: RecoveryRequest, host: Host): Promise<ExitName> => {
  const source = await readPlanWithFiles(request.source, host.environment);
  const { plan } = source;
  rejectUntil(
    plan,
    'weir recovery compares the time before an overload with a given time after it',
    'weir recovery compares with all of the time before the overload',
  );
  rejectWorkers(plan, 'weir recovery sends with all its policies from one thread');
  const terms = termsFor(request);
  const within =
    request.within === undefined ? null : readOption('within', request.within, durationNotation);
  const phases = phasesOf(terms, plan.warmUp);
  const planned = { ...source, plan: overloadPlan(plan, terms, phases) };
  const retry = retryIn(plan);
  const sending = terms.policies.map((policy) => (policy === 'none' ? 1 : retry.attempts));
  const attempts = sending.reduce((sum, each) => sum + each, 0) / sending.length;
  const remedy = 'fewer --policies or a shorter --watch';
  const design = designText(terms, rateOf(plan), retry);
  return examineRun(
    { kind: 'recovery', planned, design, attempts, remedy, request },
    host,
    seenRequest,
    (run, requests) => {
      const report = recoveryReportOf(run, requests, { terms, phases, within, plan });
      return { report, document: recoveryDocument(report), exit: exitForRecovery(report) };
    },
  );
};
