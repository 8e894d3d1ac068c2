import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const models = { object: 'list', data: [{ id: 'a/b' }, { id: 'c/d' }] };
const key = 'sk-doctor-test';

/** Starts a gateway that lists its models for one key only, and keeps the requests that it gets. */
const startGateway = async (status = 401) => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const isKnown = request.headers.authorization === `Bearer ${key}`;
    response.writeHead(isKnown ? 200 : status, {
      'content-type': 'application/json',
      'x-ratelimit-limit-requests': '600',
    });
    response.end(JSON.stringify(isKnown ? models : { error: { message: 'no' } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
};

/** Starts a gateway that answers below `/v1` only, and returns its address without that. */
const gatewayBelowV1 = async () => {
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/v1/models' ? 200 : 404).end(JSON.stringify(models));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

interface Said {
  readonly findings: readonly {
    readonly name: string;
    readonly level: string;
    readonly about: string;
    readonly found: string;
  }[];
}

const ask = async (url: string, environment: Readonly<Record<string, string>>) => {
  const { code, stdout, stderr } = await weir(['doctor', '--target', url, '--json'], environment);
  const { findings } = JSON.parse(stdout) as Said;
  const levelOf = (name: string) =>
    findings.find((each) => each.about === 'target' && each.name === name)?.level;
  return { code, stdout, stderr, levelOf, findings };
};

describe('weir doctor', () => {
  it('sends nothing without a target', async () => {
    const { code, stdout, stderr } = await weir(['doctor']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^[✓!] This machine can measure/);
    expect(stdout).toContain('Optional packages');
    expect(stdout).not.toContain('Target');
  });

  it('asks a target twice for its models, the second time with the key, and says so before', async () => {
    const { url, requests } = await startGateway();
    const { code, stdout, stderr, levelOf, findings } = await ask(url, { WEIR_API_KEY: key });
    expect(code).toBe(0);
    expect(stderr).toContain('No chat is sent.');
    expect(
      requests.map(({ method, url: path, headers }) => [method, path, headers.authorization]),
    ).toEqual([
      ['GET', '/v1/models', undefined],
      ['GET', '/v1/models', `Bearer ${key}`],
    ]);
    expect([levelOf('answer'), levelOf('models')]).toEqual(['good', 'good']);
    expect(findings.find(({ name }) => name === 'limits')?.found).toBe('600 requests a minute');
    expect(stdout).not.toContain(key);
  });

  it('ends with 2 where the key is refused, the gateway fails or nothing listens', async () => {
    const { url } = await startGateway();
    const refused = await ask(url, { WEIR_API_KEY: 'sk-other' });
    expect([refused.code, refused.levelOf('answer')]).toEqual([2, 'bad']);
    expect(refused.stdout).not.toContain('sk-other');
    const failing = await ask((await startGateway(503)).url, { WEIR_API_KEY: 'sk-other' });
    expect([failing.code, failing.levelOf('answer')]).toEqual([2, 'bad']);
    const nobody = await ask('http://127.0.0.1:9/v1', { WEIR_API_KEY: key });
    expect([nobody.code, nobody.levelOf('address')]).toEqual([2, 'bad']);
  });

  it('says its verdict once, with --quiet too', async () => {
    const words = ['doctor', '--target', 'http://127.0.0.1:9/v1'];
    const loud = await weir(words);
    const quiet = await weir([...words, '--quiet']);
    const verdict = /^✗ The target cannot be used/gm;
    expect([loud.code, quiet.code]).toEqual([2, 2]);
    for (const { stdout, stderr } of [loud, quiet])
      expect(`${stdout}${stderr}`.match(verdict)).toHaveLength(1);
    expect(`${quiet.stdout}${quiet.stderr}`.trim().split('\n')).toHaveLength(1);
  });

  it('names the right address, and no option that it does not have', async () => {
    const { code, stdout } = await weir(['doctor', '--target', await gatewayBelowV1()]);
    expect(code).toBe(2);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/write http:\S+\/v1\. /);
    expect(stdout).not.toContain('--no-preflight');
  });

  it('asks without a key where none is set, and never sends one that it made up', async () => {
    const { url, requests } = await startGateway();
    const { code, levelOf } = await ask(url, {});
    expect([code, levelOf('key'), levelOf('answer')]).toEqual([0, 'warning', 'warning']);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it('names the gateway’s other answers as doubts', async () => {
    for (const status of [404, 429]) {
      const { url } = await startGateway(status);
      const { code, levelOf } = await ask(url, { WEIR_API_KEY: 'sk-other' });
      expect([code, levelOf('answer')]).toEqual([0, 'warning']);
    }
  });
});
