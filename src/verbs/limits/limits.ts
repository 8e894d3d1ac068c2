import { judgeLimits } from './judge/judge-limits.ts';
import { explainLimiter } from './judge/name-limiter.ts';
import type { LimitReport } from './model/limit-report.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { type ProbeBudget, probeBudgetFor } from './experiment/probe-budget.ts';
import { limitsDocument } from './report/limits-document.ts';
import { limitsJunit } from './report/limits-junit.ts';
import { countText, moneyText, timeText } from '../../report/text/number-text.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import { confirmBudget, type Host, type Printer } from '../../run/input/host.ts';
import { examine, openProbe, type OpenedProbe } from './examination.ts';
import { type ExitName, exitOfStop, gravestExit } from '../../run/output/exit-codes.ts';
import { openOutputFolder, outputFiles } from '../../run/output/output-folder.ts';
import { dataIn, fileIn, pageIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';
import { folderFor } from '../../run/input/report-paths.ts';
import { examinationSettingsFrom, type LimitsRequest } from './limits-request.ts';
import { targetPlanFor } from '../../run/target/target-plan.ts';
import { closeTarget, type ReadyTarget, prepareTarget } from '../../run/target/prepare-target.ts';

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

/** Whether any small chat was answered. */
const hasAnswered = ({ replies }: LimitReport['log']): boolean =>
  replies.some(({ request, status }) => request === 'chat' && status === 200);

const exitFor = (
  { log, stoppedBy }: Awaited<ReturnType<typeof examine>>,
  { judgement }: LimitReport,
): ExitName => {
  if (stoppedBy !== null) return exitOfStop[stoppedBy];
  if (judgement.verdict === 'violated') return 'violated';
  if (judgement.verdict === 'undecided' && hasAnswered(log)) return 'inconclusive';
  return hasAnswered(log) ? 'pass' : 'invalid';
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
