import { settleTime } from '../../../../judge/limits/facts/token-uses.ts';
import {
  isRefused,
  type TokenLog,
  type TokenPhase,
  type TokenReply,
} from '../../model/token-log.ts';
import type { TokenClient, TokenQuery } from './token-client.ts';
import { forgottenAfter, tapTokens, type TokenPlan } from './token-plan.ts';

export interface TokenExaminationOptions {
  readonly plan: TokenPlan;
  readonly budget: { readonly requests: number; readonly tokens: number };
  /** Returns why the examination must stop; `null` while the examination may continue. */
  readonly stopReason: () => string | null;
  readonly onPhaseStart: (phase: TokenPhase) => void;
}

/** The exception that ends an examination early, with its reason. */
export class Cut extends Error {}

/** The state of an examination: the requests, the replies, and the rest of the budget. */
export const openExamination = (client: TokenClient, options: TokenExaminationOptions) => {
  const { plan, budget } = options;
  const replies: TokenReply[] = [];
  const order = new Map<TokenReply, number>();
  let sent = 0;
  let asked = 0;
  const send = async (query: TokenQuery): Promise<TokenReply> => {
    const stop = options.stopReason();
    if (stop !== null) throw new Cut(stop);
    const tokens = query.prompt + (query.phase === 'reserve' ? 1 : query.maxTokens);
    if (sent + 1 > budget.requests || asked + tokens > budget.tokens)
      throw new Cut('the budget is spent');
    sent += 1;
    asked += tokens;
    const serial = sent;
    const reply = await client.send(query);
    if (isRefused(reply)) asked -= tokens;
    order.set(reply, serial);
    replies.push(reply);
    return reply;
  };
  return {
    client,
    plan,
    onPhaseStart: options.onPhaseStart,
    send,
    replies,
    tap: (phase: TokenPhase, burst = 0): Promise<TokenReply> =>
      send({
        phase,
        burst,
        kind: 'chat',
        isTap: true,
        prompt: tapTokens,
        maxTokens: 1,
        isStream: false,
      }),
    pause: (time: number): Promise<void> => client.sleepUntil(client.now() + time),
    sorted: (): readonly TokenReply[] =>
      replies.toSorted((a, b) => a.sent - b.sent || order.get(a)! - order.get(b)!),
    /** The longest time, in ms, that an answer took when prompts were as large as those of the even pace. */
    latency: 0,
    /**
     * Whether prompts begin alike, so that the server can cache their common beginning, which costs less. True only if
     * the limit counts cached tokens in full.
     */
    isCacheUsed: false,
  };
};
export type OpenExamination = ReturnType<typeof openExamination>;

/** Returns the time in ms after an answer by which the remaining tokens should show the charge of the request. */
export const settleOf = ({ plan }: OpenExamination): number => 1.05 * settleTime(plan.rule.window);

/** Estimates, from the measured times, the longest time in ms of an answer to a prompt of `prompt` tokens. */
export const latencyOf = ({ latency, plan }: OpenExamination, prompt: number): number =>
  latency * Math.max(1, prompt / plan.slice);

export const forget = ({ client, plan }: OpenExamination): Promise<void> =>
  client.sleepUntil(client.now() + 1.01 * forgottenAfter(plan.rule.window));

export const logOf = ({ client, plan, sorted }: OpenExamination, cut: string | null): TokenLog => {
  const { rule, unit, isQuick, context } = plan;
  const charactersPerToken = client.charactersPerToken();
  const counts = unit === undefined ? {} : { unit };
  return { rule, ...counts, replies: sorted(), charactersPerToken, isQuick, context, cut };
};
