import { join } from 'node:path';
import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import { sendsToAddress } from '../model/plan/targets.ts';
import { Problem } from '../platform/problem.ts';
import type { ReportDocument } from '../report/document/document.ts';
import { needText } from '../report/run/forecast-document.ts';
import { countText, timeText } from '../report/text/number-text.ts';
import { answerTimeFrom, checkPlanFits, forecastOf } from './forecast.ts';
import { confirmUnlessStopped } from './input/confirm-unless-stopped.ts';
import { type Host, withoutPrints } from './input/host.ts';
import { readWhole } from './input/read-option.ts';
import type { ReadPlanWithFiles } from './input/read-plan.ts';
import { type ExitName, gravestExit } from './output/exit-codes.ts';
import { openOutputFolder, type outputFiles, usingFolder } from './output/output-folder.ts';
import { publishReport } from './output/write-outputs.ts';
import { type FinishedRun, runOnce } from './run.ts';
import { bareRequest } from './input/run-request.ts';

/** This file prints the budget of a plan that a verb has made, runs the plan, and publishes what the verb finds. */

/**
 * The default maximum number of requests of a plan whose users wait for answers. Such a plan needs a maximum, since no
 * schedule determines how many requests its users send.
 */
const mostOfUsers = 50_000;

/**
 * Returns the plan with its budget, and a line that says what the plan needs. `attempts` is the maximum number of times
 * that one request is sent. `remedy` says how to make the plan smaller. Throws a `Problem` if the plan needs too many
 * requests.
 */
export const withPlannedBudget = (
  read: ReadPlanWithFiles,
  requests: string | undefined,
  { attempts, remedy }: { readonly attempts: number; readonly remedy: string },
) => {
  const { plan } = read;
  const { total, scheduled } = forecastOf(read, answerTimeFrom(undefined));
  const isOpen = plan.stages.every(({ load }) => load.kind === 'open');
  // The number of random arrivals varies, so the maximum allows five standard deviations more.
  const planned = Math.ceil((total.requests.sum + 5 * Math.sqrt(total.requests.sum)) * attempts);
  const given = requests === undefined ? null : readWhole('requests', requests, 1);
  const most = Math.min(
    given ?? (isOpen ? planned : mostOfUsers),
    plan.budget?.requests ?? Infinity,
  );
  if (isOpen && total.requests.sum > most)
    throw new Problem(
      `the plan needs ${countText(total.requests.sum)} requests, and at most ${countText(most)} are allowed: raise --requests or the scenario’s budget, or give ${remedy}`,
    );
  const assumed = isOpen ? '' : ' if an answer takes 1 s';
  const line = [
    `at most ${countText(most)} requests, retries included`,
    `as planned${assumed}: ${needText(total)}`,
    `${timeText(scheduled)} of load`,
  ].join('; ');
  const budget = { tokens: null, cost: null, ...plan.budget, requests: most };
  return { read: { ...read, plan: { ...plan, budget } }, line };
};

/**
 * Asks whether the budget of a plan may be spent. Does not ask if the plan uses only gateways that Weir itself starts.
 */
export const confirmPlanned = async (read: ReadPlanWithFiles, host: Host): Promise<void> => {
  checkPlanFits(read);
  if (sendsToAddress(read.plan))
    await confirmUnlessStopped(host, 'nothing was sent to the gateway');
};

interface Conclusion {
  readonly document: ReportDocument;
  readonly report: object;
  readonly exit: ExitName;
}

/** The plan that a verb runs, and what the verb's command says about the plan. */
interface Examination {
  /** Names the written files: with `recovery`, they are `recovery.json` and `recovery.html`. */
  readonly kind: Exclude<keyof typeof outputFiles, 'noise'>;
  readonly planned: ReadPlanWithFiles;
  /** What will be measured, in words. */
  readonly design: string;
  readonly attempts: number;
  readonly remedy: string;
  readonly request: {
    readonly requests: string | undefined;
    readonly yes: boolean;
    readonly out: string | undefined;
  };
}

/**
 * Prints what a plan measures and its budget, asks whether to spend the budget, runs the plan in a separate folder,
 * and publishes the report. `see` returns what the verb needs of each observation. `conclude` makes the report from
 * these values and the finished run.
 */
export const examineRun = async <Seen>(
  { kind, planned, design, request, ...terms }: Examination,
  host: Host,
  see: (observation: Observation, plan: Plan) => Seen,
  conclude: (run: FinishedRun, seen: readonly Seen[]) => Conclusion,
): Promise<ExitName> => {
  const { printer } = host;
  const { read, line } = withPlannedBudget(planned, request.requests, terms);
  printer.say(`${design}\nBudget: ${line}.`);
  if (!request.yes) await confirmPlanned(planned, host);
  const folder = await openOutputFolder(request.out, kind, printer.say);
  return usingFolder(folder, async () => {
    const seen: Seen[] = [];
    const run = await runOnce(
      {
        ...bareRequest,
        source: read,
        out: join(folder.path, 'run'),
        yes: true,
        earlyStop: 'always',
      },
      withoutPrints(host),
      (plan) => ({ onObservation: (observation) => seen.push(see(observation, plan)) }),
    );
    const { document, report, exit: judged } = conclude(run, seen);
    const exit = gravestExit([run.exit, judged]);
    const print = { isGood: exit === 'pass' };
    const written = await publishReport(printer, folder, kind, { report, document, print });
    return gravestExit([exit, written]);
  });
};
