import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  launcher,
  startProgram,
  startWeir,
  tempFolder,
} from '../harness/weir-process.fixture.ts';
import { type FoundProcess, runningProcesses } from './kills.fixture.ts';

cleanUpAfterEach();

const toMock = '--target mock --model weir/small --rate 10/s --duration 1s --max-tokens 2'.split(
  ' ',
);
const environment = { PATH: process.env['PATH'], CI: 'true', NO_COLOR: '1', WEIR_HISTORY: 'off' };

const childrenOf = (pid: number | undefined): readonly FoundProcess[] =>
  runningProcesses().filter(({ parent }) => parent === pid);

/** A server that answers the first look, and nothing else. */
const silentServer = async (): Promise<string> => {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => {
      if (bytes.includes('weir-preflight'))
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

it.each(['1', '2'])(
  'a run of %s workers that runs out of file descriptors still writes its report',
  async (workers) => {
    const out = join(await tempFolder(), 'out');
    const words = [
      '--model',
      'a/b',
      '--rate',
      '100/s',
      '--duration',
      '1500ms',
      '--set',
      'canary=false',
    ];
    const run = [launcher, 'run', '--target', await silentServer(), ...words];
    const settings = ['--set', 'deadlines.total=2s', '--workers', workers, '--out', out];
    const line = [process.execPath, ...run, ...settings].map((word) => `'${word}'`).join(' ');
    const limited = startProgram(['bash', '-c', `ulimit -n 64; exec ${line}`], {
      ...environment,
      WEIR_API_KEY: 'sk-test-only',
    });
    const { code, stderr } = await limited.ended;
    expect([code, stderr]).toEqual([12, expect.not.stringContaining('a bug in Weir')]);
    const { failures } = await resultIn(out);
    expect(failures.map(({ cause }) => cause)).toContain('out-of-sockets');
  },
);

it.each([22, 26, 32])(
  'a run that may open only %i files says so, and is no bug in Weir',
  async (files) => {
    const words = ['run', ...toMock, '--out', join(await tempFolder(), 'out')];
    const limit = `--nofile=${files}:${files}`;
    const { code, stderr } = await startProgram(
      ['prlimit', limit, process.execPath, launcher, ...words],
      environment,
    ).ended;
    expect(stderr).toContain('this process may open no more files (`ulimit -n`)');
    expect(code).toBe(2);
  },
);

it('a reference gateway that is suspended does not hold up the end', async () => {
  const out = join(await tempFolder(), 'out');
  const { child, ended, waitForOutput } = startWeir([
    'run',
    ...toMock,
    '--set',
    'grace=1s',
    '--set',
    'deadlines.total=2s',
    '--out',
    out,
  ]);
  await waitForOutput('the embedded reference gateway');
  const gateway = childrenOf(child.pid).find(({ command }) => command.includes('--embedded'));
  expect(gateway).toBeDefined();
  process.kill(gateway?.pid ?? 0, 'SIGSTOP');
  const began = performance.now();
  await ended;
  expect(performance.now() - began).toBeLessThan(20_000);
  expect((await resultIn(out)).notes.join()).toContain('could not be asked for its counters');
});

it('standard output that cannot be written is reported, with its own exit code', async () => {
  const out = join(await tempFolder(), 'out');
  const words = [process.execPath, launcher, 'run', ...toMock, '--json', '--out', out];
  const line = words.map((word) => `'${word}'`).join(' ');
  const { code, stderr } = await startProgram(['bash', '-c', `${line} > /dev/full`], environment)
    .ended;
  expect(stderr).toContain('the standard output cannot be written: the disk is full');
  expect([4, 12]).toContain(code);
  expect((await resultIn(out)).partial).toBeNull();
});

it('the children of a run do not inherit its keys', async () => {
  const out = join(await tempFolder(), 'out');
  const { child, ended, waitForOutput } = startWeir(['run', ...toMock, '--out', out], {
    SOME_API_KEY: 'sk-never-passed-on',
  });
  await waitForOutput('the embedded reference gateway');
  const children = childrenOf(child.pid);
  expect(children.length).toBeGreaterThan(0);
  for (const { pid } of children) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('sk-never-passed-on');
  }
  await ended;
});

it('a scenario reads no file outside its folder, through a link neither, unless that is allowed', async () => {
  const home = await tempFolder();
  const folder = join(home, 'foreign');
  await mkdir(folder);
  await writeFile(join(home, 'private.txt'), 'a private text');
  await symlink(join(home, 'private.txt'), join(folder, 'link.txt'));
  const scenarioWith = (file: string, key: string): string =>
    `target: https://127.0.0.1:1/v1\nkeys: '${key}'\n` +
    `traffic: [{kind: speech, model: m, voice: v, text: {file: ${file}}}]\n` +
    'load: {kind: constant, rate: 1/s, duration: 1s}\n';
  const scenario = join(folder, 'scenario.yaml');
  for (const file of ['../private.txt', 'link.txt', join(home, 'private.txt')]) {
    await writeFile(scenario, scenarioWith(file, '${env:SOME_KEY}'));
    const refused = await weir(['validate', scenario], { SOME_KEY: 'sk-test-only' });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('is outside the scenario’s folder'),
    ]);
    const allowed = await weir(['validate', scenario, '--allow-files'], {
      SOME_KEY: 'sk-test-only',
    });
    expect([allowed.code, allowed.stderr]).toEqual([0, '']);
  }
  const manifest = join(folder, 'clips.json');
  await writeFile(manifest, JSON.stringify({ clips: [{ file: '../private.wav', text: 'x' }] }));
  await writeFile(
    scenario,
    scenarioWith('text.txt', '${env:SOME_KEY}').replace(
      /traffic: .*/,
      'traffic: [{kind: transcription, model: m, clips: clips.json}]',
    ),
  );
  const listed = await weir(['validate', scenario], { SOME_KEY: 'sk-test-only' });
  expect([listed.code, listed.stderr]).toEqual([
    2,
    expect.stringContaining('private.wav is outside the scenario’s folder'),
  ]);
  await writeFile(join(folder, 'text.txt'), 'a text');
  await writeFile(scenario, scenarioWith('text.txt', '${secret:../private.txt}'));
  const withKey = await weir(['validate', scenario]);
  expect([withKey.code, withKey.stderr]).toEqual([
    2,
    expect.stringContaining('../private.txt is outside the scenario’s folder'),
  ]);
});

it.each([
  ['HTTP_PROXY', 'not a url', 'something that is no URL'],
  ['HTTP_PROXY', 'socks5://127.0.0.1:1080', 'one with socks5://'],
])('a proxy in %s that cannot be used is reported: %s', async (name, value, found) => {
  const words = ['run', '--target', 'http://gateway.example/v1', ...toMock.slice(2), '--out'];
  const run = await weir([...words, join(await tempFolder(), 'out')], {
    [name]: value,
    WEIR_API_KEY: 'sk-test-only',
  });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(found)]);
});
