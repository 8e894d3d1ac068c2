import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readdir } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (more = '', model = 'weir/small'): string => `
name: checked
traffic: [{ kind: chat, model: ${model}, prompt: Hi., maxTokens: 5 }]
load: { kind: iterations, users: 1, iterations: 3, maxDuration: 20s }
${more}
`;

/** A server that lists one model with `status`, and notes who asked for what. */
const openList = async (status: number) => {
  const asked: string[] = [];
  const server = http.createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers.authorization ?? 'without a key'}`);
    const isList = method === 'GET';
    response.writeHead(isList ? status : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'only/model' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
};

describe('before the load', () => {
  it('a key that the gateway refuses ends the run, by its name and never its value', async () => {
    const mock = await openMock({ keys: ['sk-good'] });
    const out = join(await tempFolder(), 'out');
    const keys = "keys: [{ name: blue, key: '${env:BLUE}' }, { name: green, key: '${env:GREEN}' }]";
    const words = ['run', await tempFile('s.yaml', scenario(keys)), '--target', mock.url];
    const ended = await weir([...words, '--out', out], { BLUE: 'sk-good', GREEN: 'sk-typo' });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(
      'answered 401 to a list of models with the key green (${env:GREEN}): check that it is complete and of this gateway. Nothing was sent.',
    );
    expect(ended.stderr).not.toContain('sk-typo');
    expect(await countersOf(mock)).toMatchObject({ 'admitted.chat': 0 });
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it('a wrong key is tried nevertheless with --no-key-check', async () => {
    const mock = await openMock();
    const words = ['run', await tempFile('s.yaml', scenario()), '--target', mock.url];
    const out = await tempFolder();
    const { code } = await weir([...words, '--no-key-check', '--out', out], {
      WEIR_API_KEY: 'sk-typo',
    });
    expect(code).toBe(exitOf(await resultIn(out), 15));
  });

  it('a model that is not listed and not known ends the run before the load', async () => {
    const mock = await openMock();
    const path = await tempFile('s.yaml', scenario('', 'weir/smal'));
    const { code, stderr } = await weir(
      ['run', path, '--target', mock.url, '--out', await tempFolder()],
      {
        WEIR_API_KEY: 'sk-weir-test',
      },
    );
    expect(code).toBe(2);
    expect(stderr).toContain(
      'does not know the model weir/smal: did you mean "weir/small"? It lists weir/small, ',
    );
  });

  it('limits that the gateway declares otherwise are a warning', async () => {
    const mock = await openMock({ limits: { requestsPerMinute: 30 } });
    const stderrOf = async (more: string): Promise<string> => {
      const path = await tempFile('s.yaml', scenario(more));
      const words = ['run', path, '--target', mock.url, '--out', await tempFolder()];
      return (await weir(words, { WEIR_API_KEY: 'sk-weir-test' })).stderr;
    };
    expect(await stderrOf('')).toContain(
      'The gateway declares a limit of 30 requests a minute, and the scenario 60 (limits.requestsPerMinute).',
    );
    expect(await stderrOf('limits: { requestsPerMinute: 30 }')).not.toContain('declares');
  });

  it('an objective that needs more samples than the plan has is reported', async () => {
    const stderrOf = async (objective: string): Promise<string> => {
      const path = await tempFile('s.yaml', scenario(`objectives: [${objective}]`));
      return (await weir(['run', path, '--out', await tempFolder()])).stderr;
    };
    expect(await stderrOf('e2e.p95 < 5s')).toContain(
      'The objective e2e.p95 < 5s cannot be decided: it needs 200 samples, and the plan gives at most 3.',
    );
    expect(await stderrOf('errorRate < 50%, e2e.max < 9s')).not.toContain('cannot be decided');
  });

  it('a list for everybody is read without a key, and says which models there are', async () => {
    const { asked, url } = await openList(200);
    const path = await tempFile('s.yaml', scenario());
    const { stderr } = await weir(['run', path, '--target', url, '--out', await tempFolder()], {
      WEIR_API_KEY: 'sk-mine',
    });
    expect(stderr).toContain('does not list weir/small; it lists only/model.');
    expect(asked.filter((line) => line.startsWith('GET') && line.includes('sk-mine'))).toEqual([]);
  });

  it.each([403, 404, 500])('a list that answers %d stops no run', async (status) => {
    const { asked, url } = await openList(status);
    const path = await tempFile('s.yaml', scenario());
    await weir(['run', path, '--target', url, '--out', await tempFolder()], {
      WEIR_API_KEY: 'sk-mine',
    });
    expect(asked.filter((line) => line.startsWith('POST'))).toHaveLength(3);
  });

  it('no request is sent with a key whose limits the run judges', async () => {
    const mock = await openMock();
    const path = await tempFile('s.yaml', scenario('limits: { class: any }'));
    await weir(['run', path, '--target', mock.url, '--out', await tempFolder()], {
      WEIR_API_KEY: 'sk-weir-test',
    });
    expect(await countersOf(mock)).toMatchObject({ completed: 3 });
  });
});
