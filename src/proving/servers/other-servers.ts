import { join } from 'node:path';
import { installedNpm, installedPython, pinnedIn, roomFile } from '../harness/installed.ts';
import { freePort, type ServerOptions, startServer } from '../harness/server-process.ts';
import type { StartedServer } from './server-case.ts';

/** Gateways and simulators whose interface is checked, and that no run is sent to. */

const manifest = 'servers/gateways/manifest.json';
const requirements = 'servers/gateways/requirements.txt';

const npmPackages = async (): Promise<string> =>
  join(await installedNpm('gateways-npm', 'servers/gateways'), 'node_modules');

const pythonPackages = (): Promise<string> => installedPython('gateways-pypi', requirements);

/** Starts Portkey's gateway of npm before another gateway; headers of a request name that one. */
export const startPortkey = async (
  { port, folder }: ServerOptions,
  gateway: string,
): Promise<StartedServer> => {
  const program = join(await npmPackages(), '@portkey-ai/gateway/build/start-server.js');
  const version = await pinnedIn(manifest, /gateway": "([\d.]+)"/);
  const running = await startServer({
    command: [process.execPath, program, `--port=${port}`, '--headless'],
    port,
    folder,
  });
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://${gateway}/v1`,
  };
  return { ...running, version, words: ['--set', `headers=${JSON.stringify(headers)}`] };
};

/** Starts SGLang's router of PyPI before another gateway; refusals do not count as failures of that one. */
export const startSglangRouter = async (
  { port, folder }: ServerOptions,
  gateway: string,
): Promise<StartedServer> => {
  const packages = await pythonPackages();
  const version = await pinnedIn(requirements, /^sglang-router==(.+)$/m);
  const words = `--host 127.0.0.1 --port ${port} --prometheus-port ${await freePort()} --backend openai`;
  const worker = `--worker-urls http://${gateway} --disable-health-check --disable-circuit-breaker`;
  const running = await startServer({
    command: ['python3', '-m', 'sglang_router.launch_router', ...`${words} ${worker}`.split(' ')],
    port,
    folder,
    env: { PYTHONPATH: packages },
  });
  return { ...running, version };
};

/** Starts mock-llm of npm with the answers that it comes with. */
export const startMockLlm = async ({ port, folder }: ServerOptions): Promise<StartedServer> => {
  const program = join(await npmPackages(), '@dwmkerr/mock-llm/dist/main.js');
  const version = await pinnedIn(manifest, /mock-llm": "([\d.]+)"/);
  const running = await startServer({
    command: [process.execPath, program],
    port,
    folder,
    env: { HOST: '127.0.0.1', PORT: String(port) },
  });
  return { ...running, version };
};

/** Starts fakellm of PyPI with the answers that it comes with. */
export const startFakeLlm = async ({
  port,
  folder,
  log,
}: ServerOptions): Promise<StartedServer> => {
  const packages = await pythonPackages();
  const version = await pinnedIn(requirements, /^fakellm==(.+)$/m);
  const serve = roomFile('harness/serve_logged.py');
  const running = await startServer({
    command: ['python3', serve, 'fakellm.server:app', String(port), log],
    port,
    folder,
    env: { PYTHONPATH: packages },
  });
  return { ...running, version };
};
