// @long 70 s
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { readObservations } from '../../acceptance/harness/run-files.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../../acceptance/harness/weir-process.fixture.ts';
import { type TransportName, transportNames } from '../../model/observation/exchange.ts';
import { startHaproxy, startNginx } from '../harness/debian-proxies.ts';
import { startEnvoy } from '../harness/envoy.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { freePort, type RunningServer, type ServerOptions } from '../harness/server-process.ts';
import { measurableTimes, startBeforeGateway } from '../harness/upstream.ts';
import { certificateFor } from './proxy-servers.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 600_000 });

/** One answer in the log of a proxy. */
interface LoggedAnswer {
  readonly id: string;
  readonly status: number;
  /** Whether the client had the whole answer, as the proxy says. */
  readonly isWhole: boolean;
}

interface Proxy {
  readonly name: string;
  /** Its log has a line `end ID STATUS END` for each request. */
  readonly start: (options: ServerOptions, gateway: string) => Promise<RunningServer>;
  readonly wire?: Readonly<Record<string, unknown>>;
  readonly transports?: readonly TransportName[];
}

const nginx = (name: string, server: string, listen = '', wire = {}): Proxy => ({
  name: `nginx, ${name}`,
  wire,
  ...(listen.includes('http2') ? { transports: ['undici'] } : {}),
  start: async (options, gateway) =>
    startNginx(options, {
      gateway,
      listen,
      http: `${listen.includes('ssl') ? await certificateFor(options.folder) : ''}
  map $request_completion $end { OK whole; default cut; }
  log_format ends 'end $http_x_request_id $status $end';`,
      server: `access_log ${options.log} ends; ${server}
    location /v1/ { proxy_pass http://gateway/v1/; }`,
    }),
});

const insecure = { verifyTls: false };
const proxies: readonly Proxy[] = [
  nginx('unbuffered', 'proxy_buffering off;'),
  nginx('buffered', 'proxy_buffering on;'),
  nginx('TLS', 'proxy_buffering off;', 'ssl', insecure),
  nginx('HTTP/2', 'proxy_buffering off;', 'ssl http2', { ...insecure, http2: true }),
  {
    name: 'HAProxy',
    start: (options, gateway) =>
      startHaproxy(options, gateway, '  log-format "end %[capture.req.hdr(0)] %ST %ts"'),
  },
  {
    name: 'Envoy',
    start: (options, gateway) =>
      startEnvoy(options, {
        gateway,
        chatLines: [[0, 599, 'end %REQ(X-REQUEST-ID)% %RESPONSE_CODE% %RESPONSE_FLAGS%']],
      }),
  },
];

/** The moments at which half of the requests are hung up on. */
const moments = ['5 tokens', '300ms', 'sent', 'headers'] as const;

const scenarioOf = (url: string, transport: string, wire: object) => ({
  target: url,
  transport,
  wire: { proxy: 'none', ...wire },
  limits: 'none',
  traffic: moments.map((after) => ({
    name: after.replace(' ', '-'),
    kind: 'chat-stream',
    model: 'proving/small',
    prompt: 'hello there',
    maxTokens: 60,
    cancel: { share: '50%', after },
  })),
  load: { kind: 'constant', rate: '25/s', duration: '3s' },
});

/** Reads the log until it has so many requests, for 3 s at most. */
const readEnds = async (file: string, count: number): Promise<readonly LoggedAnswer[]> => {
  for (let attempt = 0; ; attempt += 1) {
    const ends = [...(await readFile(file, 'utf8')).matchAll(/^end (\S+-\d+) (-?\d+) (\S+)$/gm)];
    if (ends.length >= count || attempt >= 60)
      return ends.map(([, id = '', status, end = '']) => ({
        id,
        status: Number(status),
        isWhole: ['whole', '--', '-'].includes(end),
      }));
    await sleep(50);
  }
};

const idsOf = (answers: readonly { readonly id: string }[]): readonly string[] =>
  answers.map(({ id }) => id).toSorted();

const cases = proxies.flatMap((proxy) =>
  (proxy.transports ?? transportNames).map((transport) => ({ ...proxy, transport })),
);

it.for(cases)(
  '$name: the requests that Weir hangs up on are those that its log has as cut, with $transport',
  async ({ start, wire = {}, transport }, context) => {
    await orSkip(context, async () => {
      const folder = await tempFolder();
      const options = { port: await freePort(), folder, log: join(folder, 'log') };
      const server = await startBeforeGateway(
        (gateway) => start(options, gateway),
        measurableTimes,
      );
      try {
        const file = join(folder, 'observations.jsonl');
        const scenario = scenarioOf(server.url, transport, wire);
        await runScenario(scenario, await tempFolder(), ['--observations', file]);
        const observations = (await readObservations(file)).map((observation) => ({
          ...observation,
          id: observation.requestId,
        }));
        const ends = await readEnds(options.log, observations.length);
        expect(idsOf(ends)).toEqual(idsOf(observations));
        const cancelled = observations.filter(({ outcome }) => outcome.kind === 'cancelled');
        expect(cancelled.length).toBeGreaterThan(15);
        expect(observations.filter(({ outcome }) => outcome.kind === 'completed').length).toBe(
          observations.length - cancelled.length,
        );
        expect(idsOf(cancelled)).toEqual(idsOf(ends.filter(({ isWhole }) => !isWhole)));
        // What the proxy never answered was cut before a head, as Weir saw it.
        const unanswered = idsOf(ends.filter(({ status }) => status === 499 || status <= 0));
        const headless = idsOf(cancelled.filter(({ head }) => head === null));
        expect(headless).toEqual(expect.arrayContaining([...unanswered]));
      } finally {
        await server.stop();
      }
    });
  },
);
