import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Installs clients of others outside the repository, once for each list of versions, and runs their drivers. */

/** A client, its driver and what has to be installed for it. */
export interface Client {
  readonly driver: string;
  /** With their versions as `npm install` takes them; or a list of all that pip installs, beside the drivers. */
  readonly packages: readonly string[] | string;
}

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a registry that cannot be reached looks like, by npm and pip. */
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|NewConnectionError|Temporary failure in name resolution|Read timed out|Connection (refused|reset|timed out)|from versions: none/i;

const minutes = 60_000;

const runProgram = (
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Finished> =>
  new Promise((resolve) => {
    const { cwd, env = {} } = options;
    const limits = { timeout: 8 * minutes, maxBuffer: 64 * 1024 * 1024 };
    execFile(
      program,
      [...args],
      { cwd, ...limits, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr: error === null ? stderr : `${stderr}${error.message}` });
      },
    );
  });

const drivers = fileURLToPath(new URL('drivers/', import.meta.url));

/** A list of requirements has every package, so that nothing has to be resolved. */
const requirementsOf = ({ packages }: Client): string | null =>
  typeof packages === 'string' ? join(drivers, packages) : null;

/** The folder of a client's packages: a new list of them has a new folder. */
const folderOf = (client: Client): string => {
  const list = requirementsOf(client);
  const packages = list === null ? String(client.packages) : readFileSync(list, 'utf8');
  const digest = createHash('sha256').update(packages).digest('hex').slice(0, 12);
  return join(tmpdir(), 'weir-tools', `${list === null ? 'node' : 'python'}-${digest}`);
};

type Step = readonly [program: string, args: readonly string[]];

const installSteps = (client: Client): readonly Step[] => {
  const list = requirementsOf(client);
  if (list === null) {
    const packages = [client.packages].flat();
    return [
      ['npm', ['init', '--yes']],
      ['npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]],
    ];
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  return [
    ['python3', ['-m', 'venv', '.']],
    ['bin/python', [...pip, '--no-deps', '--only-binary', ':all:', '--requirement', list]],
  ];
};

/**
 * Installs a client; resolves with its folder, or with a sentence if the registry or python3 is not there. Throws for any other
 * failure.
 */
export const installClient = async (
  client: Client,
): Promise<{ readonly folder: string } | { readonly missing: string }> => {
  const folder = folderOf(client);
  // An installation that was cut off has no such file.
  const marker = join(folder, 'installed');
  if (existsSync(marker)) return { folder };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [program, args] of installSteps(client)) {
    const { code, stdout, stderr } = await runProgram(
      program.includes('/') ? join(folder, program) : program,
      args,
      { cwd: folder },
    );
    const said = stdout + stderr;
    if (/ENOENT/.test(stderr)) return { missing: `${program} is not installed` };
    if (code !== 0 && unreachable.test(said))
      return { missing: `the registry of ${String(client.packages)} cannot be reached` };
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${said}`);
  }
  writeFileSync(marker, '');
  return { folder };
};

/** What a driver saw: for each feature its value, or an error. */
export type ObservedFeatures = Readonly<Record<string, unknown>>;

/** Runs a driver with the addresses of two gateways, of which `limited` admits one request, and of an audio clip. */
export const runDriver = async (
  client: Client,
  folder: string,
  gateways: { readonly url: string; readonly limited: string },
): Promise<ObservedFeatures> => {
  const driver = join(drivers, client.driver);
  const clip = fileURLToPath(new URL('../../../fixtures/speech/gate.wav', import.meta.url));
  const isPython = requirementsOf(client) !== null;
  const program = isPython ? join(folder, 'bin', 'python') : process.execPath;
  const env = { WEIR_URL: gateways.url, WEIR_LIMITED_URL: gateways.limited, WEIR_CLIP: clip };
  // Drivers leave nothing beside them.
  const quiet = { PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout, stderr } = await runProgram(program, [driver], {
    cwd: folder,
    env: { ...env, ...quiet },
  });
  const line = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`${client.driver} printed no result: ${stderr}`);
  return JSON.parse(line) as ObservedFeatures;
};
