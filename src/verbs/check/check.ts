import { type CheckReport, countOutcomes, verdictOfChecks } from './model/check-report.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import type { CheckBudget } from './suite/check-table.ts';
import { checkDocument, checkVerdict, checkOverview } from './report/check-document.ts';
import { checkJunit } from './report/check-junit.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { countText, moneyText, plural } from '../../report/text/number-text.ts';
import { present } from '../../report/text/present.ts';
import { confirmBudget, type Host, type PrintedOutcome } from '../../run/input/host.ts';
import { exitCode, type ExitName, exitOfStop, gravestExit } from '../../run/output/exit-codes.ts';
import { openOutputFolder, usingFolder } from '../../run/output/output-folder.ts';
import { publishReport } from '../../run/output/write-outputs.ts';
import type { CheckSettings } from './check-settings.ts';
import { type PerformedCheck, performCheck } from './perform-check.ts';

export interface CheckCommand extends CheckSettings {
  /** Whether known deviations of servers also make the check fail. */
  readonly strict: boolean;
  readonly yes: boolean;
  readonly out: string | undefined;
  readonly jobSummary: string | undefined;
}

export const checkBudgetText = (budget: CheckBudget): string =>
  present([
    `${plural(budget.requests, 'request')}${budget.more === 0 ? '' : `, and up to ${budget.more} more where some are refused`}`,
    budget.outputTokens > 0 &&
      `at most ${countText(budget.inputTokens + budget.outputTokens)} tokens of chats, whose price depends on the model`,
    budget.characters > 0 && `${countText(budget.characters)} characters of speech`,
    budget.audioSeconds > 0 && `${countText(budget.audioSeconds)} s of audio`,
    budget.audioCost > 0 &&
      `${moneyText(budget.audioCost)} of your currency for the audio, by the prices of the interface`,
    'under a minute, unless the key is limited',
  ]).join('; ');

export const exitFor = (
  { report, stoppedBy, isAnswered }: PerformedCheck,
  strict: boolean,
): ExitName => {
  if (stoppedBy !== null) return exitOfStop[stoppedBy];
  const verdict = verdictOfChecks(report);
  if (!isAnswered) return 'empty';
  if (verdict !== 'kept') return verdict === 'broken' ? 'objective' : 'inconclusive';
  return strict && countOutcomes(report.rows).deviation > 0 ? 'objective' : 'pass';
};

export const printedCheck = (report: CheckReport, exit: ExitName): Partial<PrintedOutcome> => {
  const closing: PrintedOutcome['text'] = (style) => {
    const { text, tone } = checkVerdict(report);
    const code = exitCode(exit);
    const verdict = { text: code === 0 ? text : `Exit ${code}. ${text}`, tone };
    return terminalText({ ...checkDocument(report), verdict, description: [], blocks: [] }, style);
  };
  return {
    text: (style) => terminalText(checkOverview(report), style),
    details: (style) => terminalText(checkDocument(report), style),
    closing,
    isGood: exit === 'pass',
  };
};

const publishCheck = async (
  performed: PerformedCheck,
  folder: RunFolder,
  { strict, jobSummary }: CheckCommand,
  { printer }: Host,
): Promise<ExitName> => {
  const { report } = performed;
  const exit = exitFor(performed, strict);
  const written = await publishReport(printer, folder, 'check', {
    report,
    document: checkDocument(report),
    print: printedCheck(report, exit),
    junit: () => checkJunit(report, strict),
    markdownTitle: 'Summary',
    jobSummary,
  });
  return gravestExit([exit, written]);
};

export const checkGateway = async (command: CheckCommand, host: Host): Promise<ExitName> => {
  const { say } = host.printer;
  const folder = await openOutputFolder(command.out, 'check', say);
  return usingFolder(folder, async () => {
    const performed = await performCheck(
      command,
      host,
      async (budget, { baseUrl, chat, isMock }) => {
        say(`${baseUrl}, model ${chat ?? 'none'}. Budget: ${checkBudgetText(budget)}.`);
        if (!command.yes && !isMock)
          await confirmBudget(host, 'nothing was sent besides the request for the model list');
      },
    );
    return publishCheck(performed, folder, command, host);
  });
};
