import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import {
  type AnsweringServer,
  type AnswerTo,
  chatAnswer,
  oneModelList,
  startAnswering,
} from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { type SweepReport, sweepReportSchema } from './model/sweep.ts';
import { sweep } from './sweep.ts';
import type { SweepRequest } from './sweep-points.ts';

/** The usual options of a sweep. Its budget was agreed to, once for each point. */
export const agreedSweep = {
  repetitions: 1,
  pause: undefined,
  answerTime: undefined,
  throughput: undefined,
  latency: undefined,
  yes: true,
} as const;

/** Test support: whole sweeps in this process. Each has a few requests against a server that answers at once. */

export const sweptScenario = {
  name: 'swept',
  seed: 4,
  traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
  load: { kind: 'constant', rate: '100/s', duration: '40ms' },
  limits: 'none',
  canary: false,
  warmUp: '0s',
};

export const sweepReportIn = async (out: string): Promise<SweepReport> =>
  sweepReportSchema.parse(JSON.parse(await readFile(join(out, 'sweep.json'), 'utf8')));

/** Opens a server and a folder for the tests of a file. `start` begins a sweep of a path of the server. */
export const openSweeps = () => {
  let folder: string;
  let server: AnsweringServer;
  let origin: string;
  /** The texts that were sent to each path, in order. */
  const sent = new Map<string, string[]>();

  /** Answers by path, which says what a target does: `/moves` moves to another address once it got a load. */
  const answerTo: AnswerTo = ({ url, text }) => {
    if (url === '/moves/models' && sent.has('/moves/chat/completions')) return [404, '{}'];
    if (text === '') return [200, oneModelList];
    if (text.includes('"x"')) return [404, '{"error":{"message":"no such model"}}'];
    return url.startsWith('/refuses')
      ? [403, '{"error":{"message":"not you"}}']
      : [200, chatAnswer];
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-sweep-'));
    server = await startAnswering((request) => {
      const answer = answerTo(request);
      sent.set(request.url, [...(sent.get(request.url) ?? []), request.text]);
      return answer;
    });
    ({ origin } = server);
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  const start = (path: string, given: Partial<SweepRequest> = {}, changes: object = {}) => {
    const fake = fakeHost({ WEIR_API_KEY: 'sk-of-this-test' });
    const out = join(folder, `${path}-${given.repetitions ?? 1}`);
    const value = { ...sweptScenario, ...changes };
    const request: SweepRequest = {
      source: { scenario: undefined, value, flags: {}, set: [], target: `${origin}/${path}` },
      ...agreedSweep,
      vary: ['load.rate=100/s,200/s'],
      out,
      ...given,
    };
    return { ...fake, out, exit: sweep(request, fake.host) };
  };

  return { start, sent, origin: () => origin };
};
