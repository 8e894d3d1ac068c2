import {
  limiterClassNames,
  type LimitLog,
  type ProbePhase,
  probePhases,
} from '../../model/limits/limit-log.ts';
import { limitsOfKey } from '../../model/plan/limits-per-minute.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';
import { sleep } from '../../platform/process/pause.ts';
import { countText, moneyText, timeText } from '../../report/text/number-text.ts';
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
import { examineKey, type ExaminationOptions } from './experiment/examine-key.ts';
import {
  defaultSustain,
  phaseBudget,
  type ProbeBudget,
  probeBudgetFor,
} from './experiment/request-budget.ts';
import { openProbeClient } from './experiment/send-probe-request.ts';
import { judgeLimits } from './judge/judge-limits.ts';
import { judgementOfAssumed } from './judge/undeclared.ts';
import { explainLimiter } from './judge/name-limiter.ts';
import type { ListedPrice } from './experiment/probe-requests.ts';
import type { LimitReport } from './model/limit-report.ts';
import { limitsDocument, limitsJunit } from './report/limits-document.ts';
import { readWindow } from './window-option.ts';

export interface LimitsRequest extends TargetRequest {
  readonly model: string | undefined;
  readonly preflight: boolean;
  readonly window: string | undefined;
  readonly permitted: string | undefined;
  readonly checks: string | undefined;
  readonly price: string | undefined;
  /** The length of the sustained load in windows, as given to `--sustain`. */
  readonly sustain: string | undefined;
  readonly quick: boolean;
  /** Whether the second key belongs to the team whose limit is examined. */
  readonly sameTeam: boolean;
  /**
   * Whether the report shows which decisions distinguish the limiter that Weir identified from the next best limiter.
   */
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

/** Reads `INPUT/OUTPUT[/CACHED]`, the prices of a million tokens, in micro-units of the currency. */
export const priceOf = (text: string | undefined): ListedPrice | null => {
  if (text === undefined) return null;
  const [, input, output, cached] =
    /^(\d+(?:\.\d{1,6})?)\/(\d+(?:\.\d{1,6})?)(?:\/(\d+(?:\.\d{1,6})?))?$/.exec(text) ?? [];
  if (input === undefined || output === undefined) {
    throw new Problem(
      `--price: expected the prices of a million tokens of input, of output and, if there is one, of input from a cache, such as 0.15/0.60 or 0.15/0.60/0.015; got ${text}`,
    );
  }
  const micro = (amount: string): number => Math.round(Number(amount) * 1e6);
  return {
    input: micro(input),
    output: micro(output),
    ...(cached === undefined ? {} : { cached: micro(cached) }),
  };
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

/** Reads all options. Throws one `Problem` that lists all errors. */
export const examinationSettingsFrom = (
  plan: Pick<Plan, 'keys' | 'limits'>,
  { window: windowText, permitted: permittedText, quick, checks, price, sustain }: LimitsRequest,
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
  const window = collectProblem(() => readWindow(windowText, 'requests', requestsPerMinute));
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

/** Examines the first key, and prints the purpose of each phase. */
const examine = (
  probe: OpenedProbe,
  options: Pick<ExaminationOptions, 'declared' | 'phases' | 'sustain' | 'maxRequests'>,
  team: string | null,
  host: Host,
): Promise<Examined<LimitLog>> =>
  examineUntilStopped(probe, host, (stopReason) => {
    const { session, models, listed, keys } = probe;
    const hasSecondKey = keys.second !== null && team === null;
    const client = openProbeClient({
      session,
      models,
      credentials: keys,
      ...(team === null ? {} : { team }),
      sleepUntil: (moment) => sleep(moment - session.clock.now()),
      runId: runIdOf('limits', probe),
    });
    return examineKey(client, {
      ...options,
      hasSecondKey,
      listed,
      stopReason,
      onPhaseStart: (phase) => {
        const { usual, time } = phaseBudget(phase, {
          rule: options.declared.requests,
          hasSecondKey,
          sustain: options.sustain,
          phases: options.phases,
        });
        const long = time < 1000 ? '' : ` in ${timeText(time)}`;
        host.printer.say(
          `${phase}: ${probePhases[phase]}; about ${countText(usual)} requests${long}`,
        );
      },
    });
  });

export const examineLimits = async (request: LimitsRequest, host: Host): Promise<ExitName> => {
  const read = await targetPlanFor(request, host.environment);
  const { declared, price, phases, sustain } = examinationSettingsFrom(read.plan, request);
  const plan = (probe: OpenedProbe): PlannedExamination => {
    const team = request.sameTeam ? probe.keys.second : null;
    const hasSecondKey = probe.keys.second !== null && team === null;
    const parts = { rule: declared.requests, hasSecondKey, sustain };
    const budget = probeBudgetFor(phases, parts, price);
    return {
      model: probe.models.chat,
      budget: budgetText(budget),
      run: async (stoppable, origin) => {
        const options = { declared, phases, sustain, maxRequests: budget.max };
        const { log: sent, took, stoppedBy } = await examine(probe, options, team, stoppable);
        const log: LimitLog = team === null ? sent : { ...sent, isTeam: true };
        const judged = judgeLimits(log);
        const judgement = origin.isAssumed === true ? judgementOfAssumed(judged, log) : judged;
        const explained = request.explain
          ? { explanation: explainLimiter(log, judgement.identification) }
          : {};
        const report: LimitReport = {
          format: 'limits/1',
          ...origin,
          took,
          log,
          judgement,
          ...explained,
        };
        return {
          report,
          document: ({ tokens }) => limitsDocument(report, tokens),
          junit: () => limitsJunit(report),
          verdict: judgement.verdict,
          hasAnswers: log.replies.some(
            ({ request: kind, status }) => kind === 'chat' && status === 200,
          ),
          stoppedBy,
        };
      },
    };
  };
  return examineTarget(request, read, host, {
    files: 'limits',
    window: declared.requests.window,
    plan,
  });
};
