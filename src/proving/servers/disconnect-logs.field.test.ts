// @long 60 s
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  type LoggedStream,
  openStubbornServer,
  stubbornTokens,
} from '../../acceptance/check/stubborn-server.fixture.ts';
import { startHaproxy, startNginx } from '../harness/debian-proxies.ts';
import { startEnvoy } from '../harness/envoy.ts';
import { markdownTable, writeTable } from '../harness/markdown-table.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runCheck } from '../harness/run-check.ts';
import {
  freePort,
  provingKeys,
  type RunningServer,
  type ServerOptions,
} from '../harness/server-process.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';

// The first run installs Envoy and LiteLLM.
vi.setConfig({ testTimeout: 900_000 });

/** What stands between Weir and the server that generates. */
interface Between {
  readonly name: string;
  readonly start: (options: ServerOptions, gateway: string) => Promise<RunningServer>;
  /** Whether a key may have only two requests at the same time, and its log has a line for each. */
  readonly isCapped?: boolean;
}

const nginx = (name: string, lines: string): Between => ({
  name: `nginx, ${name}`,
  isCapped: true,
  start: (options, gateway) =>
    startNginx(options, {
      gateway,
      http: `limit_conn_zone $http_authorization zone=key:1m; limit_conn_status 429;
  log_format chats 'chat $http_x_request_id $status $msec $request_time';`,
      server: `${lines} access_log ${options.log} chats; limit_conn key 2;
    location / { proxy_pass http://gateway; }`,
    }),
});

const between: readonly Between[] = [
  nginx('unbuffered', 'proxy_buffering off;'),
  nginx('buffered', 'proxy_buffering on;'),
  nginx('buffered, ignoring hang-ups', 'proxy_buffering on; proxy_ignore_client_abort on;'),
  { name: 'HAProxy', start: (options, gateway) => startHaproxy(options, gateway, '') },
  { name: 'Envoy', start: (options, gateway) => startEnvoy(options, { gateway }) },
  {
    name: 'LiteLLM proxy',
    start: (options, upstream) => {
      const limits = { requestsPerWindow: 1e6, tokensPerWindow: 1e9, window: 60_000 };
      return startLiteLlm({ ...options, upstream, ...limits });
    },
  },
];

/** A chat in nginx's log; times are in seconds. */
interface LoggedChat {
  readonly id: string;
  readonly status: number;
  readonly begun: number;
  readonly ended: number;
}

const readChats = async (log: string): Promise<readonly LoggedChat[]> =>
  [...(await readFile(log, 'utf8')).matchAll(/^chat (\S+) (\d+) ([\d.]+) ([\d.]+)$/gm)].map(
    ([, id = '', status, ended, took]) => ({
      id,
      status: Number(status),
      begun: Number(ended) - Number(took),
      ended: Number(ended),
    }),
  );

/** What the server's own log says of the stream that was hung up on beside a whole one. */
const generationBy = ([whole, left]: readonly LoggedStream[]): string => {
  expect(whole).toMatchObject({ written: stubbornTokens, writtenWhenLeft: null });
  const share = left!.written / stubbornTokens;
  return share < 0.5 ? 'pass' : share < 0.8 ? 'unchecked' : 'generates-on';
};

/** What nginx's own log says of the place of the first stream that filled the key. */
const slotBy = (chats: readonly LoggedChat[], streams: readonly LoggedStream[]): string => {
  const [wholeChat, , heldChat] = streams.map((stream) =>
    chats.find(({ id }) => id === stream.id)!,
  ) as [LoggedChat, LoggedChat, LoggedChat];
  const admitted = chats.filter(
    ({ id, status, begun }) =>
      status === 200 && begun > heldChat.begun && !streams.some((stream) => stream.id === id),
  );
  // Nothing was admitted before a place was free.
  for (const { begun } of admitted) expect(begun).toBeGreaterThan(heldChat.ended - 0.01);
  const took = ({ begun, ended }: LoggedChat): number => ended - begun;
  const share = took(heldChat) / took(wholeChat);
  return share < 0.6 ? 'pass' : share < 0.8 ? 'unchecked' : 'slot-held';
};

const table: string[][] = [];
afterAll(() =>
  writeTable(
    'disconnects',
    markdownTable(['before the server', 'the server', 'check', 'result', 'seen'], table),
  ),
);

describe.concurrent('weir check --only disconnects', () => {
  it.for(
    between.flatMap((each) =>
      [true, false].map((stops) => ({ ...each, stops, what: stops ? 'stops' : 'never stops' })),
    ),
  )(
    'says what the logs of $name and of a server that $what behind it say',
    async ({ name, what, start, stops, isCapped = false }, context) => {
      await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
      const options = { port: await freePort(), folder: own.path, log: join(own.path, 'log') };
      const server = await openStubbornServer({ stops });
      try {
        const gateway = await orSkip(context, () => start(options, server.address));
        try {
          const metrics = `server.metrics=http://${server.address}/metrics`;
          const words = ['--only', 'disconnects', '--set', metrics];
          const run = { profile: 'spec', key: provingKeys[0], words } as const;
          const { report } = await runCheck(gateway.url, join(own.path, 'check'), run);
          const said = JSON.stringify([report.rows, server.streams]);
          const found: Record<string, string> = {};
          for (const row of report.rows) {
            found[row.id] = row.name ?? row.outcome;
            table.push([name, what, row.id, found[row.id]!, row.observed]);
          }
          // What a busy machine leaves open is unchecked, and never wrong.
          const generation = found['disconnect.generation']!;
          expect([generationBy(server.streams), 'unchecked'], said).toContain(generation);
          const slot = isCapped
            ? slotBy(await readChats(options.log), server.streams)
            : 'unchecked';
          expect([slot, 'unchecked'], said).toContain(found['disconnect.slot']);
          const { observed } = report.rows.find(({ id }) => id === 'disconnect.generation')!;
          const [, after] = /(\d+) tokens were counted after the hang-up/.exec(observed) ?? [];
          // The client had at least five tokens when it hung up, which the metrics had counted before.
          if (after !== undefined)
            expect(Number(after), said).toBeLessThanOrEqual(server.streams[1]!.written - 5);
          if (generation === 'generates-on')
            expect(Number(after), said).toBeGreaterThan(0.5 * stubbornTokens);
        } finally {
          await gateway.stop();
        }
      } finally {
        server.close();
      }
    },
  );
});

it('most of them are decided', (context) => {
  const of = (check: string) => table.filter(([, , id]) => id === `disconnect.${check}`);
  if (table.length === 0) context.skip('no case ran; each says why');
  const decided = of('generation').filter(([, , , result]) => result !== 'unchecked');
  expect(decided.length).toBeGreaterThanOrEqual(of('generation').length / 2);
});
