import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { groupsMatching } from '../../model/result/summary.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { chatAnswer } from '../../run/answering-server.fixture.ts';
import { exitOf, readLines, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

/** A request as a server logged it. */
interface Logged {
  readonly id: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly path: string;
  /** The port of the connection on which it came. */
  readonly port: number;
}

/**
 * A server that logs every request. Of the chats, it refuses the first attempt of each request whose id ends in 3, and
 * sends each whose id ends in 7 to another address.
 */
const startLogger = async (elsewhere: () => string) => {
  const log: Logged[] = [];
  const refused = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['x-request-id']);
      const { headers, url: path = '' } = request;
      log.push({
        id,
        headers,
        body: Buffer.concat(chunks).toString('utf8'),
        path,
        port: request.socket.remotePort!,
      });
      const json = { 'content-type': 'application/json' };
      if (path.endsWith('/models'))
        response
          .writeHead(
            headers.authorization === undefined && headers['x-api-key'] === undefined ? 401 : 200,
            json,
          )
          .end(
            JSON.stringify({
              object: 'list',
              data: [{ id: 'm', object: 'model', created: 1, owned_by: 'x' }],
            }),
          );
      else if (id.endsWith('3') && !refused.has(id)) {
        refused.add(id);
        response.writeHead(503, json).end('{"error":{"message":"busy"}}');
      } else if (id.endsWith('7'))
        response.writeHead(307, { location: `${elsewhere()}/chat/completions` }).end();
      else response.writeHead(200, json).end(chatAnswer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, log };
};

const twoLoggers = async () => {
  const urls: string[] = [];
  const left = await startLogger(() => urls[1]!);
  const right = await startLogger(() => urls[0]!);
  urls.push(left.url, right.url);
  return { left, right };
};
type Loggers = Awaited<ReturnType<typeof twoLoggers>>;

const environment = { LEFT: 'sk-left-left', RIGHT: 'sk-right-right', TEAM: 'team-of-right' };

const leftPopulation =
  '{ name: quiet, target: left, load: { kind: poisson, rate: 40/s, duration: 1500ms } }';
const rightPopulation =
  '{ name: noisy, target: right, load: { kind: iterations, users: 4, iterations: 60 }, retry: { attempts: 2, base: 10ms } }';

const scenarioFor = (
  { left, right }: Loggers,
  populations: readonly string[] = [leftPopulation, rightPopulation],
): string => `
name: two
seed: 5
traffic: [{ kind: chat, model: m, prompts: [one, two, three, four] }]
retry: { attempts: 2, base: 10ms }
limits: none
targets:
${populations.includes(leftPopulation) ? `  left: { url: '${left.url}', keys: '\${env:LEFT}' }` : ''}
${
  populations.includes(rightPopulation)
    ? `  right:
    url: ${right.url}
    keys: [{ name: a, key: '\${env:RIGHT}' }]
    auth: { header: x-api-key }
    headers: { x-team: '\${env:TEAM}' }
    wire: { reuse: false }`
    : ''
}
populations:
${populations.map((each) => `  - ${each}`).join('\n')}
`;

const run = async (scenario: string, ...options: readonly string[]) => {
  const out = await tempFolder();
  const requests = join(out, 'requests.csv');
  const words = ['run', await tempFile('two.yaml', scenario), '--quiet', '--out', out];
  const ended = await weir([...words, '--requests', requests, ...options], environment);
  return { ...ended, result: await resultIn(out), rows: await readLines(requests) };
};

const chatsIn = ({ log }: Loggers['left']): readonly Logged[] =>
  log.filter(({ path }) => path.endsWith('/chat/completions'));

/** All that a server must never see, in any header or body. */
const seenBy = ({ log }: Loggers['left']): string => JSON.stringify(log);

describe('targets by name', () => {
  it.each([['1'], ['2']])(
    'get their own requests, keys and headers, and nothing of the other, from %s workers',
    async (workers) => {
      const loggers = await twoLoggers();
      const { left, right } = loggers;
      const { result, rows, code, stderr } = await run(scenarioFor(loggers), '--workers', workers);
      expect([code, stderr === '' || code === 12]).toEqual([exitOf(result, 0), true]);
      const attemptsOf = (target: string): number =>
        groupsMatching(result, (labels) => labels.target === target).reduce(
          (sum, { attempts }) => sum + attempts,
          0,
        );
      expect(attemptsOf('left')).toBeGreaterThan(40);
      expect(attemptsOf('right')).toBeGreaterThan(40);
      expect(chatsIn(left)).toHaveLength(attemptsOf('left'));
      expect(chatsIn(right)).toHaveLength(attemptsOf('right'));
      expect(seenBy(left)).not.toMatch(/sk-right|team-of-right|x-api-key/);
      expect(seenBy(right)).not.toMatch(/sk-left|authorization/);
      expect(
        chatsIn(left).every(({ headers }) => headers.authorization === 'Bearer sk-left-left'),
      ).toBe(true);
      for (const { headers } of chatsIn(right))
        expect(headers).toMatchObject({
          'x-api-key': 'sk-right-right',
          'x-team': 'team-of-right',
        });
      // Only the right one has a new connection for each request.
      const connectionsOf = (each: Loggers['left']): number =>
        new Set(chatsIn(each).map(({ port }) => port)).size;
      expect(connectionsOf(right)).toBe(chatsIn(right).length);
      expect(connectionsOf(left)).toBeLessThan(chatsIn(left).length);
      // Some requests were refused and sent again, and some were sent elsewhere, and none followed.
      for (const each of [left, right])
        for (const digit of ['3', '7'])
          expect(chatsIn(each).some(({ id }) => id.endsWith(digit))).toBe(true);
      const ids = new Set(chatsIn(left).map(({ id }) => id));
      expect(chatsIn(right).some(({ id }) => ids.has(id))).toBe(false);
      // The table of requests names the target of each.
      const columns = rows[0]!.split(',');
      const [target, population] = ['target', 'population'].map((name) => columns.indexOf(name));
      const places = rows.slice(1).map((row) => row.split(','));
      expect(new Set(places.map((cells) => `${cells[target!]} ${cells[population!]}`))).toEqual(
        new Set(['left quiet', 'right noisy']),
      );
      expect(JSON.stringify(result)).not.toMatch(/sk-left|sk-right|team-of-right/);
      expect(result.baseUrl).toBe(`left ${left.url}, right ${right.url}`);
    },
  );

  it('leave the requests of one as they are to the byte, when the other is left out', async () => {
    const loggers = await twoLoggers();
    const bytesOf = async (populations?: readonly string[]) => {
      loggers.left.log.length = 0;
      const { result } = await run(scenarioFor(loggers, populations));
      return chatsIn(loggers.left)
        .map(({ id, headers, body }) =>
          JSON.stringify([id, headers, body]).replaceAll(`${result.runId}-`, ''),
        )
        .toSorted();
    };
    const both = await bytesOf();
    expect(both.length).toBeGreaterThan(40);
    expect(await bytesOf([leftPopulation])).toEqual(both);
  });

  it('refuse a key at the target that does not know it, and name that target', async () => {
    const { left, right } = await twoLoggers();
    const closed = await startLogger(() => left.url);
    closings.at(-1)!();
    const scenario = scenarioFor({ left, right: { ...right, url: closed.url } });
    const { code, stderr } = await weir(
      ['run', await tempFile('s.yaml', scenario), '--quiet', '--out', await tempFolder()],
      environment,
    );
    expect(stderr).toContain(closed.url);
    expect(code).toBe(2);
    expect(chatsIn(left)).toEqual([]);
  });

  it('can be reference gateways, each with its own keys and counters', async () => {
    const scenario = `
traffic: [{ kind: models }]
targets: { direct: mock, gateway: mock }
populations:
  - { name: a, target: direct, load: { kind: constant, rate: 20/s, duration: 1s } }
  - { name: b, target: gateway, load: { kind: constant, rate: 20/s, duration: 1s } }
objectives: ['errorRate{target=direct} <= 0%', 'failed{target=gateway, key=default} <= 0']
`;
    const { result, code } = await run(scenario);
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: 40 });
    expect(result.gatewayCounters).toBeNull();
    expect(result.ledger.map(({ key }) => key).toSorted()).toEqual([
      'default@direct',
      'default@gateway',
    ]);
    expect(code).toBe(exitOf(result, 0));
  });
});
