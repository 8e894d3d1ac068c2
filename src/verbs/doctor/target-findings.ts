import { servedModelListSchema } from '../../contract/models.ts';
import { preflightId, requestIdHeader, routes } from '../../contract/routes.ts';
import { keyHeader } from '../../model/plan/key-header.ts';
import { filledHeaders } from '../../model/plan/secret.ts';
import { monotonicNow } from '../../platform/host/clock.ts';
import { uniqueName } from '../../platform/host/machine.ts';
import { answerTo } from '../../platform/http/preflight.ts';
import { Problem } from '../../platform/problem.ts';
import { countText, figureText, listed, plural } from '../../report/text/number-text.ts';
import type { Host } from '../../run/input/host.ts';
import { rejectMisplaced } from '../../run/target/check-address.ts';
import { closeTarget, prepareTarget, type ReadyTarget } from '../../run/target/prepare-target.ts';
import { targetPlanFor, type TargetRequest } from '../../run/target/target-plan.ts';
import { jsonIn } from '../../traffic/answer/json-text.ts';
import { readDeclaredLimits } from '../../traffic/limits/declared-limits.ts';
import { type Finding, finding } from './finding.ts';

const aboutTarget = finding('target');

/** The maximum number of models that a finding names. */
const mostNamed = 3;

const modelsFinding = (text: string): Finding => {
  const ids = servedModelListSchema.safeParse(jsonIn(text)).data?.data.map(({ id }) => id);
  if (ids === undefined || ids.length === 0)
    return aboutTarget(
      'models',
      'warning',
      'none listed',
      'Name one that you know: `--model PUBLISHER/MODEL`.',
    );
  const more = ids.length > mostNamed ? ' …' : '';
  return aboutTarget(
    'models',
    'good',
    countText(ids.length),
    `${ids.slice(0, mostNamed).join(', ')}${more}`,
  );
};

const limitsFinding = (headers: Readonly<Record<string, string>>): Finding => {
  const declared = readDeclaredLimits(headers);
  const { limitRequests = null, limitTokens = null } = declared?.quota ?? {};
  const perMinute = [
    ...(limitRequests === null ? [] : [plural(limitRequests, 'request')]),
    ...(limitTokens === null ? [] : [plural(limitTokens, 'token')]),
  ].join(' and ');
  const limits = [
    ...(perMinute === '' ? [] : [`${perMinute} a minute`]),
    ...(declared?.longer ?? []),
  ];
  return limits.length === 0
    ? aboutTarget('limits', 'absent', 'none declared', 'The list of models has no limit headers.')
    : aboutTarget(
        'limits',
        'good',
        limits.join(', '),
        (declared?.assumed.length ?? 0) === 0
          ? 'By the headers of its answer.'
          : 'By the headers of its answer, which name no time: a minute is assumed.',
      );
};

/** Says what the status of the answer to the models request means, with or without a key. */
const statusFinding = (status: number, took: string, hasKey: boolean): Finding => {
  const found = `${status} in ${took}`;
  const say = (level: Finding['level'], advice: string): Finding =>
    aboutTarget('answer', level, found, advice);
  if (status === 200) return aboutTarget('answer', 'good', found);
  if (status === 401 || status === 403) {
    if (!hasKey) return say('warning', 'It wants a key, and none is set.');
    return status === 401
      ? say('bad', 'It refuses the key: check that it is complete and of this gateway.')
      : say('warning', 'This key may not list models. It may still send chats.');
  }
  if (status === 429)
    return say('warning', 'The key is at its limit: wait until it is admitted again.');
  return status >= 500
    ? say('bad', 'The gateway fails, before any load.')
    : say('warning', 'It lists no models there. Chats may work: `weir check` tries them.');
};

/** Asks a target for its models once, with its first key if it has keys. */
const askForModels = async (target: ReadyTarget, hasKey: boolean): Promise<readonly Finding[]> => {
  const [key] = target.credentials;
  const began = monotonicNow();
  const answer = await answerTo({
    url: target.baseUrl,
    wire: target.wire,
    certificates: target.certificates,
    path: routes.models.path,
    headers: {
      accept: 'application/json',
      ...filledHeaders(target.headers, { uuid: uniqueName(), index: 0 }),
      ...(hasKey && key !== undefined ? keyHeader(target.auth, key.value) : {}),
      [requestIdHeader]: preflightId,
    },
  });
  const took = `${figureText(monotonicNow() - began)} ms`;
  if (answer === null)
    return [
      aboutTarget(
        'answer',
        'warning',
        'none',
        'It did not answer the request for its models. Chats may work: `weir check` tries them.',
      ),
    ];
  const { status, text, headers } = answer;
  // A gateway may ask for a key at every address, so a 404 shows a wrong address only if a key was sent.
  if (status === 404 && hasKey) await rejectMisplaced(target);
  return [
    statusFinding(status, took, hasKey),
    ...(status === 200 ? [modelsFinding(text), limitsFinding(headers)] : []),
  ];
};

const defaultKey = 'WEIR_API_KEY';

/**
 * Returns `hasKey`, which is `true` if the user gave a scenario, the option for a key, or the default environment
 * variable. Also returns the environment. If `hasKey` is `false`, this environment has a placeholder for the key, and
 * the target is asked without a key.
 */
const withSomeKey = ({ scenario, key }: TargetRequest, environment: Host['environment']) => {
  const hasKey =
    scenario !== undefined || key !== undefined || (environment[defaultKey] ?? '') !== '';
  return { hasKey, environment: hasKey ? environment : { ...environment, [defaultKey]: 'none' } };
};

const keyFinding = (hasKey: boolean, { credentials, mock }: ReadyTarget): Finding => {
  if (mock !== null) return aboutTarget('key', 'good', 'none needed');
  const names = credentials.map(({ name }) => name);
  return hasKey
    ? aboutTarget('key', 'good', listed(names))
    : aboutTarget(
        'key',
        'warning',
        'none',
        `A run needs one: \`export ${defaultKey}=…\`, or --key NAME here.`,
      );
};

/** Returns the subject of a problem: the option that the message names, the scenario's file, or the address. */
const subjectOf = (message: string, { scenario }: TargetRequest): string => {
  const [, option] = /^--(key|target|set)\b/.exec(message) ?? [];
  if (option === 'target') return 'address';
  return option ?? (scenario !== undefined && message.includes(scenario) ? 'scenario' : 'address');
};

/** Examines a target without any load, with at most six requests for the list of models. */
export const targetFindings = async (
  request: TargetRequest,
  host: Host,
): Promise<readonly Finding[]> => {
  const { hasKey, environment } = withSomeKey(request, host.environment);
  try {
    const read = await targetPlanFor(request, environment);
    host.printer.say(
      'Asks the target for its list of models: two requests, one of them with the key, and at most two more after each 404, to find the right address. No chat is sent.',
    );
    const target = await prepareTarget(read);
    try {
      const address = aboutTarget('address', 'good', target.baseUrl);
      const notes = target.warnings.map((warning) =>
        aboutTarget('look', 'warning', 'a doubt', warning),
      );
      const hasUsableKey = hasKey || target.mock !== null;
      const answers = await askForModels(target, hasUsableKey);
      return [address, keyFinding(hasUsableKey, target), ...answers, ...notes];
    } finally {
      await closeTarget(target);
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const name = subjectOf(error.message, request);
    return [aboutTarget(name, 'bad', 'not usable', error.message)];
  }
};
