import type { Plan } from '../../model/plan/plan.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';
import type { CheckSession } from './check-session.ts';
import { examineHangUps, type HangUpPorts, mostStreams } from './experiment/hang-ups.ts';
import { countIn, type HeldStream } from './reading/hang-up-facts.ts';
import type { Check, CheckRequest } from './reading/check-case.ts';
import { openServingLoad } from './serving-load.ts';
import { type CheckBudget, checkBudgetFor } from './suite/check-table.ts';
import type { CheckRun } from './suite/run-checks.ts';
import { chatWith } from './topics/check-requests.ts';

/** Each stream in the examination of hang-ups has at most this many output tokens and prompt tokens. */
const outputTokens = 400;
const promptTokens = 60;
/** At most this many short chats are sent. They show whether the key admits a chat, and how many tokens remain. */
const mostShort = 60;

const asks = (checks: readonly Check[]): boolean =>
  checks.some(({ topic }) => topic === 'disconnects');

/** Returns the budget of requests, including the examination of hang-ups if a check asks for it. */
export const budgetFor = (
  requests: readonly CheckRequest[],
  checks: readonly Check[],
): CheckBudget => {
  const budget = checkBudgetFor(requests);
  if (!asks(checks)) return budget;
  const streams = mostStreams + 2;
  return {
    ...budget,
    requests: budget.requests + streams,
    more: budget.more + mostShort,
    inputTokens: budget.inputTokens + (streams + mostShort) * promptTokens,
    outputTokens: budget.outputTokens + streams * outputTokens + mostShort,
  };
};

export interface HangUpSituation {
  readonly session: CheckSession;
  readonly plan: Plan;
  readonly target: ReadyTarget;
  readonly isStopped: () => boolean;
}

/**
 * Adds up the tokens of streams. If a stream reported no usage, its received events stand for its output tokens, and
 * the largest prompt of the other streams for its input tokens. Tokens that a server generates after the hang-up are
 * not included.
 */
export const spentOn = (streams: readonly HeldStream[]): CheckRun['hungUp'] => {
  const answered = streams.filter(({ status }) => status === 200);
  const read = answered.map((stream) => ({
    input: countIn(stream, 'prompt_tokens'),
    output: countIn(stream, 'completion_tokens') ?? stream.events,
  }));
  const usual = Math.max(0, ...read.map(({ input }) => input ?? 0));
  return {
    input: read.reduce((sum, { input }) => sum + (input ?? usual), 0),
    output: read.reduce((sum, { output }) => sum + output, 0),
  };
};

/** Examines hang-ups if a check asks for it and a chat model is known. */
export const findHangUpFacts = async (
  checks: readonly Check[],
  { session, plan, target, isStopped }: HangUpSituation,
  run: CheckRun,
): Promise<void> => {
  const long = chatWith({
    messages: [{ role: 'user', content: 'Count from 1 to 500 in words, one number in each line.' }],
    max_tokens: outputTokens,
    stream: true,
    stream_options: { include_usage: true },
  })(run.target);
  const short = chatWith({ max_tokens: 1 })(run.target);
  if (!asks(checks) || long === null || short === null) return;
  const { load, close } = openServingLoad(plan, target);
  const opened: HeldStream[] = [];
  try {
    const open: HangUpPorts['open'] = (request) => {
      run.sent += 1;
      const stream = session.open(request);
      opened.push(stream);
      return stream;
    };
    run.hangUps = await examineHangUps(
      {
        now: () => session.client.now(),
        sleep: (length) => session.client.sleep(length),
        open,
        load,
        isStopped,
      },
      { long, short },
    );
  } finally {
    run.hungUp = spentOn(opened);
    await close();
  }
};
