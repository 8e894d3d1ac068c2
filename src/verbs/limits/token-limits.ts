import { countText, moneyText, timeText } from '../../report/text/number-text.ts';
import { limitsOfKey } from '../../model/plan/limits-per-minute.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { pause } from '../../platform/process/pause.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import { confirmBudget, type Host, type Printer, type StopCause } from '../../run/input/host.ts';
import { bounded, readOption } from '../../run/input/read-option.ts';
import { folderFor } from '../../run/input/report-paths.ts';
import { type ExitName, exitOfStop, gravestExit } from '../../run/output/exit-codes.ts';
import { openOutputFolder, outputFiles } from '../../run/output/output-folder.ts';
import { dataIn, fileIn, pageIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';
import { closeTarget, prepareTarget, type ReadyTarget } from '../../run/target/prepare-target.ts';
import { targetPlanFor, type TargetRequest } from '../../run/target/target-plan.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { openProbe, type OpenedProbe } from './examination.ts';
import { cheapestModel } from './experiment/model-details.ts';
import type { ModelDetails } from './experiment/probe-requests.ts';
import { examineTokens } from './experiment/tokens/examine-tokens.ts';
import { openTokenClient } from './experiment/tokens/send-token-request.ts';
import {
  planTokens,
  tokenBudget,
  type TokenBudget,
  type TokenPlan,
} from './experiment/tokens/token-plan.ts';
import { judgeTokenLog } from './judge/tokens/judge-tokens.ts';
import { priceOf, sustainOf } from './limits.ts';
import { isAdmitted, type TokenLog, tokenPhases, type TokenRule } from './model/token-log.ts';
import type { TokenReport } from './model/token-report.ts';
import { tokensDocument, tokensJunit } from './report/tokens-document.ts';

export interface TokenLimitRequest extends TargetRequest {
  /** How much is examined: `quick`, or `full` or nothing for all of it. */
  readonly tokens: string;
  readonly context: string | undefined;
  /** Whether the operator says that the key is idle and that usage is charged. */
  readonly yesTokens: boolean;
  readonly model: string | undefined;
  readonly window: string | undefined;
  readonly price: string | undefined;
  readonly sustain: string | undefined;
  readonly yes: boolean;
  readonly out: string | undefined;
}

const wordOf = (option: string, given: string, known: readonly string[]): string => {
  if (known.includes(given)) return given;
  throw new Problem(`--${option}: expected ${known.filter(Boolean).join(' or ')}; got ${given}`);
};

const contextOf = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Problem(`--context: expected a number of tokens, such as 131072; got ${text}`);
};

/** Reads the options of an examination of tokens. Throws a `Problem` for the first that is wrong. */
const settingsFrom = (plan: Plan, request: TokenLimitRequest) => {
  const { tokensPerMinute, requestsPerMinute } = limitsOfKey(plan, plan.keys[0]!.name);
  const notation = bounded(durationNotation, (length) => length > 0);
  const window = readOption('window', request.window ?? '60s', notation);
  if (tokensPerMinute === null) {
    throw new Problem(
      'limits.tokensPerMinute: expected the limit that the gateway declares; got none. Pass it with --set limits.tokensPerMinute=2000000',
    );
  }
  const rule: TokenRule = { tokens: tokensPerMinute, requests: requestsPerMinute, window };
  return {
    rule,
    isQuick: wordOf('tokens', request.tokens, ['', 'full', 'quick']) === 'quick',
    context: contextOf(request.context),
    price: priceOf(request.price),
    sustain: request.sustain === undefined ? 0 : sustainOf(request.sustain),
    promises: { isPromised: request.yesTokens },
  };
};
type Settings = ReturnType<typeof settingsFrom>;

/** The part of the limit that a prompt has in a burst, and what a context holds beside it. */
const preferredContext = ({ tokens }: TokenRule): number => tokens / 24 / 0.95;

/** Chooses the model, the cheapest that the list prices unless one is named, with what is known of it. */
const chooseModel = ({ models }: OpenedProbe, settings: Settings, named: string | undefined) => {
  const details = models.details ?? new Map<string, ModelDetails>();
  const ids = [...details.keys()];
  const cheapest =
    cheapestModel(ids, details, preferredContext(settings.rule)) ?? cheapestModel(ids, details, 0);
  const chat = named ?? cheapest ?? models.chat;
  const listed = details.get(chat);
  return {
    models: { ...models, chat, otherChat: ids.find((id) => id !== chat) ?? models.otherChat },
    context: settings.context ?? listed?.context ?? null,
    price: settings.price ?? listed?.price ?? null,
  };
};

const planFor = (settings: Settings, { context, models }: ReturnType<typeof chooseModel>) =>
  planTokens({
    ...settings,
    context,
    hasOtherModel: models.otherChat !== null,
    hasAudio: models.speech !== null && models.transcription !== null,
  });

const rangeText = ({ usual, most }: TokenBudget['requests']): string =>
  `about ${countText(usual)} (at most ${countText(most)})`;

const budgetText = ({ requests, tokens, time, cost }: TokenBudget): string =>
  [
    `${rangeText(requests)} requests`,
    `${rangeText(tokens)} tokens`,
    cost === null
      ? 'money unknown: give --price INPUT/OUTPUT for a million tokens'
      : `about ${moneyText(cost.usual)} of your currency (at most ${moneyText(cost.most)})`,
    `about ${timeText(time)}`,
  ].join('; ');

interface Examination {
  readonly log: TokenLog;
  readonly took: number;
  readonly stoppedBy: StopCause | null;
}

const examine = async (
  { session, startedAt, keys }: OpenedProbe,
  { models }: ReturnType<typeof chooseModel>,
  plan: TokenPlan,
  budget: TokenBudget,
  { printer: { say }, onStop }: Host,
): Promise<Examination> => {
  const { clock } = session;
  let stoppedBy = null as StopCause | null;
  const release = onStop((cause) => {
    stoppedBy ??= cause;
    say('stopping: the replies so far will be judged');
  });
  const client = openTokenClient({
    session,
    models,
    credential: keys.first,
    sleepUntil: async (moment) => {
      // It sleeps for minutes, so a stop ends it.
      if (stoppedBy === null) await pause(Math.max(0, moment - clock.now()), onStop);
    },
    runId: `tokens-${startedAt.replaceAll(/[^0-9]/g, '').slice(4, 14)}`,
  });
  const begun = clock.now();
  try {
    const log = await examineTokens(client, {
      plan,
      budget: { requests: budget.requests.most, tokens: budget.tokens.most },
      stopReason: () => (stoppedBy === null ? null : `stopped by ${stoppedBy}`),
      onPhaseStart: (phase) => say(`${phase}: ${tokenPhases[phase]}`),
    });
    return { log, stoppedBy, took: clock.now() - begun };
  } finally {
    release();
  }
};

const publish = async (
  report: TokenReport,
  folder: RunFolder,
  printer: Printer,
): Promise<ExitName> => {
  const json = `${JSON.stringify(report)}\n`;
  const document = tokensDocument(report);
  return publishOutcome(printer, printed(document, json), [
    pageIn(folder, outputFiles.tokens.page, document),
    dataIn(folder, outputFiles.tokens.data, json),
    fileIn(folder, 'JUnit', outputFiles.tokens.junit, () => tokensJunit(report)),
  ]);
};

const exitFor = ({ log, stoppedBy }: Examination, { findings }: TokenReport): ExitName => {
  if (stoppedBy !== null) return exitOfStop[stoppedBy];
  if (findings.verdict === 'violated') return 'violated';
  if (!log.replies.some(isAdmitted)) return 'empty';
  return findings.verdict === 'undecided' ? 'inconclusive' : 'pass';
};

/** Examines the limit of tokens of one idle key and publishes the findings. */
export const examineTokenLimit = async (
  request: TokenLimitRequest,
  host: Host,
): Promise<ExitName> => {
  const { say } = host.printer;
  const read = await targetPlanFor(request, host.environment);
  const settings = settingsFrom(read.plan, request);
  const folder = await openOutputFolder(folderFor(request.out, 'limits'), 'tokens', say);
  let target: ReadyTarget | null = null;
  let probe: OpenedProbe | null = null;
  const stops = followStops(host.onStop, () =>
    say('the examination is over; its report is being written'),
  );
  try {
    target = await stops.unlessStopped(prepareTarget(read), closeTarget);
    for (const warning of target.warnings) say(warning);
    const opening = openProbe(target, settings.rule.window, request.model);
    probe = await stops.unlessStopped(opening, ({ close }) => close());
    const chosen = chooseModel(probe, settings, request.model);
    const plan = planFor(settings, chosen);
    if (typeof plan === 'string') {
      host.printer.warn(`Undecided: ${plan}. Nothing was sent to examine the limit.`);
      await folder.discard();
      return 'inconclusive';
    }
    const budget = tokenBudget(plan, chosen.price);
    say(
      `${target.baseUrl}, model ${chosen.models.chat}: nothing else may use the key until the end.`,
    );
    say(`Budget: ${budgetText(budget)}.`);
    if (!request.yes) {
      const asked = confirmBudget(host, 'nothing was sent to examine the gateway’s limits');
      await stops.unlessStopped(asked, null);
    }
    const stoppable = { ...host, onStop: stops.onStop };
    const examination = await examine(probe, chosen, plan, budget, stoppable);
    const report: TokenReport = {
      format: 'token-limits/1',
      weir: weirVersion(),
      target: target.baseUrl,
      startedAt: probe.startedAt,
      model: chosen.models.chat,
      took: examination.took,
      log: examination.log,
      findings: judgeTokenLog(examination.log, settings.promises),
    };
    const written = await publish(report, folder, host.printer);
    return gravestExit([exitFor(examination, report), written]);
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
