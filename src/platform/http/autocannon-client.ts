import type autocannon from 'autocannon';
import type { Client } from 'autocannon';
import type {
  SaturatingClient,
  SaturatingRun,
  RequestBatch,
} from '../../model/observation/saturating-client.ts';
import type { Clock } from '../../model/clock.ts';
import type { WireRequest } from '../../model/observation/exchange.ts';
import { type TargetEndpoint, proxyFor, tlsTrustOptions } from '../connection/connector.ts';
import { requestPathsOf, targetAddress } from '../connection/request-path.ts';
import { loadOptional } from '../optional-package.ts';
import { Problem } from '../problem.ts';
import { ReuseRule } from '../connection/reuse-rule.ts';
import { type AutocannonConnection, ObservedConnection } from './autocannon-connection.ts';

/**
 * This file uses autocannon as a `SaturatingClient`. autocannon only operates the connections; Weir records every
 * instant and count itself. So these faults of autocannon have no effect:
 * - autocannon does not count a request whose connection is closed.
 * - After a broken connection, autocannon treats the half-read answer as the beginning of the next answer.
 * - autocannon continues silently after invalid HTTP.
 * - autocannon has only one timeout, in whole seconds.
 * - After an interruption, autocannon exits with 0 and loses the report.
 */

/**
 * The duration for autocannon, in seconds. This duration is longer than any run, so the engine always ends the run
 * first.
 */
const noTimeout = 2_000_000;

/** The interval at which autocannon checks whether to stop, in ms. */
const stopPollInterval = 50;

const toAutocannonRequests = (
  requests: readonly WireRequest[],
  pathFor: (path: string) => string,
) =>
  requests.map(({ method, path, headers, body }) => ({
    method,
    path: pathFor(path),
    headers: { ...headers },
    ...(body === null ? {} : { body: Buffer.from(body) }),
  }));

/** Throws a `Problem` if autocannon cannot connect to the target as the plan demands. */
export const rejectUnsupportedTarget = ({
  url,
  wire,
}: Pick<TargetEndpoint, 'url' | 'wire'>): void => {
  if (proxyFor(url, wire.proxy) !== null) {
    throw new Problem(
      'a load of the kind "saturate" connects directly to its target, but the plan uses a proxy. Set wire: {proxy: none}, or use the kind "closed"',
    );
  }
  if (url.startsWith('https:') && wire.verifyTls) {
    throw new Problem(
      'autocannon does not check certificates, but wire.verifyTls requires it. Set wire: {verifyTls: false} if that is acceptable, or use the kind "closed"',
    );
  }
};

/** Loads autocannon, an optional package. If autocannon is missing, throws a `Problem` that says what to install. */
export const loadAutocannon = (): Promise<typeof autocannon> =>
  loadOptional(
    async () => (await import('autocannon')).default,
    'a load of the kind "saturate"',
    ['autocannon'],
    'or use the kind "closed"',
  );

export const loadSaturatingClient = async (
  target: TargetEndpoint,
): Promise<(clock: Clock) => SaturatingClient> => {
  const runAutocannon = await loadAutocannon();
  return (clock) => ({ start: (batch) => startBatch(runAutocannon, { ...target, clock }, batch) });
};

const startBatch = (
  runAutocannon: typeof autocannon,
  { clock, ...target }: TargetEndpoint & { readonly clock: Clock },
  { requests, observerFor }: RequestBatch,
): SaturatingRun => {
  const pathFor = requestPathsOf(target.url, target.wire.paths);
  const { url, socketPath } = targetAddress(target.url);
  const connections: ObservedConnection[] = [];
  const context = {
    clock,
    rule: new ReuseRule(target.wire),
    socketPath,
    tlsOptions: tlsTrustOptions(target),
  };
  const setupClient = (client: Client): void => {
    const index = connections.length;
    const connectionRequests = requests[index]!;
    client.setRequests(toAutocannonRequests(connectionRequests, pathFor));
    // The type is replaced, since autocannon's documented interface lacks properties that this file needs.
    const connection = client as unknown as AutocannonConnection;
    connections.push(
      new ObservedConnection(connection, context, connectionRequests.length, (request, exchange) =>
        observerFor(index, request, exchange),
      ),
    );
  };
  const ended = new Promise<void>((resolve, reject) => {
    const options = {
      url: url.href,
      setupClient,
      connections: requests.length,
      duration: noTimeout,
      timeout: noTimeout,
      sampleInt: stopPollInterval,
    };
    runAutocannon(options, (error) => (error === null ? resolve() : reject(error as Error)));
  });
  return {
    stop: () => {
      for (const each of connections) each.stop();
    },
    notes: () => context.rule.notes,
    close: async () => {
      for (const each of connections) each.destroy();
      await ended;
    },
  };
};
