import { plainFinish } from '../../model/observation/outcome.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type CheckReport, isAudit } from './model/check-report.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { type CheckBudget, checkTable } from './suite/check-table.ts';
import type { CheckRequest } from './reading/check-case.ts';
import { answersFrom, judgeChecks, unseenRows } from './suite/judge-checks.ts';
import { valueAt } from './reading/judge-answer.ts';
import { reportedUsage } from './reading/judge-stream.ts';
import { modelList } from './topics/model-checks.ts';
import { type BuiltRequest, CheckRun } from './suite/run-checks.ts';
import { keyAdvice, listedModels } from '../limits/experiment/find-probe-models.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import type { Host, StopCause } from '../../run/input/host.ts';
import { type ReadyTarget, closeTarget, prepareTarget } from '../../run/target/prepare-target.ts';
import { bundledClips, type CheckSession, openCheckSession } from './check-session.ts';
import { budgetFor, findHangUpFacts, type HangUpSituation } from './examine-disconnects.ts';
import { findAuditFacts, openDirectTarget } from './audit-facts.ts';
import { type CheckSettings, type CheckSelection, selectChecks } from './check-settings.ts';
import { rejectMisplaced, versionedAddress } from '../../run/target/check-address.ts';
import { targetPlanFor } from '../../run/target/target-plan.ts';

export interface PerformedCheck {
  readonly report: CheckReport;
  readonly stoppedBy: StopCause | null;
  readonly isAnswered: boolean;
}

/** These models are used until the list of models is read, or if there is no such list. */
const noModels = {
  chat: null,
  speech: null,
  transcription: null,
  voice: 'Emily.wav',
  listed: [],
} as const;

interface OpenedCheck {
  readonly selection: CheckSelection;
  readonly session: CheckSession;
  readonly run: CheckRun;
}

/** Returns why nothing can be checked without a list of models; `null` if checks are possible. */
export const whyNoList = (
  status: number,
  {
    baseUrl,
    model,
    isLookedAt,
  }: {
    readonly baseUrl: string;
    readonly model: string | undefined;
    readonly isLookedAt: boolean;
  },
): string | null => {
  if ((status === 401 || status === 403) && (isLookedAt || model === undefined))
    return `the model list was refused with status ${status}: ${keyAdvice}`;
  const address = versionedAddress(baseUrl);
  if (status !== 404 || model !== undefined || baseUrl.replace(/\/+$/, '') === address) return null;
  return `there is no model list (status 404): a base address ends in its version, once, so try ${address}; if this one is right, name a model (--model)`;
};

/** Reads the list of models, and chooses the models for all other requests. The answer is checked, too. */
export const readModels = async (
  { run }: Pick<OpenedCheck, 'run'>,
  options: CheckSettings,
  target: ReadyTarget,
): Promise<void> => {
  const { baseUrl } = target;
  await run.sendAll(run.build([modelList.request]));
  const answer = run.answers.get(modelList.request.id);
  const status = answer?.status ?? 0;
  if (status === 404 && options.preflight !== false) await rejectMisplaced(target);
  const reason = whyNoList(status, {
    baseUrl,
    model: options.model,
    isLookedAt: options.preflight !== false,
  });
  if (reason !== null) throw new Problem(`${baseUrl}: ${reason}`);
  const listed = status === 200 ? listedModels(answer!.text, options.model) : null;
  const found = listed ?? noModels;
  run.target = {
    ...run.target,
    chat: options.model ?? found.chat,
    speech: options.speechModel ?? found.speech,
    transcription: options.transcriptionModel ?? found.transcription,
    headerFamily: options.headerFamily,
    voice: options.voice ?? found.voice,
    listed: found.listed,
  };
};

const sumOf = (run: CheckRun, count: 'prompt_tokens' | 'completion_tokens'): number =>
  [...run.answers.values()].reduce((sum, answer) => {
    const value = valueAt(reportedUsage(answer), count);
    return sum + (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0);
  }, 0);

export const spentBy = (run: CheckRun, requests: readonly CheckRequest[]): CheckReport['spent'] => {
  const answered = requests.filter(({ id }) => run.answers.get(id)?.status === 200);
  const sum = (unit: 'characters' | 'audioSeconds'): number =>
    answered.reduce((whole, { cost }) => whole + cost[unit], 0);
  return {
    requests: run.sent,
    inputTokens: run.hungUp.input + sumOf(run, 'prompt_tokens'),
    outputTokens: run.hungUp.output + sumOf(run, 'completion_tokens'),
    characters: sum('characters'),
    audioSeconds: sum('audioSeconds'),
    waits: run.waits,
  };
};

/** Returns why the key admits no further requests; `null` if no answer shows that. */
export const refusedBy = (run: CheckRun): string | null => {
  const statuses = [...run.answers.values()].map(({ status }) => status);
  if (statuses.includes(402)) return 'the credits of the key are used up (402)';
  return statuses.includes(429) ? 'the key stayed limited (429) after every wait' : null;
};

/**
 * Returns the names of the models for the report. Secrets in the names are masked, since a server may give its models
 * any names.
 */
export const namedIn = ({ target, answers }: CheckRun): CheckReport['models'] => {
  const list = answers.get(modelList.request.id);
  const shown = (id: string | null): string | null =>
    id === null ? null : (list?.quote(id) ?? id);
  const { chat, speech, transcription, voice } = target;
  return {
    chat: shown(chat),
    speech: shown(speech),
    transcription: shown(transcription),
    voice: shown(voice),
  };
};

export const checkTarget = async (
  opened: OpenedCheck & HangUpSituation,
  requests: readonly BuiltRequest[],
): Promise<CheckReport> => {
  const { selection, session, run, target } = opened;
  const begun = session.client.now();
  await findHangUpFacts(selection.checks, opened, run);
  await run.sendAll(requests);
  return {
    format: 'check/1',
    weir: weirVersion(),
    target: target.baseUrl,
    startedAt: session.startedAt,
    took: session.client.now() - begun,
    profile: selection.profile,
    models: namedIn(run),
    spent: spentBy(run, selection.requests),
    stopped: run.stopped ?? refusedBy(run),
    rows: [
      ...judgeChecks(selection.checks, checkTable, answersFrom(run.target, run), selection.profile),
    ],
    unseen: isAudit(selection.checks) ? [] : unseenRows(),
  };
};

/**
 * Returns the finish reasons that make an answer a failure according to the scenario. `length` is left out, since the
 * checks ask for few tokens, and a short answer is no failure.
 */
export const failingFinishes = ({ fails = [] }: Pick<Plan, 'fails'>): readonly string[] =>
  fails.map(({ finish }) => finish).filter((finish) => plainFinish(finish) !== 'length');

/**
 * Checks the interface of a target. `confirm` asks whether the budget may be spent, and rejects if the user refuses.
 * Throws a `Problem` if nothing can be checked.
 */
export const performCheck = async (
  options: CheckSettings,
  { environment, printer: { say }, onStop }: Host,
  confirm: (
    budget: CheckBudget,
    target: { readonly baseUrl: string; readonly chat: string | null; readonly isMock: boolean },
  ) => Promise<void>,
): Promise<PerformedCheck> => {
  const selection = selectChecks(options);
  const read = await targetPlanFor({ ...options, secondKey: undefined }, environment);
  const stops = followStops(onStop, () =>
    say('the checks are over; their report is being written'),
  );
  let target: ReadyTarget | null = null;
  let session: CheckSession | null = null;
  let stoppedBy: StopCause | null = null;
  try {
    const { preflight, model } = options;
    target = await stops.unlessStopped(prepareTarget(read, { preflight }), closeTarget);
    for (const warning of target.warnings) {
      // Without the list of models, no chat model is known. Asking for the list again would take just as long.
      if (target.listing === 'silent' && model === undefined)
        throw new Problem(`${warning} Name a chat model with --model NAME`);
      say(warning);
    }
    const direct = await stops.unlessStopped(openDirectTarget(options, environment), null);
    session = openCheckSession(target, direct, selection.timeout, failingFinishes(read.plan));
    const now = Math.floor(session.client.wall() / 1000);
    const run = new CheckRun(session.client, {
      target: { ...noModels, now, ...(await bundledClips()) },
      stopReason: () => (stoppedBy === null ? null : `stopped by ${stoppedBy}`),
      say,
    });
    await stops.unlessStopped(readModels({ run }, options, target), null);
    const facts = await findAuditFacts(selection.checks, options, read, run.target.chat);
    run.target = { ...run.target, ...facts.known };
    const { chat } = namedIn(run);
    const { baseUrl, mock } = target;
    const { has } = session;
    const requests = run.build(selection.requests.filter(({ base }) => has[base]));
    const sent = requests.map(({ request }) => request);
    const budget = budgetFor(sent, selection.checks);
    await stops.unlessStopped(confirm(budget, { baseUrl, chat, isMock: mock !== null }), null);
    const release = stops.onStop((cause) => {
      stoppedBy ??= cause;
      say('stopping: what was answered so far will be judged');
    });
    const isStopped = (): boolean => stoppedBy !== null;
    const opened = { selection, session, run, plan: read.plan, target, isStopped };
    const checked = await checkTarget(opened, requests);
    const report = { ...checked, ...facts.month };
    release();
    return { report, stoppedBy, isAnswered: run.isAnswered };
  } finally {
    await session?.close();
    await target?.mock?.stop();
    stops.release();
  }
};
