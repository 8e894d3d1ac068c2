import { countText, moneyText, timeText } from '../../report/text/number-text.ts';
import { limitsOfKey } from '../../model/plan/limits-per-minute.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';
import { pause } from '../../platform/process/pause.ts';
import type { Host } from '../../run/input/host.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { targetPlanFor, type TargetRequest } from '../../run/target/target-plan.ts';
import type { OpenedProbe } from './examination.ts';
import {
  type Examined,
  examineTarget,
  examineUntilStopped,
  type PlannedExamination,
  runIdOf,
} from './examine-target.ts';
import { cheapestModel } from './experiment/model-details.ts';
import type { ModelDetails } from './experiment/probe-requests.ts';
import { examineTokens } from './experiment/tokens/examine-tokens.ts';
import { openTokenClient } from './experiment/tokens/send-token-request.ts';
import { tokenBudget, type TokenBudget } from './experiment/tokens/token-budget.ts';
import { planTokens, type TokenPlan } from './experiment/tokens/token-plan.ts';
import { findingsOfAssumed } from './judge/undeclared.ts';
import { judgeTokenLog } from './judge/tokens/judge-tokens.ts';
import { priceOf, sustainOf } from './limits.ts';
import { isAdmitted, type TokenLog, tokenPhases, type TokenRule } from './model/token-log.ts';
import { type TokenUnit, tokenUnits } from './model/token-units.ts';
import type { TokenReport } from './model/token-report.ts';
import { tokensDocument, tokensJunit } from './report/tokens-document.ts';
import { readWindow } from './window-option.ts';

export interface TokenLimitRequest extends TargetRequest {
  /** The scope of the examination: `quick` or `full`; empty means `full`. */
  readonly tokens: string;
  readonly context: string | undefined;
  /** The unit that the limit counts, as given to `--unit`. */
  readonly unit: string | undefined;
  /** Whether the second key belongs to the team whose limit is examined. */
  readonly sameTeam: boolean;
  /** Whether the operator promises that the key is idle and that usage is charged. */
  readonly yesTokens: boolean;
  readonly model: string | undefined;
  readonly preflight: boolean;
  readonly window: string | undefined;
  readonly price: string | undefined;
  readonly sustain: string | undefined;
  readonly yes: boolean;
  readonly out: string | undefined;
}

const wordOf = <Word extends string>(
  option: string,
  given: string,
  known: readonly Word[],
): Word => {
  const found = known.find((word) => word === given);
  if (found !== undefined) return found;
  throw new Problem(`--${option}: expected ${known.filter(Boolean).join(' or ')}; got ${given}`);
};

const contextOf = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Problem(`--context: expected a number of tokens, such as 131072; got ${text}`);
};

/** Reads the options of an examination of tokens. Throws a `Problem` for the first error. */
const settingsFrom = (plan: Plan, request: TokenLimitRequest) => {
  const { tokensPerMinute, requestsPerMinute } = limitsOfKey(plan, plan.keys[0]!.name);
  const window = readWindow(request.window, 'tokens', tokensPerMinute);
  if (tokensPerMinute === null) {
    throw new Problem(
      'limits.tokensPerMinute: expected the limit that the gateway declares; got none. Pass it with --set limits.tokensPerMinute=2000000',
    );
  }
  const rule: TokenRule = { tokens: tokensPerMinute, requests: requestsPerMinute, window };
  return {
    rule,
    unit: wordOf('unit', request.unit ?? 'tokens', Object.keys(tokenUnits) as TokenUnit[]),
    isQuick: wordOf('tokens', request.tokens, ['', 'full', 'quick']) === 'quick',
    context: contextOf(request.context),
    price: priceOf(request.price),
    sustain: request.sustain === undefined ? 0 : sustainOf(request.sustain),
    promises: { isPromised: request.yesTokens },
  };
};
type Settings = ReturnType<typeof settingsFrom>;

/** Returns the context in tokens that a prompt of a burst needs: a 24th of the limit, with a margin. */
const preferredContext = ({ tokens }: TokenRule): number => tokens / 24 / 0.95;

/**
 * Chooses the named model, or else the cheapest model with a listed price. Also returns the context and the price of
 * this model.
 */
const chooseModel = ({ models }: OpenedProbe, settings: Settings, named: string | undefined) => {
  const details = models.details ?? new Map<string, ModelDetails>();
  const ids = [...details.keys()];
  const cheapest =
    cheapestModel(ids, details, preferredContext(settings.rule)) ?? cheapestModel(ids, details, 0);
  const chat = named ?? cheapest ?? models.chat;
  const listed = details.get(chat);
  return {
    models: { ...models, chat, otherChat: ids.find((id) => id !== chat) ?? models.otherChat },
    // A limit that counts only answers needs no context, since a context does not limit the length of an answer.
    context:
      settings.context ??
      (tokenUnits[settings.unit].isOfAnswers ? null : (listed?.context ?? null)),
    price: settings.price ?? listed?.price ?? null,
  };
};

const planFor = (
  { rule, unit, isQuick, sustain }: Settings,
  { context, models, price }: ReturnType<typeof chooseModel>,
) =>
  planTokens({
    rule,
    ...(unit === 'tokens' ? {} : { unit }),
    isQuick,
    sustain,
    context,
    hasOtherModel: models.otherChat !== null,
    hasAudio: models.speech !== null && models.transcription !== null,
    isCachedCheaper:
      !isQuick &&
      !tokenUnits[unit].isOfAnswers &&
      price !== null &&
      (price.cached ?? price.input) < price.input,
  });

const rangeText = ({ usual, most }: TokenBudget['requests']): string =>
  `about ${countText(usual)} (at most ${countText(most)})`;

const budgetText = ({ requests, tokens, time, cost }: TokenBudget, isQuick: boolean): string =>
  [
    `${rangeText(requests)} requests`,
    `${rangeText(tokens)} tokens${isQuick ? ', a third more if they are charged at the end' : ''}`,
    cost === null
      ? 'money unknown: give --price INPUT/OUTPUT for a million tokens'
      : `about ${moneyText(cost.usual)} of your currency (at most ${moneyText(cost.most)}${cost.cached === undefined ? '' : `; about ${moneyText(cost.cached)} if a cache holds prompts and the limit counts them in full`})`,
    `about ${timeText(time)}`,
  ].join('; ');

interface PlannedTokens {
  readonly chosen: ReturnType<typeof chooseModel>;
  readonly plan: TokenPlan;
  readonly budget: TokenBudget;
  readonly isTeam: boolean;
}

const examine = (
  probe: OpenedProbe,
  { chosen: { models }, plan, budget, isTeam }: PlannedTokens,
  host: Host,
): Promise<Examined<TokenLog>> =>
  examineUntilStopped(probe, host, (stopReason) => {
    const { session, keys } = probe;
    const team = isTeam ? (keys.second ?? undefined) : undefined;
    const client = openTokenClient({
      session,
      models,
      credential: keys.first,
      ...(team === undefined ? {} : { team }),
      ...(plan.unit === undefined ? {} : { unit: plan.unit }),
      sleepUntil: async (moment) => {
        // The examination sleeps for minutes, so a stop must end the sleep.
        if (stopReason() === null)
          await pause(Math.max(0, moment - session.clock.now()), host.onStop);
      },
      runId: runIdOf('tokens', probe),
    });
    return examineTokens(client, {
      plan,
      budget: { requests: budget.requests.most, tokens: budget.tokens.most },
      stopReason,
      onPhaseStart: (phase) => host.printer.say(`${phase}: ${tokenPhases[phase]}`),
    });
  });

/** Examines the limit of tokens of one idle key and publishes the findings. */
export const examineTokenLimit = async (
  request: TokenLimitRequest,
  host: Host,
): Promise<ExitName> => {
  const read = await targetPlanFor(request, host.environment);
  const settings = settingsFrom(read.plan, request);
  const plan = (probe: OpenedProbe): PlannedExamination | string => {
    const chosen = chooseModel(probe, settings, request.model);
    const planned = planFor(settings, chosen);
    if (typeof planned === 'string') return planned;
    const budget = tokenBudget(planned, chosen.price);
    return {
      model: chosen.models.chat,
      budget: budgetText(budget, planned.isQuick),
      run: async (stoppable, origin) => {
        const isTeam = request.sameTeam;
        const terms = { chosen, plan: planned, budget, isTeam };
        const { log: sent, took, stoppedBy } = await examine(probe, terms, stoppable);
        const log: TokenLog = isTeam ? { ...sent, isTeam } : sent;
        const judged = judgeTokenLog(log, settings.promises);
        const findings = origin.isAssumed === true ? findingsOfAssumed(judged, log) : judged;
        const report: TokenReport = { format: 'token-limits/1', ...origin, took, log, findings };
        return {
          report,
          document: ({ requests }) => tokensDocument(report, requests),
          junit: () => tokensJunit(report),
          verdict: findings.verdict,
          hasAnswers: log.replies.some(isAdmitted),
          stoppedBy,
        };
      },
    };
  };
  return examineTarget(request, read, host, {
    files: 'tokens',
    window: settings.rule.window,
    plan,
  });
};
