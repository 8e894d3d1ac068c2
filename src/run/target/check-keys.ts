import { jsonIn } from '../../traffic/answer/json-text.ts';
import { readDeclaredLimits } from '../../traffic/limits/declared-limits.ts';
import { servedModelListSchema } from '../../contract/models.ts';
import { preflightId, requestIdHeader, routes } from '../../contract/routes.ts';
import type { Credential } from '../../engine/slice-options.ts';
import { keyHeader } from '../../model/plan/key-header.ts';
import { type LimitsPerMinute, limitsOfKey } from '../../model/plan/limits-per-minute.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { TargetEndpoint } from '../../platform/connection/connector.ts';
import { answerTo } from '../../platform/http/preflight.ts';
import { DoubtfulTarget, UnusableKey } from '../../platform/problem.ts';
import { countText } from '../../report/text/number-text.ts';
import { didYouMean } from '../../scenario/text/spelling.ts';
import { addressWarnings } from './check-address.ts';
import { smallestRequest, type TrafficWithModel } from './smallest-request.ts';

/** This file checks the keys and models of a plan against the target's list of models, before the load. */

/** The list of models is requested with this many keys at the same time. */
const atOnce = 8;
/** The maximum number of listed models that a message names. */
const mostNamed = 5;
/** Of the models that are not in the list, at most this many are tried with a request. */
const maxAsked = 5;

/** A target with its keys, before the load. */
export interface CheckedTarget extends TargetEndpoint {
  readonly credentials: readonly Credential[];
  readonly auth: Plan['auth'];
  readonly headers: Readonly<Record<string, string>>;
}

const headersOf = (target: CheckedTarget, key: string | null) => ({
  accept: 'application/json',
  ...target.headers,
  ...(key === null ? {} : keyHeader(target.auth, key)),
  [requestIdHeader]: preflightId,
});

const list = (target: CheckedTarget, key: string | null) =>
  answerTo({ ...target, path: routes.models.path, headers: headersOf(target, key) });

const listOf = (names: readonly string[]): string => names.join(', ');

const withTemplate = ({ keys }: Plan, name: string): string => {
  const template = keys.find((key) => key.name === name)?.template;
  return template === undefined ? name : `${name} (${template})`;
};

/**
 * Throws a `Problem` for keys that the target answers with 401. A key that gets a 403 is accepted, since the status may
 * only mean that this key is not allowed to list models.
 */
const rejectRefused = (
  plan: Plan,
  url: string,
  statuses: readonly (readonly [name: string, status: number])[],
  option: string,
): void => {
  const refused = statuses.filter(([, status]) => status === 401).map(([name]) => name);
  if (refused.length === 0) return;
  const names = listOf(refused.map((name) => withTemplate(plan, name)));
  const [keys, they] = refused.length === 1 ? ['the key', 'it is'] : ['the keys', 'they are'];
  throw new UnusableKey(
    `${url} answered 401 to a list of models with ${keys} ${names}: check that ${they} complete and of this gateway. Nothing was sent. If only the list is refused, add ${option}`,
  );
};

const modelsIn = (text: string): readonly string[] =>
  servedModelListSchema.safeParse(jsonIn(text)).data?.data.map(({ id }) => id) ?? [];

/**
 * Returns an entry of the plan for each model of the plan that is not in the list. Returns no entries if the list is
 * empty.
 */
const unlistedEntries = (plan: Plan, listed: readonly string[]): readonly TrafficWithModel[] => {
  if (listed.length === 0) return [];
  const entries = plan.stages.flatMap(({ traffic }) =>
    traffic.flatMap((entry) => ('model' in entry ? [[entry.model, entry] as const] : [])),
  );
  return [...new Map(entries.toReversed()).values()]
    .toReversed()
    .filter(({ model }) => !listed.includes(model));
};

const othersText = (listed: readonly string[]): string => {
  const more = listed.length - mostNamed;
  return `${listOf(listed.slice(0, mostNamed))}${more > 0 ? ` and ${more} more` : ''}`;
};

/**
 * Matches a refusal which says that the model is unknown. Refusals about limits or parameters also mention models, but
 * do not match.
 */
const unknownModel =
  /model_not_(?:found|available|supported|exist)|(?:no such|unknown|invalid|not a valid) model|models? (?:id|name|identifier) is invalid|\bmodels?\b.{0,200}?\b(?:does(?:n't| not) exist|(?:not|n't) (?:be )?(?:found|exist|known|available|recogni[sz]ed)|is unknown|not supported)|"param"\s*:\s*"model"|"loc"\s*:\s*\[[^\]]*"model"\s*\]/i;

const saysUnknown = (status: number, text: string): boolean =>
  status === 404
    ? /model/i.test(text)
    : (status === 400 || status === 422) && unknownModel.test(text);

/**
 * Requests the smallest answer from an unlisted model. Returns whether the target refuses the model, since a target may
 * know models that are not in its list.
 */
const refusesModel = async (target: CheckedTarget, entry: TrafficWithModel): Promise<boolean> => {
  const { path, contentType, body } = smallestRequest(entry);
  const headers = headersOf(target, target.credentials[0]?.value ?? null);
  const answer = await answerTo({
    ...target,
    path,
    headers: { ...headers, 'content-type': contentType },
    body,
  });
  return answer !== null && saysUnknown(answer.status, answer.text);
};

/** Returns warnings about models that are not listed. Throws a `Problem` for a model that the target refuses. */
const checkModels = async (
  plan: Plan,
  target: CheckedTarget,
  { listed, asksModels }: { readonly listed: readonly string[]; readonly asksModels: boolean },
): Promise<readonly string[]> => {
  const missing = unlistedEntries(plan, listed);
  if (missing.length === 0) return [];
  for (const entry of asksModels ? missing.slice(0, maxAsked) : []) {
    if (await refusesModel(target, entry)) {
      const near = didYouMean(entry.model, listed);
      throw new DoubtfulTarget(
        `${target.url} does not know the model ${entry.model}${near === null ? '.' : `: ${near}`} It lists ${othersText(listed)}. No load was sent.`,
      );
    }
  }
  return [
    `The target does not list ${listOf(missing.map(({ model }) => model))}; it lists ${othersText(listed)}. It may know other names, or answer 404.`,
  ];
};

const limitNames = [
  ['requestsPerMinute', 'limitRequests', 'requests'],
  ['tokensPerMinute', 'limitTokens', 'tokens'],
] as const;

/** Returns warnings if the headers of an answer declare limits that differ from the limits in the scenario. */
const limitWarnings = (
  limits: LimitsPerMinute,
  headers: Readonly<Record<string, string>>,
): readonly string[] => {
  const { quota: found, assumed = [] } = readDeclaredLimits(headers) ?? {};
  return limitNames.flatMap(([field, header, what]) => {
    const [declared, own] = [found?.[header] ?? null, limits[field]];
    if (declared === null || declared === own) return [];
    const mine = own === null ? 'none' : countText(own);
    const isAssumed = assumed.some(({ unit }) => unit === what);
    const time = isAssumed ? ', assumed to be those of a minute' : ' a minute';
    return [
      `The gateway declares a limit of ${countText(declared)} ${what}${time}, and the scenario ${mine} (limits.${field}).`,
    ];
  });
};

/** Requests the list of models with each key. Returns the answers; a request without an answer is left out. */
const listedByKeys = async (target: CheckedTarget) => {
  const all = [];
  for (let first = 0; first < target.credentials.length; first += atOnce) {
    const some = target.credentials.slice(first, first + atOnce);
    const answers = some.map(async ({ name, value }) => {
      const answer = await list(target, value);
      return answer === null ? [] : [{ name, ...answer }];
    });
    all.push(...(await Promise.all(answers)).flat());
  }
  return all;
};

/**
 * Sentences about a target. The notes are also for readers of the report. The warnings are only for the user who starts
 * the run.
 */
interface KeyCheckFindings {
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

export interface KeyCheck {
  /** Whether the list of models can be read without a key. */
  readonly isOpen: boolean;
  /** The option of the command line that skips this check. */
  readonly option: string;
  /** Whether to request the smallest answer from an unlisted model; true by default. */
  readonly asksModels?: boolean;
}

/**
 * Returns notes on the address, and warnings about the models and limits of a plan. Throws a `Problem` for a key that
 * the target refuses. If the list of models is public, it is requested only once, without a key, since it cannot show
 * whether a key is valid. Any other list is requested once with each key. The smallest answer is requested from some of
 * the unlisted models.
 */
export const checkKeys = async (
  plan: Plan,
  target: CheckedTarget,
  { isOpen, option, asksModels = true }: KeyCheck,
): Promise<KeyCheckFindings> => {
  const warningsOf = (listed: readonly string[]) =>
    checkModels(plan, target, { listed, asksModels });
  if (isOpen) {
    const answer = await list(target, null);
    const warnings = answer?.status === 200 ? await warningsOf(modelsIn(answer.text)) : [];
    return { notes: [], warnings };
  }
  const answers = await listedByKeys(target);
  rejectRefused(
    plan,
    target.url,
    answers.map(({ name, status }) => [name, status]),
    option,
  );
  // One key may see models that other keys do not see, so the lists of all keys are joined.
  const listed = answers.flatMap(({ status, text }) => (status === 200 ? modelsIn(text) : []));
  const limits = answers.flatMap(({ name, headers }) =>
    limitWarnings(limitsOfKey(plan, name), headers),
  );
  // Some gateways check the key before the address and answer an unknown address with a 404 only if the key is valid.
  // So a key that got a 404 is used here.
  const lost = answers.find(({ status }) => status === 404);
  const used = target.credentials.find(({ name }) => name === lost?.name);
  if (used !== undefined && listed.length === 0)
    return {
      notes: await addressWarnings(target, headersOf(target, used.value), 404),
      warnings: [],
    };
  return { notes: [], warnings: [...(await warningsOf([...new Set(listed)])), ...new Set(limits)] };
};
