import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CheckReport } from '../../model/check/check-report.ts';
import { testKey } from '../../mock/settings/settings.ts';
import { attacksByFamily, startHostileServer } from '../hostile/hostile-servers.fixture.ts';
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

it('a redirect to another host is a finding, and neither followed nor given the key', async () => {
  const elsewhere: string[] = [];
  const other = await listen((request, response) => {
    elsewhere.push(request.url ?? '');
    response.end();
  });
  const url = await listen((request, response) => {
    request.resume();
    response.writeHead(307, { location: `${other}${request.url}` }).end();
  });
  const report = await checkAddress(`${url}/v1`, {
    ...named,
    timeout: '2s',
    only: ['chat-answers'],
  });
  expect(report.rows.find(({ id }) => id === 'chat')).toMatchObject({
    outcome: 'violation',
    observed: expect.stringMatching(/^status 307.* leads to .* and was not followed$/),
  });
  expect(elsewhere).toEqual([]);
});

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
  const { stdout, stderr, code } = await startWeir(
    ['check', '--target', `${url}/v1`, '--yes', '--model', 'm', '--details', '--out', out],
    { WEIR_API_KEY: testKey(0) },
  ).ended;
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

/** The peak of `weir check` against an address. */
const peakAgainst = async (url: string): Promise<number> => {
  const { child, ended } = startWeir(
    ['check', '--target', url, '--yes', '--timeout', '3s', '--out', await tempFolder()].concat([
      '--model=m',
      '--speech-model=s',
      '--transcription-model=t',
    ]),
    { WEIR_API_KEY: testKey(0) },
  );
  let peak = 0;
  const timer = setInterval(() => {
    void peakOf(child.pid!).then((now) => (peak = Math.max(peak, now)));
  }, 50);
  await ended;
  clearInterval(timer);
  return peak;
};

it('gigabytes of JSON take not much more memory than proper answers', async () => {
  const proper = await startHostileServer([]);
  onTestFinished(() => proper.close());
  const usual = await peakAgainst(proper.url);
  const url = await listen((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    const piece = `[${'[1],'.repeat(20_000)}[]],`;
    response.write('[');
    const send = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', send);
    send();
  });
  const hostile = await peakAgainst(`${url}/v1`);
  expect(usual).toBeGreaterThan(50);
  expect(hostile - usual).toBeLessThan(200);
});
