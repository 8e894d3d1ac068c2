import type autocannon from 'autocannon';
import type { Client } from 'autocannon';
import type { Cannon, Firing, Volley } from '../model/cannon.ts';
import type { Clock } from '../model/clock.ts';
import type { WireRequest } from '../model/exchange.ts';
import { type Base, proxyFor } from './connector.ts';
import { Problem } from './problem.ts';
import { type Barrel, WatchedBarrel } from './watched-barrel.ts';

/**
 * autocannon as a `Cannon`. It drives the connections, and every instant and every count is ours, so that its
 * known faults stay out of reach: it drops a request whose connection is closed without counting it, keeps
 * the half-read answer of a broken connection for the next one, goes on silently after what is no HTTP, has
 * one deadline in whole seconds, exits 0 and loses the report when interrupted.
 */

/** Longer than any run, in seconds: deadlines are the engine's. */
const noTimeout = 2_000_000;

/** How soon autocannon notices that it has been stopped, in ms. */
const stopWithin = 50;

const rounds = (requests: readonly WireRequest[], base: string) =>
  requests.map(({ method, path, headers, body }) => ({
    method,
    path: `${base}${path}`,
    headers: { ...headers },
    ...(body === null ? {} : { body: Buffer.from(body) }),
  }));

/** Throws a `Problem` where autocannon cannot take the way to a target as the plan wants it. */
export const refuseWay = ({ url, wire }: Pick<Base, 'url' | 'wire'>): void => {
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
export const loadCannon = async (url: string): Promise<(clock: Clock) => Cannon> => {
  const { default: shoot } = await import('autocannon');
  return (clock) => ({ fire: (volley) => fire(shoot, { url, clock }, volley) });
};

const fire = (
  shoot: typeof autocannon,
  { url, clock }: { readonly url: string; readonly clock: Clock },
  { requests, begin }: Volley,
): Firing => {
  const base = new URL(url).pathname.replace(/\/$/, '');
  const watched: WatchedBarrel[] = [];
  const setupClient = (client: Client): void => {
    const place = watched.length;
    const own = requests[place]!;
    client.setRequests(rounds(own, base));
    // The documented interface leaves out what this file needs.
    const barrel = client as unknown as Barrel;
    watched.push(
      new WatchedBarrel(barrel, clock, own.length, (request, exchange) =>
        begin(place, request, exchange),
      ),
    );
  };
  const over = new Promise<void>((resolve, reject) => {
    const options = {
      ...{ url, setupClient, connections: requests.length },
      ...{ duration: noTimeout, timeout: noTimeout, sampleInt: stopWithin },
    };
    shoot(options, (error) => (error === null ? resolve() : reject(error as Error)));
  });
  return {
    cease: () => {
      for (const each of watched) each.cease();
    },
    close: async () => {
      for (const each of watched) each.destroy();
      await over;
    },
  };
};
