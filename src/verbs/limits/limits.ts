import { judgeLimits } from './judge/judge-limits.ts';
import { explainLimiter } from './judge/name-limiter.ts';
import type { LimitReport } from './model/limit-report.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { type ProbeBudget, probeBudgetFor, defaultSustain } from './experiment/probe-budget.ts';
import { limitsDocument, limitsJunit } from './report/limits-document.ts';
import { countText, moneyText, timeText } from '../../report/text/number-text.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import { confirmBudget, type Host, type Printer } from '../../run/input/host.ts';
import { examine, openProbe, type OpenedProbe } from './examination.ts';
import { type ExitName, exitOfStop, gravestExit } from '../../run/output/exit-codes.ts';
import { openOutputFolder, outputFiles } from '../../run/output/output-folder.ts';
import { dataIn, fileIn, pageIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';
import { folderFor } from '../../run/input/report-paths.ts';
import { targetPlanFor, type TargetRequest } from '../../run/target/target-plan.ts';
import { closeTarget, type ReadyTarget, prepareTarget } from '../../run/target/prepare-target.ts';
import { limiterClassNames, type ProbePhase, probePhases } from '../../model/limits/limit-log.ts';
import { limitsOfKey } from '../../model/plan/limits-per-minute.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { bounded, readOption } from '../../run/input/read-option.ts';

export interface LimitsRequest extends TargetRequest {
  readonly model: string | undefined;
  readonly window: string | undefined;
  readonly permitted: string | undefined;
  readonly checks: string | undefined;
  readonly price: string | undefined;
  /** The number of windows that the sustained load lasts, as given to `--sustain`. */
  readonly sustain: string | undefined;
  readonly quick: boolean;
  /** Whether the report shows which decisions distinguish the named limiter from the next best. */
  readonly explain: boolean;
  readonly yes: boolean;
  readonly out: string | undefined;
}

const phaseNames = Object.keys(probePhases) as readonly ProbePhase[];

/** Parses a list of words from a fixed set; returns `all` if the option is absent. */
const readList = <Word extends string>(
  option: string,
  text: string | undefined,
  all: readonly Word[],
): readonly Word[] => {
  if (text === undefined) return all;
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.filter((word) => !(all as readonly string[]).includes(word));
  if (unknown.length > 0) {
    throw new Problem(
      `--${option}: expected some of ${all.join(', ')}, separated by commas; got ${unknown.join(', ')}`,
    );
  }
  return all.filter((word) => words.includes(word));
};

/** Prices for a million tokens, in micro-units. */
export const priceOf = (text: string | undefined): { input: number; output: number } | null => {
  if (text === undefined) return null;
  const [, input, output] = /^(\d+(?:\.\d{1,6})?)\/(\d+(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (input === undefined || output === undefined) {
    throw new Problem(
      `--price: expected the prices of a million tokens of input and of output, such as 0.15/0.60; got ${text}`,
    );
  }
  return { input: Math.round(Number(input) * 1e6), output: Math.round(Number(output) * 1e6) };
};

const maxSustain = 60;

export const sustainOf = (text: string | undefined): number => {
  if (text === undefined) return defaultSustain;
  const windows = Number(text);
  if (!/^\d+$/.test(text) || windows > maxSustain) {
    throw new Problem(
      `--sustain: expected a number of windows from 0 to ${maxSustain}; got ${text}`,
    );
  }
  return windows;
};

/** Reads all options; throws one `Problem` that lists everything wrong with them. */
export const examinationSettingsFrom = (
  plan: Pick<Plan, 'keys' | 'limits'>,
  {
    window: windowText = '60s',
    permitted: permittedText,
    quick,
    checks,
    price,
    sustain,
  }: LimitsRequest,
) => {
  const { requestsPerMinute, tokensPerMinute } = limitsOfKey(plan, plan.keys[0]!.name);
  const problems: string[] = [];
  const collectProblem = <Value>(read: () => Value): Value | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.push(error.message);
      return null;
    }
  };
  const windowNotation = bounded(durationNotation, (length) => length > 0);
  const window = collectProblem(() => readOption('window', windowText, windowNotation));
  const permitted = collectProblem(() => readList('class', permittedText, limiterClassNames));
  const readPrice = collectProblem(() => priceOf(price));
  const windows = collectProblem(() => sustainOf(sustain));
  const phases = quick
    ? (['provocation'] as const)
    : collectProblem(() => readList('checks', checks, phaseNames));
  if (problems.length === 0 && requestsPerMinute === null) {
    problems.push(
      'limits.requestsPerMinute: expected the limit that the gateway declares; got none. Pass it with --set limits.requestsPerMinute=60',
    );
  }
  if (
    window === null ||
    permitted === null ||
    phases === null ||
    windows === null ||
    requestsPerMinute === null ||
    problems.length > 0
  ) {
    throw new Problem(problems.join('\n'));
  }
  const tokens = tokensPerMinute === null ? null : { limit: tokensPerMinute, window };
  const declared = { requests: { limit: requestsPerMinute, window }, tokens, permitted };
  const isSustained = (phase: ProbePhase): boolean => phase !== 'sustained' || windows > 0;
  return { declared, price: readPrice, phases: phases.filter(isSustained), sustain: windows };
};

const budgetText = (budget: ProbeBudget): string =>
  [
    `about ${countText(budget.typical)} requests, never more than ${countText(budget.max)}`,
    `about ${countText(budget.tokens.typical)} tokens (at most ${countText(budget.tokens.max)})`,
    budget.cost === null
      ? 'money unknown: give --price INPUT/OUTPUT for a million tokens'
      : `at most ${moneyText(budget.cost)} of your currency`,
    `about ${timeText(budget.time)} and the answers’ own time`,
  ].join('; ');

const publishLimits = async (
  report: LimitReport,
  folder: RunFolder,
  printer: Printer,
): Promise<ExitName> => {
  const json = `${JSON.stringify(report)}\n`;
  const document = limitsDocument(report);
  return publishOutcome(printer, printed(document, json), [
    pageIn(folder, outputFiles.limits.page, document),
    dataIn(folder, outputFiles.limits.data, json),
    fileIn(folder, 'JUnit', outputFiles.limits.junit, () => limitsJunit(report)),
  ]);
};

const exitFor = (
  { log, stoppedBy }: Awaited<ReturnType<typeof examine>>,
  { judgement: { verdict } }: LimitReport,
): ExitName => {
  if (stoppedBy !== null) return exitOfStop[stoppedBy];
  if (verdict === 'violated') return 'violated';
  if (!log.replies.some(({ request, status }) => request === 'chat' && status === 200))
    return 'empty';
  return verdict === 'undecided' ? 'inconclusive' : 'pass';
};

/** Examines the limits of one idle key and publishes the findings. */
export const examineLimits = async (request: LimitsRequest, host: Host): Promise<ExitName> => {
  const { say } = host.printer;
  const read = await targetPlanFor(request, host.environment);
  const { declared, price, phases, sustain } = examinationSettingsFrom(read.plan, request);
  const folder = await openOutputFolder(folderFor(request.out, 'limits'), 'limits', say);
  let target: ReadyTarget | null = null;
  let probe: OpenedProbe | null = null;
  const stops = followStops(host.onStop, () =>
    say('the examination is over; its report is being written'),
  );
  try {
    target = await stops.unlessStopped(prepareTarget(read), closeTarget);
    for (const warning of target.warnings) say(warning);
    const opening = openProbe(target, declared.requests.window, request.model);
    probe = await stops.unlessStopped(opening, ({ close }) => close());
    const hasSecondKey = probe.keys.second !== null;
    const parts = { rule: declared.requests, hasSecondKey, sustain };
    const budget = probeBudgetFor(phases, parts, price);
    say(
      `${target.baseUrl}, model ${probe.models.chat}: nothing else may use the key until the end.`,
    );
    say(`Budget: ${budgetText(budget)}.`);
    if (!request.yes) {
      const asked = confirmBudget(host, 'nothing was sent to examine the gateway’s limits');
      await stops.unlessStopped(asked, null);
    }
    const completed = await examine(
      probe,
      { declared, phases, sustain, maxRequests: budget.max },
      { ...host, onStop: stops.onStop },
    );
    const judgement = judgeLimits(completed.log);
    const report: LimitReport = {
      format: 'limits/1',
      weir: weirVersion(),
      target: target.baseUrl,
      startedAt: probe.startedAt,
      model: probe.models.chat,
      took: completed.duration,
      log: completed.log,
      judgement,
      ...(request.explain
        ? { explanation: explainLimiter(completed.log, judgement.identification) }
        : {}),
    };
    const written = await publishLimits(report, folder, host.printer);
    return gravestExit([exitFor(completed, report), written]);
  } catch (error) {
    await folder.discard();
    throw error;
  } finally {
    await probe?.close();
    await target?.mock?.stop();
    await folder.release();
    stops.release();
  }
};
