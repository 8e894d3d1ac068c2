// @long 65 s
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CheckReport, checkReportSchema } from '../../verbs/check/model/check-report.ts';
import { testKey } from '../../mock/settings/settings.ts';
import { attacksByFamily, startHostileServer } from '../hostile/hostile-servers.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, startWeir, tempFolder } from '../harness/weir-process.fixture.ts';
import { checkAddress } from './check-mock.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 240_000 });

const named = { model: 'm', speechModel: 's', transcriptionModel: 't' } as const;

/** The gates of a report: one for each request. */
const isNamed = ({ observed }: CheckReport['rows'][number]): boolean => observed.length > 5;

describe('a hostile target ends each exchange as a finding with a reason', () => {
  it.each(Object.entries(attacksByFamily))('%s', async (_, attacks) => {
    const server = await startHostileServer(attacks);
    onTestFinished(() => server.close());
    const begun = performance.now();
    const report = await checkAddress(server.url, { ...named, timeout: '700ms' });
    // Each of some 70 requests, sent twice in three lanes, with the pauses between.
    expect(performance.now() - begun).toBeLessThan(120_000);
    expect(server.served.length).toBeGreaterThan(60);
    expect(report.rows.some(({ outcome }) => outcome === 'violation')).toBe(true);
    expect(report.rows.filter((row) => !isNamed(row) && row.outcome !== 'pass')).toEqual([]);
  });
});

const listen = async (handle: http.RequestListener): Promise<string> => {
  const server = http.createServer({ maxHeaderSize: 1 << 20 }, handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** What a hostile server writes into every text that it may choose. */
const poison = `\u001b[31m<script>alert(1)</script>\u0007\u202e${testKey(0)}`;

it('neither the key nor escape sequences nor markup of a server reach an output', async () => {
  const url = await listen((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(418, { 'content-type': 'application/json', 'x-note': 'x' });
      response.end(JSON.stringify({ error: { message: poison, type: poison, code: poison } }));
    });
  });
  const out = await tempFolder();
  const { stdout, stderr, code } = await weir(
    ['check', '--target', `${url}/v1`, '--yes', '--model', 'm', '--details', '--out', out],
    { WEIR_API_KEY: testKey(0) },
  );
  expect(code).toBe(10);
  const files = ['check.json', 'check.html', 'check.junit.xml', 'check.md'];
  const texts = await Promise.all(files.map((name) => readFile(`${out}/${name}`, 'utf8')));
  for (const text of [stdout, stderr, ...texts]) {
    expect(text).not.toContain(testKey(0));
    expect(/[\u0007\u001b\u202e]/.test(text)).toBe(false);
  }
  expect(texts[1]).not.toContain('<script>alert');
});

/** The most memory that a process has had, in MiB. */
const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
};

/** In ms: of targets whose answers never end, and of those that end each one by themselves or by its size. */
const timeouts = { short: 600, long: 10_000 };

/** Checks an address as users do: the report, the peak of memory in MiB, and the duration in ms. */
const watchCheck = async (url: string, timeout: number) => {
  const out = await tempFolder();
  const begun = performance.now();
  const models = ['--model=m', '--speech-model=s', '--transcription-model=t'];
  const { child, ended } = startWeir(
    ['check', '--target', url, '--yes', '--timeout', `${timeout}ms`, '--out', out, ...models],
    { WEIR_API_KEY: testKey(0) },
  );
  let peak = 0;
  const timer = setInterval(() => {
    void peakOf(child.pid!).then((now) => (peak = Math.max(peak, now)));
  }, 50);
  const { code, stderr } = await ended;
  clearInterval(timer);
  const took = performance.now() - begun;
  expect(stderr).not.toContain('bug');
  const report = checkReportSchema.parse(JSON.parse(await readFile(`${out}/check.json`, 'utf8')));
  return { code, report, peak, took };
};

/** Writes pieces for ever, as fast as they are read. */
const pour = (stream: Writable, piece: string): void => {
  const send = (): void => {
    while (!stream.destroyed && stream.write(piece));
  };
  stream.on('drain', send).on('error', () => undefined);
  send();
};

/** Writes a byte ten times a second, for ever. */
const drip = (stream: Writable): void => {
  const timer = setInterval(() => stream.write(' '), 100);
  stream.on('close', () => clearInterval(timer)).on('error', () => undefined);
};

const list = JSON.stringify({ object: 'list', data: [{ id: 'm' }] });
const properHead = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** Answers the first look at the target properly, and every other request on its socket by hand. */
const listenBare = async (answer: (socket: net.Socket) => void): Promise<string> => {
  const sockets = new Set<net.Socket>();
  let isFirst = true;
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('data', () => undefined));
    const isLook = isFirst;
    isFirst = false;
    socket.once('data', () => {
      if (!isLook) return answer(socket);
      const length = `content-length: ${list.length}\r\nconnection: close\r\n`;
      socket.end(`${properHead}${length}\r\n${list}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A head whose body never ends. */
const unended = `${properHead}connection: close\r\n\r\n`;

const pouring = (piece: string) => () =>
  listenBare((socket) => {
    socket.write(unended);
    pour(socket, piece);
  });

const tooLarge = /^status 200, then too-large: more than 1048576 bytes$/;
const late = new RegExp(
  `^(status 200, then )?deadline-total: no whole answer within ${timeouts.short / 1000} s$`,
);

/** Targets that never come to an end, and what each exchange with them is called. */
const endless: Readonly<Record<string, readonly [start: () => Promise<string>, finding: RegExp]>> =
  {
    'gigabytes of JSON': [pouring(`[${'[1],'.repeat(20_000)}[]],`), tooLarge],
    'an endless body': [pouring('a'.repeat(100_000)), tooLarge],
    'endless headers': [
      () =>
        listenBare((socket) => {
          socket.write('HTTP/1.1 200 OK\r\n');
          pour(socket, `x-more: ${'y'.repeat(5000)}\r\n`);
        }),
      /^too-large: /,
    ],
    'a body in drops': [
      () =>
        listenBare((socket) => {
          socket.write(unended);
          drip(socket);
        }),
      late,
    ],
    'a head in drops': [
      () =>
        listenBare((socket) => {
          socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
          drip(socket);
        }),
      late,
    ],
    'nothing at all': [() => listenBare(() => undefined), late],
  };

describe('a target without an end', () => {
  let usual = 0;
  beforeAll(async () => {
    const proper = await startHostileServer([]);
    usual = (await watchCheck(proper.url, timeouts.long)).peak;
    await proper.close();
  });

  it.each(Object.entries(endless))(
    '%s: each exchange ends in time, has a name, and takes no memory',
    async (_, [start, finding]) => {
      const { code, report, peak, took } = await watchCheck(
        `${await start()}/v1`,
        finding === late ? timeouts.short : timeouts.long,
      );
      const gates = report.rows.filter(({ id }) =>
        ['models', 'chat', 'stream', 'upload-mp3'].includes(id),
      );
      expect(gates).toHaveLength(4);
      for (const { outcome, observed } of gates)
        expect({ outcome, observed }).toEqual({
          outcome: 'violation',
          observed: expect.stringMatching(finding),
        });
      // 15: not one request was answered.
      expect([10, 15]).toContain(code);
      // Some 70 requests in three lanes, and the first look at the target.
      expect(took).toBeLessThan((70 / 3) * (timeouts.short + 200) + 40_000);
      expect(usual).toBeGreaterThan(50);
      expect(peak - usual).toBeLessThan(150);
    },
  );

  it('that does not even answer the first look is refused in time, with a reason', async () => {
    const silent = net.createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
    const begun = performance.now();
    const { code, stderr } = await startWeir(['check', '--target', url, '--yes'], {
      WEIR_API_KEY: testKey(0),
    }).ended;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('did not answer within 10 s'),
    });
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});

it('redirects in a loop over another host are findings, and neither followed nor given the key', async () => {
  const elsewhere: unknown[] = [];
  let url = '';
  const other = await listen((request, response) => {
    elsewhere.push(request.headers);
    response.writeHead(308, { location: `${url}${request.url}` }).end();
  });
  const asked: unknown[] = [];
  url = await listen((request, response) => {
    asked.push(request.url);
    request.resume();
    response.writeHead(307, { location: `${other}${request.url}` }).end();
  });
  const { report, code } = await watchCheck(`${url}/v1`, timeouts.long);
  expect(code).toBe(10);
  const gates = report.rows.filter(({ id }) =>
    ['models', 'chat', 'stream', 'speech-wav'].includes(id),
  );
  expect(gates.map(({ observed }) => observed)).toEqual(
    gates.map(() => expect.stringMatching(/^status 307.* leads to .* and was not followed$/)),
  );
  expect(elsewhere).toEqual([]);
  // One more is the first look at the target; a redirect that was followed would make more.
  expect(asked.length).toBeLessThanOrEqual(report.spent.requests + 1);
  expect(asked.length).toBeGreaterThan(60);
});
