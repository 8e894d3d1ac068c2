import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { installedNpm, installedPython, pinnedIn, roomFile } from '../harness/installed.ts';
import type { LoggedRequest } from '../harness/server-log.ts';
import { provingKeys, type ServerOptions, startServer } from '../harness/server-process.ts';
import type { StartedServer } from './server-case.ts';

/** Simulators of model servers, with times that other programs can measure well. */

/** In ms. */
const times = { first: 80, gap: 12 };

const clip = fileURLToPath(new URL('../../../fixtures/speech/gate.wav', import.meta.url));

/** What aimock answers: the first fixture that matches. */
const fixtures = async (): Promise<object> => ({
  fixtures: [
    {
      match: { endpoint: 'speech' },
      response: { audio: (await readFile(clip)).toString('base64'), format: 'wav' },
    },
    {
      match: { endpoint: 'transcription' },
      response: { transcription: { text: 'The gate is open.' } },
    },
    {
      match: { endpoint: 'chat' },
      response: { content: 'The gate is open. '.repeat(5).trimEnd() },
      chunkSize: 6,
      streamingProfile: { ttft: times.first, tps: 1000 / times.gap },
    },
  ],
});

/** Entries of aimock's journal. */
const journalSchema = z.array(
  z.object({
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()),
    response: z.object({ status: z.number() }),
  }),
);

const readJournal = async (url: string): Promise<readonly LoggedRequest[]> => {
  const answer = await fetch(`${url}/_requests`, {
    headers: { authorization: `Bearer ${provingKeys[0]}` },
  });
  return journalSchema.parse(await answer.json()).map(({ method, path, headers, response }) => ({
    method,
    path,
    status: response.status,
    id: headers['x-request-id'] ?? '-',
  }));
};

/** Starts aimock of npm. Its journal has every request but lists of models. */
export const startAimock = async ({ port, folder }: ServerOptions): Promise<StartedServer> => {
  const packages = await installedNpm('simulators-npm', 'servers/simulators');
  const version = await pinnedIn('servers/simulators/manifest.json', /aimock": "([\d.]+)"/);
  const file = join(folder, 'fixtures.json');
  await writeFile(file, JSON.stringify(await fixtures()));
  const program = join(packages, 'node_modules/@copilotkit/aimock/dist/cli.js');
  const words = ['--port', String(port), '--fixtures', file];
  const running = await startServer({
    command: [process.execPath, program, ...words, '--journal-max', '0', '--log-level', 'warn'],
    port,
    env: { AIMOCK_API_KEYS: provingKeys.join(',') },
  });
  return { ...running, version, readRequests: () => readJournal(running.url) };
};

/** Starts llmock of PyPI. */
export const startLlmock = async ({ port, log }: ServerOptions): Promise<StartedServer> => {
  const requirements = 'servers/simulators/requirements.txt';
  const packages = await installedPython('simulators-pypi', requirements);
  const version = await pinnedIn(requirements, /^llmock==(.+)$/m);
  const serve = roomFile('harness/serve_logged.py');
  const running = await startServer({
    command: ['python3', serve, 'llmock.main:app', String(port), log],
    port,
    env: {
      PYTHONPATH: packages,
      LLMOCK_RESPONSE_STYLE: 'echo',
      LLMOCK_LATENCY_MS: String(times.first),
      LLMOCK_STREAM_CHUNK_DELAY_MS: String(times.gap),
    },
  });
  return { ...running, version };
};
