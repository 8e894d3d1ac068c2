import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';
import { routes } from '../../contract/routes.ts';
import { readScenario } from '../../scenario/read-scenario.ts';
import { chatBody } from '../harness/chat-body.fixture.ts';

cleanUpAfterEach();

const scenario = (more = ''): string => `
traffic: [{ kind: chat, model: m, prompt: Hi., maxTokens: 5 }]
load: { kind: iterations, users: 1, iterations: 3, maxDuration: 20s }
${more}
`;

const answer = JSON.stringify(chatBody({ tokens: [7, 4] }));

const html = { 'content-type': 'text/html; charset=utf-8' };
const notLists: Readonly<Record<string, http.RequestListener>> = {
  'the 404 page of a proxy': (_, response) => {
    response.writeHead(404, html).end('<html><head><title>404 Not Found</title></head></html>');
  },
  'a single-page application': (_, response) => {
    response.writeHead(200, html).end('<!doctype html><div id="root"></div>');
  },
  'a redirect to a login': (_, response) => {
    response.writeHead(302, { location: 'https://login.example/' }).end();
  },
};

/** A server whose chats work and whose other paths are answered by `list`; it notes what it was asked for. */
const openChats = async (list: http.RequestListener, limits: Record<string, string> = {}) => {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method !== 'POST') return list(request, response);
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', ...limits }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const environment = { WEIR_API_KEY: 'k' };

const runAt = async (target: string, text: string, ...more: readonly string[]) => {
  const out = join(await tempFolder(), 'out');
  const path = await tempFile('s.yaml', text);
  const ended = await weir(['run', path, '--target', target, '--out', out, ...more], environment);
  const result = JSON.parse(await readFile(join(out, 'result.json'), 'utf8')) as {
    readonly notes: readonly string[];
  };
  return { ...ended, notes: result.notes };
};

describe('a target whose list of models is', () => {
  it.each(Object.entries(notLists))('%s is loaded, with a warning', async (_, list) => {
    const { asked, origin } = await openChats(list);
    const { code, stderr, notes } = await runAt(`${origin}/v1`, scenario());
    expect(code).not.toBe(2);
    expect(stderr).toMatch(/GET \S+\/v1\/models answers with an? (HTML page|redirect) /);
    expect(stderr).not.toContain('ends in its version');
    expect(notes.join()).toContain('instead of JSON');
    expect(asked).toEqual([
      'GET /v1/models',
      ...Array<string>(3).fill('POST /v1/chat/completions'),
    ]);
  });

  it.each([
    [
      'an answer that never comes',
      () => undefined,
      /GET \S+\/v1\/models did not answer within 10 s\. That says nothing of other requests/,
    ],
    [
      'a connection that is closed, as nginx does with its status 444',
      ({ url, socket }, response) =>
        url?.endsWith('/models') === true ? socket.destroy() : response.writeHead(405).end(),
      /GET \S+\/v1\/models is closed without an answer, while \/chat\/completions is answered/,
    ],
    [
      'a body that is cut off',
      ({ socket }, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' });
        response.write('{"data":[');
        socket.end();
      },
      null,
    ],
    ['a status 204 without a body', (_, response) => void response.writeHead(204).end(), null],
  ] as const satisfies readonly (readonly [string, http.RequestListener, RegExp | null])[])(
    '%s is loaded, with a warning where it says something',
    async (_, list, warning) => {
      const { asked, origin } = await openChats(list);
      const { code, stderr } = await runAt(`${origin}/v1`, scenario());
      expect(code).not.toBe(2);
      expect(asked.filter((each) => each.startsWith('POST'))).toHaveLength(3);
      if (warning === null) expect(stderr).not.toContain('/models');
      else expect(stderr).toMatch(warning);
    },
  );

  it.each(Object.entries(notLists))(
    '%s gets a first scenario for a named model',
    async (_, list) => {
      const { origin } = await openChats(list);
      const out = join(await tempFolder(), 'weir.yaml');
      const unnamed = await weir(['init', `${origin}/v1`, '--out', out], environment);
      expect([unnamed.code, unnamed.stderr.includes('--model NAME')]).toEqual([2, true]);
      const words = ['init', `${origin}/v1`, '--model', 'm', '--out', out];
      expect((await weir(words, environment)).code).toBe(0);
      expect(await readFile(out, 'utf8')).toContain('model: "m"');
    },
  );

  it('a page is checked nevertheless', async () => {
    const { origin } = await openChats(notLists['a single-page application']!);
    const words = ['check', '--target', `${origin}/v1`, '--model', 'm', '--only', 'chat', '--yes'];
    const ended = await weir([...words, '--out', await tempFolder()], environment);
    expect(ended.code).not.toBe(2);
    expect(ended.stderr).toContain('HTML page');
  });
});

describe('--no-preflight', () => {
  it('asks for nothing before the load of a sweep', async () => {
    const { asked, origin } = await openChats((_, response) => void response.destroy());
    const path = await tempFile('s.yaml', scenario(`target: ${origin}/v1`));
    const out = join(await tempFolder(), 'out');
    const words = ['sweep', path, '--vary', 'load.iterations=1,2', '--pause', '0s', '--out', out];
    const { stderr } = await weir([...words, '--no-preflight', '--yes'], environment);
    expect(asked, stderr).toEqual(Array<string>(3).fill('POST /v1/chat/completions'));
  });

  it('asks for nothing before the budget of a capacity', async () => {
    const { asked, origin } = await openChats((_, response) => void response.destroy());
    const path = await tempFile('s.yaml', scenario(`target: ${origin}/v1`));
    const out = join(await tempFolder(), 'out');
    const { stderr } = await weir(['capacity', path, '--no-preflight', '--out', out], environment);
    expect(stderr).toContain('this budget needs a confirmation');
    expect(asked).toEqual([]);
  });

  it.each(['limits', 'cache'])(
    'is advised by weir %s at a list of 401, and then it asks for nothing before its budget',
    async (verb) => {
      const { asked, origin } = await openChats((_, response) => response.writeHead(401).end('{}'));
      const out = join(await tempFolder(), 'out');
      const words = [verb, '--target', `${origin}/v1`, '--model', 'm', '--out', out];
      const advised = await weir(words, environment);
      expect([advised.code, advised.stderr]).toEqual([
        2,
        expect.stringContaining('--model PUBLISHER/MODEL --no-preflight'),
      ]);
      asked.length = 0;
      const { stderr } = await weir([...words, '--no-preflight'], environment);
      expect(stderr).toContain('this budget needs a confirmation');
      expect(asked).toEqual([]);
    },
  );

  it('sends nothing but the load', async () => {
    const { asked, origin } = await openChats(notLists['a redirect to a login']!);
    const { stderr } = await runAt(`${origin}/v1`, scenario(), '--no-preflight');
    expect(stderr).not.toContain('redirect');
    expect(asked).toEqual(Array<string>(3).fill('POST /v1/chat/completions'));
  });

  it('asks for nothing for a first scenario with a model', async () => {
    const { asked, origin } = await openChats(notLists['a redirect to a login']!);
    const out = join(await tempFolder(), 'weir.yaml');
    const words = ['init', `${origin}/v1`, '--model', 'm', '--no-preflight', '--out', out];
    expect((await weir(words, environment)).code).toBe(0);
    expect(asked).toEqual([]);
  });
});

describe('endpoints', () => {
  it.each(['socket', 'undici'])(
    'are the paths of the look and the load by %s',
    async (transport) => {
      const { asked, origin } = await openChats((_, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }));
      });
      const own = `endpoints: { chat: '/x/chat?v=1', models: /list }\ntransport: ${transport}`;
      const { stderr } = await runAt(`${origin}/v1`, scenario(own));
      expect(stderr).not.toContain('instead of JSON');
      expect(new Set(asked)).toEqual(new Set(['GET /v1/list', 'POST /v1/x/chat?v=1']));
    },
  );

  it('have the usual paths of the interface in a plan', () => {
    const all = 'endpoints: { chat: /a, speech: /b, transcription: /c, models: /d }';
    const read = readScenario({ text: scenario(all), name: 's.yaml', environment });
    expect(read.ok && read.plan.wire.paths).toEqual({
      [routes.chat.path]: '/a',
      [routes.speech.path]: '/b',
      [routes.transcription.path]: '/c',
      [routes.models.path]: '/d',
    });
  });

  it.each(['x/chat', '//host/x', '/a b', '/a#b'])('refuse %s', async (chat) => {
    const path = await tempFile('s.yaml', scenario(`endpoints: { chat: '${chat}' }`));
    const { code, stderr } = await weir(['validate', path], environment);
    expect([code, stderr.includes('expected a path below the target’s address')]).toEqual([
      2,
      true,
    ]);
  });
});

describe('limits that the answers declare in another family of headers', () => {
  it('are in the summary, with a note where the plan has others', async () => {
    const { origin } = await openChats(notLists['a single-page application']!, {
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '499',
      'x-ratelimit-limit-tokens-day': '9000',
    });
    const { stdout, notes } = await runAt(`${origin}/v1`, scenario(), '--details');
    expect(stdout).toContain('header says 500, the interface 60; lowest remaining 499');
    expect(notes).toContain(
      'The headers of the answers declare a limit of 500 requests a minute, and the plan 60 (limits.requestsPerMinute).',
    );
    expect(notes.join()).toContain('9,000 tokens a day');
  });
});
