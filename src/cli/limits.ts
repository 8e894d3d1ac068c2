import { join } from 'node:path';
import { judgeLimits } from '../judge/limits/judge-limits.ts';
import type { LimitReport } from '../model/limit-report.ts';
import { wallClock } from '../platform/clock.ts';
import { openRunFolder, type RunFolder } from '../platform/files.ts';
import { weirVersion } from '../platform/machine.ts';
import { readReportAssets } from '../platform/report-assets.ts';
import { type Budget, budgetOf } from '../probe/budget.ts';
import { limitsHtml } from '../report/limits/limits-html.ts';
import { limitsJunit } from '../report/limits/limits-junit.ts';
import { limitsTerminal } from '../report/limits/limits-terminal.ts';
import { countText, moneyText, timeText } from '../report/number-text.ts';
import { confirm } from './confirm.ts';
import { examine, type Examined, openWay, type OpenWay } from './examine.ts';
import { type ExitName, exitOfSignal } from './exit-codes.ts';
import { folderName } from './folder-name.ts';
import { examinationOf, type LimitsOrder, planOf } from './limits-order.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';
import { type ReadyTarget, readyTarget } from './target.ts';

const budgetText = (budget: Budget): string =>
  [
    `about ${countText(budget.usual)} requests, never more than ${countText(budget.most)}`,
    `about ${countText(budget.tokens.usual)} tokens (at most ${countText(budget.tokens.most)})`,
    budget.cost === null
      ? 'money unknown: give --price INPUT/OUTPUT for a million tokens'
      : `at most ${moneyText(budget.cost)} of your currency`,
    `about ${timeText(budget.time)} and the answers’ own time`,
  ].join('; ');

const publishLimits = async (
  report: LimitReport,
  folder: RunFolder,
  { json, quiet }: LimitsOrder,
): Promise<void> => {
  const text = `${JSON.stringify(report)}\n`;
  const data = await folder.write('limits.json', text);
  const junit = await folder.write('limits.junit.xml', limitsJunit(report));
  const { pageStyle } = await readReportAssets();
  const page = await folder.write('limits.html', limitsHtml(report, pageStyle));
  if (json) toStdout(text);
  else if (!quiet) toStdout(limitsTerminal(report, stdoutLook()));
  if (!quiet) toStderr(`Report: ${page}\nResult: ${data}\nJUnit:  ${junit}`);
};

const exitOf = ({ log, signal }: Examined, { judgement }: LimitReport): ExitName => {
  if (signal !== null) return exitOfSignal[signal];
  if (judgement.violated) return 'violated';
  return log.replies.some(({ request, status }) => request === 'chat' && status === 200)
    ? 'pass'
    : 'invalid';
};

/** Examines the limits of one idle key and publishes what is proved. */
export const limits = async (order: LimitsOrder): Promise<ExitName> => {
  const { plan, folder: home } = await planOf(order);
  const { declared, price, phases } = examinationOf(plan, order);
  const name = folderName(wallClock(), 'limits');
  const folder = await openRunFolder(order.out ?? join('reports', name));
  const say = (text: string): void => {
    if (!order.quiet) toStderr(text);
  };
  let target: ReadyTarget | null = null;
  let open: OpenWay | null = null;
  try {
    target = await readyTarget(plan, home);
    open = await openWay(target, declared.requests.window, order.model);
    const budget = budgetOf(phases, declared.requests, open.keys.second !== null, price);
    say(`${target.baseUrl}, model ${open.subject.chat}: the key must be idle, and stay so.`);
    say(`Budget: ${budgetText(budget)}.`);
    if (!order.yes) await confirm('nothing was asked of the gateway’s limits');
    const examined = await examine(open, { declared, phases, cap: budget.most }, say);
    const report: LimitReport = {
      ...{ format: 'limits/1', weir: weirVersion(), target: target.baseUrl },
      ...{ startedAt: open.startedAt, model: open.subject.chat, took: examined.took },
      ...{ log: examined.log, judgement: judgeLimits(examined.log) },
    };
    await publishLimits(report, folder, order);
    return exitOf(examined, report);
  } catch (error) {
    await folder.discard();
    throw error;
  } finally {
    await open?.close();
    await target?.mock?.stop();
  }
};
