import { resolve } from 'node:path';
import type { Price } from '../../model/workload/price.ts';
import { encodingNames, type TokenCounter } from '../../model/workload/tokenizer.ts';
import { unreadableReason } from '../../platform/files/file-contents.ts';
import { openTokenizer } from '../../platform/files/tokenizers.ts';
import { Problem } from '../../platform/problem.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import { answerTimeFrom, forecastOf } from '../../run/forecast.ts';
import { type ReadPlan, readPlanWithFiles } from '../../run/input/read-plan.ts';
import { prepareTarget, type ReadyTarget } from '../../run/target/prepare-target.ts';
import { targetPlanFor } from '../../run/target/target-plan.ts';
import type { CheckSettings } from './check-settings.ts';
import type { CheckReport, MonthlyLoad } from './model/check-report.ts';
import type { Check, CheckTarget } from './reading/check-case.ts';

/**
 * This file finds the facts that the audit of usage needs before its requests: the tokenizer, the price, and the
 * address of the model without the gateway.
 */

const readTokenizer = (name: string, path: string): TokenCounter => {
  if (!name.endsWith('.json') && !(encodingNames as readonly string[]).includes(name)) {
    throw new Problem(
      `--tokenizer: expected the path of a tokenizer.json, or one of ${encodingNames.join(', ')}; got ${name}`,
    );
  }
  try {
    const opened = openTokenizer(name, path);
    if (typeof opened === 'string') throw new Problem(opened);
    return opened;
  } catch (error) {
    const reason = unreadableReason(error);
    if (reason === null) throw error;
    throw new Problem(`${name} cannot be read: ${reason}`);
  }
};

/** Returns the named tokenizer, or else the tokenizer of the scenario's prompts for this model. */
const tokenizerFor = (
  { tokenizer }: CheckSettings,
  { plan, folder }: ReadPlan,
  model: string | null,
): TokenCounter | undefined => {
  if (tokenizer !== undefined) return readTokenizer(tokenizer, resolve(tokenizer));
  for (const entry of plan.stages.flatMap(({ traffic }) => traffic)) {
    if (entry.kind !== 'chat' && entry.kind !== 'chat-stream') continue;
    const { conversations: source } = entry;
    if (entry.model !== model || !('kind' in source) || source.kind !== 'synthetic') continue;
    const { name } = source.tokenizer ?? {};
    if (name !== undefined) return readTokenizer(name, resolve(folder, name));
  }
  return undefined;
};

const priceFor = ({ plan }: ReadPlan, model: string | null): Price | undefined => {
  for (const entry of plan.stages.flatMap(({ traffic }) => traffic))
    if ((entry.kind === 'chat' || entry.kind === 'chat-stream') && entry.model === model)
      return entry.price ?? undefined;
  return undefined;
};

/** Prepares the address of the model without the gateway; resolves with `null` if the user names no such address. */
export const openDirectTarget = async (
  { direct, directKey, key, preflight, allowFiles }: CheckSettings,
  environment: Environment,
): Promise<ReadyTarget | null> => {
  if (direct === undefined) return null;
  if (!/^https?:/.test(direct))
    throw new Problem(`--direct: expected a base address, such as https://host/v1; got ${direct}`);
  const keyName = directKey ?? key;
  const where = { scenario: undefined, target: direct, set: [], allowFiles };
  const read = await targetPlanFor({ ...where, key: keyName, secondKey: undefined }, environment);
  return prepareTarget(read, { preflight });
};

const monthLength = 30 * 24 * 60 * 60 * 1000;

/**
 * Returns a forecast of a month of the scenario's load on a chat model, with the prices; `null` if the scenario has no
 * load or no price for this model.
 */
const monthlyLoadOf = async (
  { scenario, set, target, allowFiles }: CheckSettings,
  environment: Environment,
  chat: string | null,
  price: Price | undefined,
): Promise<MonthlyLoad | null> => {
  if (scenario === undefined || price === undefined) return null;
  const source = { scenario, set, target, allowFiles, flags: {}, secretsAreElsewhere: true };
  const read = await readPlanWithFiles(source, environment);
  const { groups, scheduled } = forecastOf(read, answerTimeFrom(undefined));
  const own = groups.filter(({ model }) => model === chat);
  const monthly = (unit: 'requests' | 'input' | 'output'): number =>
    Math.round(own.reduce((sum, group) => sum + group[unit].sum, 0) * (monthLength / scheduled));
  return {
    requests: monthly('requests'),
    input: monthly('input'),
    output: monthly('output'),
    prices: { input: price.input, output: price.output },
    currency: read.plan.pricing?.currency ?? 'currency units',
  };
};

/**
 * The facts that an audit has before its requests: facts for its checks, and a forecast of a month of load for its
 * report.
 */
interface AuditFacts {
  readonly known: Pick<CheckTarget, 'tokenizer' | 'price' | 'directChat'>;
  readonly month: Pick<CheckReport, 'month'>;
}

/** Finds what is known of a chat model before the audit of its usage. If no check audits the usage, finds nothing. */
export const findAuditFacts = async (
  checks: readonly Check[],
  options: CheckSettings,
  read: ReadPlan,
  chat: string | null,
): Promise<AuditFacts> => {
  if (!checks.some(({ topic }) => topic === 'usage')) return { known: {}, month: {} };
  const { directModel } = options;
  const [tokenizer, price] = [tokenizerFor(options, read, chat), priceFor(read, chat)];
  const month = await monthlyLoadOf(options, read.environment, chat, price);
  const known = {
    ...(tokenizer === undefined ? {} : { tokenizer }),
    ...(price === undefined ? {} : { price }),
    ...(directModel === undefined ? {} : { directChat: directModel }),
  };
  return { known, month: month === null ? {} : { month } };
};
