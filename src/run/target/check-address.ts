import { servedModelListSchema } from '../../contract/models.ts';
import { keyHeader } from '../../model/plan/key-header.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { filledHeaders } from '../../model/plan/secret.ts';
import { routes } from '../../contract/routes.ts';
import type { TargetEndpoint } from '../../platform/connection/connector.ts';
import { originOf, requestPathsOf, targetAddress } from '../../platform/connection/request-path.ts';
import { answerTo } from '../../platform/http/preflight.ts';
import { DoubtfulTarget } from '../../platform/problem.ts';
import { jsonIn, objectOf } from '../../traffic/answer/json-text.ts';

/** This file finds the address that the user probably means if a gateway lists no models at the given address. */

/**
 * The value of `${uuid}` in requests before the run: the largest UUID (RFC 9562, section 5.10), which no request of a
 * run has.
 */
export const preflightUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns whether a status means that the server lists its models only for requests with a key. */
export const needsKey = (status: number): boolean => status === 401 || status === 403;

/**
 * Returns whether an answer lists models, or refuses the list in JSON. The status alone is not enough, since servers
 * that are not gateways may answer any path with 200 or 401.
 */
const isOfGateway = (answer: Awaited<ReturnType<typeof answerTo>>): boolean => {
  if (answer === null) return false;
  const json = jsonIn(answer.text);
  return answer.status === 200
    ? servedModelListSchema.safeParse(json).success
    : needsKey(answer.status) && objectOf(json) !== null;
};

const bareAddress = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

/**
 * Returns a base address with its version exactly once. For example, https://host and https://host/v1/v1 both become
 * https://host/v1.
 */
export const versionedAddress = (baseUrl: string): string => {
  // In an address with a Unix socket, a colon separates the path of the socket from the path of the URL.
  if (/^unix:[^:]+$/.test(baseUrl)) return `${baseUrl}:/v1`;
  const [place = '', query] = baseUrl.split('?');
  const once = bareAddress(place).replace(/(\/v\d+)\1$/, '$1');
  const versioned = /\/v\d+$/.test(once) ? once : `${once}/v1`;
  return query === undefined ? versioned : `${versioned}?${query}`;
};

/**
 * Returns the addresses that the user probably means if the given address answers with a 404: the given address with
 * its version exactly once, and the address `/v1` of the same origin.
 */
const probableAddresses = (baseUrl: string): readonly string[] => {
  const { url } = targetAddress(baseUrl);
  if (url.search !== '' || baseUrl.startsWith('unix:')) return [];
  const addresses = new Set([versionedAddress(baseUrl), `${url.origin}/v1`]);
  return [...addresses].filter((each) => each !== bareAddress(baseUrl));
};

/**
 * Returns warnings about the address if the request for models got a 404. A 404 alone is only a warning, since a
 * gateway may lack the route for models. Throws a `Problem` if a probable address answers like a gateway.
 */
export const addressWarnings = async (
  target: TargetEndpoint,
  headers: Readonly<Record<string, string>>,
  status: number,
): Promise<readonly string[]> => {
  if (status !== 404) return [];
  const { url: baseUrl, wire } = target;
  const request = `GET ${originOf(baseUrl)}${requestPathsOf(baseUrl, wire.paths)(routes.models.path)}`;
  for (const probable of probableAddresses(baseUrl)) {
    const { path } = routes.models;
    if (isOfGateway(await answerTo({ ...target, url: probable, path, headers }))) {
      throw new DoubtfulTarget(
        `${request} answered 404, and ${probable} answers as a gateway does: write ${probable}.`,
      );
    }
  }
  if (/\/v\d+\/*$/.test(targetAddress(baseUrl).url.pathname))
    return [`${request} answered 404: the gateway lacks this route, or has another address.`];
  return [
    `${request} answered 404: the base address of a gateway ends in its version, for example https://host/v1.`,
  ];
};

/** The target that a verb examines, with its keys filled in. */
interface KeyedTarget extends Omit<TargetEndpoint, 'url'> {
  readonly baseUrl: string;
  readonly auth: Plan['auth'];
  readonly credentials: readonly { readonly value: string }[];
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Throws a `Problem` if the list of models is at another address. Called after a request with a key got a 404. The
 * check before the run has no key, so it cannot find such an address: many gateways answer requests without a key with
 * 401 at every address.
 */
export const rejectMisplaced = async (target: KeyedTarget): Promise<void> => {
  const { baseUrl, wire, certificates, auth, credentials } = target;
  const key = credentials[0]?.value;
  const headers = {
    accept: 'application/json',
    ...filledHeaders(target.headers, { uuid: preflightUuid, index: 0 }),
    ...(key === undefined ? {} : keyHeader(auth, key)),
  };
  await addressWarnings({ url: baseUrl, wire, certificates }, headers, 404);
};
