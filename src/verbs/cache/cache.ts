import type { WireRequest } from '../../model/observation/exchange.ts';
import { chatCostOf, type Price } from '../../model/workload/price.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { sleep } from '../../platform/process/pause.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { countText, moneyText, timeText } from '../../report/text/number-text.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import {
  confirmBudget,
  type Host,
  type PrintedOutcome,
  type StopCause,
} from '../../run/input/host.ts';
import { bounded, readOption } from '../../run/input/read-option.ts';
import type { ReadPlan } from '../../run/input/read-plan.ts';
import { type ExitName, exitOfStop, gravestExit } from '../../run/output/exit-codes.ts';
import { openOutputFolder } from '../../run/output/output-folder.ts';
import { publishReport } from '../../run/output/write-outputs.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';
import { targetPlanFor, type TargetRequest } from '../../run/target/target-plan.ts';
import { durationNotation, plainNumberIn } from '../../scenario/schema/notation.ts';
import { jsonIn, objectOf } from '../../traffic/answer/json-text.ts';
import { readUsage } from '../../traffic/answer/read-usage.ts';
import { readRetryHint } from '../../traffic/answer/retry-hint.ts';
import { examineOpened, type OpenedProbe } from '../limits/examination.ts';
import { failedStatusText, fetchResponse } from '../limits/experiment/send-probe-request.ts';
import {
  type CacheBudget,
  type CachePorts,
  examineCache,
  mostChats,
  waitUntil,
} from './experiment/examine-cache.ts';
import type { CacheReply } from './judge/cache-hits.ts';
import type { CacheReport } from './model/cache-report.ts';
import { cacheDocument } from './report/cache-document.ts';
import { routes } from '../../contract/routes.ts';

export interface CacheCommand extends TargetRequest {
  readonly model: string | undefined;
  readonly preflight: boolean;
  readonly longest: string | undefined;
  readonly tokens: string | undefined;
  readonly yes: boolean;
  readonly out: string | undefined;
}

/** The maximum duration of an answer, in ms. */
const longestAnswer = 60_000;
const defaultTokens = 60_000;
const longestWait = 65_000;
/**
 * The minimum wait between two tries, in ms. A target may ask for a shorter wait, such as 0, which would use up all
 * tries at once.
 */
const leastWait = 250;
const mostWaits = 3;

/** Returns how long to wait after a refusal, in ms. If the refusal names no wait, returns the longest wait. */
export const waitAfter = (hint: { readonly wait: number } | null): number =>
  Math.min(longestWait, Math.max(leastWait, hint?.wait ?? longestWait));

const chatWith = (model: string, prompt: string, limit: string): WireRequest => ({
  ...routes.chat,
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  body: Buffer.from(
    JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], [limit]: 1 }),
  ),
});

const countsIn = (body: string): Pick<CacheReply, 'tokens' | 'cached'> => {
  const fields = objectOf(jsonIn(body));
  const usage = fields === null ? null : readUsage(fields);
  return { tokens: usage?.input ?? null, cached: usage?.classes.cached ?? null };
};

/**
 * Returns a function that sends a prompt and reads the cached tokens of the answer. If the target refuses because of a
 * limit, the function waits and sends the prompt again.
 */
const askerFor = ({ session, keys, models }: OpenedProbe, isStopped: () => boolean) => {
  let [limit, waits] = ['max_tokens', 0];
  const now = (): number => session.clock.now();
  const ask: CachePorts['ask'] = async (prompt) => {
    const request = chatWith(models.chat, prompt, limit);
    const response = await fetchResponse(session, request, session.keyHeader(keys.first));
    if (typeof response === 'string') return response;
    const { status, body, sent, ended } = response;
    if (status === 400 && limit === 'max_tokens' && body.includes('max_completion_tokens')) {
      limit = 'max_completion_tokens';
      return ask(prompt);
    }
    if (status === 429 && (waits < mostWaits || isStopped())) {
      waits += 1;
      const wait = waitAfter(readRetryHint(response));
      await waitUntil({ now, sleep, isStopped }, now() + wait);
      return isStopped() ? 'stopped by the user' : ask(prompt);
    }
    return status === 200
      ? { took: ended - sent, ...countsIn(body) }
      : `a chat was answered with ${failedStatusText(status)}`;
  };
  return ask;
};

const priceOf = ({ plan }: ReadPlan, model: string): Price | null => {
  for (const entry of plan.stages.flatMap(({ traffic }) => traffic))
    if ((entry.kind === 'chat' || entry.kind === 'chat-stream') && entry.model === model)
      return entry.price ?? null;
  return null;
};

const costOf = (tokens: number, price: Price | null): number | null =>
  price === null ? null : chatCostOf({ input: tokens, output: 0 }, price);

const longestNotation = bounded(durationNotation, (length) => length >= 2000, ', at least 2s');

const readTokens = (text: string): number => {
  if (/^[1-9]\d{3,8}$/.test(text)) return Number(text);
  const right = plainNumberIn(text);
  const advice = right === null || right < 1000 ? '' : `; write ${right}`;
  throw new Problem(`--tokens: expected a number of at least 1000; got ${text}${advice}`);
};

const budgetOf = ({ longest, tokens }: CacheCommand): CacheBudget => ({
  tokens: tokens === undefined ? defaultTokens : readTokens(tokens),
  longest: readOption('longest', longest ?? '2m', longestNotation),
});

const exitFor = ({ seenBy, spent }: CacheReport, stoppedBy: StopCause | null): ExitName => {
  if (stoppedBy !== null) return exitOfStop[stoppedBy];
  if (spent.tokens === 0) return 'empty';
  return seenBy === null ? 'inconclusive' : 'pass';
};

const budgetText = ({ tokens, longest }: CacheBudget, price: Price | null): string => {
  const cost = costOf(tokens, price);
  const money = cost === null ? '' : ` (${moneyText(cost)} of your currency)`;
  return `at most ${countText(tokens)} tokens${money} in at most ${mostChats + mostWaits + 1} requests; ${timeText(3 * longest)} of waiting at most, beside the answers and what the key’s limits hold back`;
};

const examine = async (
  probe: OpenedProbe,
  { baseUrl }: ReadyTarget,
  budget: CacheBudget,
  price: Price | null,
  isStopped: () => boolean,
): Promise<CacheReport> => {
  const { session, startedAt, models } = probe;
  const begun = session.clock.now();
  const now = (): number => session.clock.now();
  const { spent, ...facts } = await examineCache(
    { now, sleep, ask: askerFor(probe, isStopped), isStopped },
    budget,
  );
  return {
    format: 'cache/1',
    weir: weirVersion(),
    target: baseUrl,
    model: models.chat,
    startedAt,
    took: now() - begun,
    spent: { ...spent, cost: costOf(spent.tokens, price) },
    ...facts,
  };
};

/**
 * Prints the token budget. Then finds, within this budget, how long a target keeps a prompt in its cache, and how much
 * of the prompt it keeps.
 */
export const examinePromptCache = async (command: CacheCommand, host: Host): Promise<ExitName> => {
  const { printer } = host;
  const { say } = printer;
  const budget = budgetOf(command);
  const read = await targetPlanFor(command, host.environment);
  const folder = await openOutputFolder(command.out, 'cache', say);
  let stoppedBy = null as StopCause | null;
  const stops = followStops(host.onStop, () => say('the report is being written'));
  const { model, preflight } = command;
  const opening = { read, model, preflight, timeout: longestAnswer, folder, stops };
  return examineOpened(opening, printer, async (probe, target) => {
    const price = priceOf(read, probe.models.chat);
    say(`${target.baseUrl}, model ${probe.models.chat}. Budget: ${budgetText(budget, price)}.`);
    if (!command.yes && target.mock === null)
      await stops.unlessStopped(confirmBudget(host, 'no chat was sent'), null);
    const release = stops.onStop((cause) => {
      stoppedBy ??= cause;
      say('stopping: what was seen so far will be reported');
    });
    const report = await examine(probe, target, budget, price, () => stoppedBy !== null);
    release();
    const exit = exitFor(report, stoppedBy);
    const document = cacheDocument(report);
    const print: Partial<PrintedOutcome> = {
      closing: (style) => terminalText({ ...document, description: [], blocks: [] }, style),
      hasClosing: true,
      isGood: exit === 'pass',
    };
    const written = await publishReport(printer, folder, 'cache', { report, document, print });
    return gravestExit([exit, written]);
  });
};
