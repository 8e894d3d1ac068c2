import type autocannon from 'autocannon';
import type { Client } from 'autocannon';
import type {
  SaturatingClient,
  SaturatingRun,
  RequestBatch,
} from '../../model/observation/saturating-client.ts';
import type { Clock } from '../../model/clock.ts';
import type { WireRequest } from '../../model/observation/exchange.ts';
import { type TargetEndpoint, proxyFor } from '../connection/connector.ts';
import { Problem } from '../problem.ts';
import { type AutocannonConnection, ObservedConnection } from './autocannon-connection.ts';

/**
 * autocannon as a `SaturatingClient`. It drives the connections, and every instant and every count is ours, so that its
 * known faults stay out of reach: it drops a request whose connection is closed without counting it, keeps
 * the half-read answer of a broken connection for the next one, goes on silently after what is no HTTP, has
 * one deadline in whole seconds, exits 0 and loses the report when interrupted.
 */

/** Longer than any run, in seconds: deadlines are the engine's. */
const noTimeout = 2_000_000;

/** How soon autocannon notices that it has been stopped, in ms. */
const stopPollInterval = 50;

const toAutocannonRequests = (requests: readonly WireRequest[], base: string) =>
  requests.map(({ method, path, headers, body }) => ({
    method,
    path: `${base}${path}`,
    headers: { ...headers },
    ...(body === null ? {} : { body: Buffer.from(body) }),
  }));

/** Throws a `Problem` where autocannon cannot take the way to a target as the plan wants it. */
export const rejectUnsupportedTarget = ({
  url,
  wire,
}: Pick<TargetEndpoint, 'url' | 'wire'>): void => {
  if (proxyFor(url, wire.proxy) !== null) {
    throw new Problem(
      'a load of the kind "saturate" goes directly to its target: expected no proxy, got one for it. Set wire: {proxy: none}, or use the kind "closed"',
    );
  }
  if (url.startsWith('https:') && wire.verifyTls) {
    throw new Problem(
      'autocannon never checks certificates, and wire.verifyTls asks that they are. Set wire: {verifyTls: false} where that may be, or use the kind "closed"',
    );
  }
};

/** Loads autocannon; what is returned aims it at the target. */
export const loadSaturatingClient = async (
  url: string,
): Promise<(clock: Clock) => SaturatingClient> => {
  const { default: runAutocannon } = await import('autocannon');
  return (clock) => ({ start: (batch) => startBatch(runAutocannon, { url, clock }, batch) });
};

const startBatch = (
  runAutocannon: typeof autocannon,
  { url, clock }: { readonly url: string; readonly clock: Clock },
  { requests, observerFor }: RequestBatch,
): SaturatingRun => {
  const base = new URL(url).pathname.replace(/\/$/, '');
  const connections: ObservedConnection[] = [];
  const setupClient = (client: Client): void => {
    const index = connections.length;
    const connectionRequests = requests[index]!;
    client.setRequests(toAutocannonRequests(connectionRequests, base));
    // The documented interface leaves out what this file needs.
    const connection = client as unknown as AutocannonConnection;
    connections.push(
      new ObservedConnection(connection, clock, connectionRequests.length, (request, exchange) =>
        observerFor(index, request, exchange),
      ),
    );
  };
  const ended = new Promise<void>((resolve, reject) => {
    const options = {
      url,
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
    close: async () => {
      for (const each of connections) each.destroy();
      await ended;
    },
  };
};
