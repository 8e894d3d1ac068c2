import { startHaproxy, startNginx } from '../harness/debian-proxies.ts';
import { startEnvoy } from '../harness/envoy.ts';
import { freePort, type ServerOptions } from '../harness/server-process.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import {
  burstsOfDelay,
  type Delays,
  exponentialDelay,
  fixedDelay,
  type LoggedServer,
  startDelayProxy,
  startStreams,
} from './streams.ts';

/** What stands between Weir and the upstream on the new side. */
export interface StartedSide {
  readonly host: string;
  /** What it saw of the requests itself; absent for software of others. */
  readonly log?: LoggedServer['log'];
  readonly stop: () => Promise<void>;
}

export interface PairCase {
  readonly name: string;
  /** Starts it before an upstream, a host and port. Throws `Unavailable` if it cannot be had here. */
  readonly start: (upstream: string, options: ServerOptions) => Promise<StartedSide>;
}

const before = (
  name: string,
  start: (upstream: string, options: ServerOptions) => Promise<{ stop: () => Promise<void> }>,
): PairCase => ({
  name,
  start: async (upstream, options) => {
    const { stop } = await start(upstream, options);
    return { host: `127.0.0.1:${options.port}`, stop };
  },
});

const delayed = (name: string, delays: () => Delays): PairCase => ({
  name: `delay ${name}`,
  start: (upstream) => startDelayProxy(upstream, delays()),
});

/** More requests and tokens than a run sends. */
const noLimit = 1_000_000_000;

export const pairCases: readonly PairCase[] = [
  { name: 'same server', start: startStreams },
  ...[0, 1, 5, 20].map((ms) => delayed(`${ms} ms`, () => fixedDelay(ms))),
  ...[1, 5, 20].map((ms) => delayed(`exponential ${ms} ms`, () => exponentialDelay(ms))),
  ...[5, 20].map((ms) => delayed(`bursts ${ms} ms`, () => burstsOfDelay(ms))),
  before('nginx', (gateway, options) =>
    startNginx(options, {
      gateway,
      server: 'proxy_buffering off; location / { proxy_pass http://gateway; }',
    }),
  ),
  before('HAProxy', (gateway, options) => startHaproxy(options, gateway, '')),
  before('HAProxy, no delay', (gateway, options) =>
    startHaproxy(options, gateway, '  option http-no-delay'),
  ),
  before('Envoy', (gateway, options) => startEnvoy(options, { gateway })),
  before('LiteLLM', (upstream, options) =>
    startLiteLlm({
      ...options,
      upstream,
      requestsPerWindow: noLimit,
      tokensPerWindow: noLimit,
      window: 60_000,
    }),
  ),
];

/** Starts two equal upstreams: one is the base, and before the other stands what the case adds. */
export const startSides = async ({ start }: PairCase, folder: string) => {
  const base = await startStreams();
  const upstream = await startStreams();
  const stopUpstreams = async (): Promise<void> => {
    await base.stop();
    await upstream.stop();
  };
  try {
    const port = await freePort();
    const next = await start(upstream.host, { port, folder, log: `${folder}/proxy.log` });
    const stop = async (): Promise<void> => {
      await next.stop();
      await stopUpstreams();
    };
    return { base, next, stop };
  } catch (error) {
    await stopUpstreams();
    throw error;
  }
};
