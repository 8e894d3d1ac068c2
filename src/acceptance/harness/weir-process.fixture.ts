import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, vi } from 'vitest';

/** The process that `weir` starts. */
export const launcher = fileURLToPath(new URL('../../cli/weir.js', import.meta.url));

export interface FinishedProgram {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedProgram {
  readonly child: ChildProcess;
  readonly ended: Promise<FinishedProgram>;
  /** Resolves once `text` was printed, on either stream. */
  waitForOutput(text: string): Promise<void>;
}

const children = new Set<ChildProcess>();
const folders = new Set<string>();

/**
 * Ends the processes and removes the folders of each test, and gives tests a long timeout: processes
 * start slowly on a busy machine. Every test file calls it, since test files share modules.
 */
export const cleanUpAfterEach = (): void => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    // The children of a killed run write until they notice its end.
    const patience = { maxRetries: 20, retryDelay: 100 };
    for (const folder of folders) await rm(folder, { recursive: true, force: true, ...patience });
    folders.clear();
  });
};

/** An empty folder, removed after the test. */
export const tempFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-test-'));
  folders.add(folder);
  return folder;
};

/** A file in a new folder, removed after the test. */
export const tempFile = async (name: string, text: string): Promise<string> => {
  const path = join(await tempFolder(), name);
  await writeFile(path, text);
  return path;
};

/** Starts a program with exactly this environment, in `folder` or in this process's working directory. */
export const startProgram = (
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<NodeJS.ProcessEnv>,
  folder?: string,
): StartedProgram => {
  const child = spawn(program, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]): FinishedProgram => {
    children.delete(child);
    return { code: code as number | null, stdout, stderr };
  });
  const waitForOutput = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (`${stdout}${stderr}`.includes(text)) resolve();
      };
      check();
      child.stdout.on('data', check);
      child.stderr.on('data', check);
      child.once('close', () => reject(new Error(`ended without showing ${text}: ${stderr}`)));
    });
  return { child, ended, waitForOutput };
};

/** Variables of this machine that would change a run: the user's key, proxies, and a CI job's page. */
const removedVariables = /^(WEIR_API_KEY|GITHUB_STEP_SUMMARY|(https?|all|no)_proxy)$/i;

/** The environment of `weir` in tests: this process's without the variables above, with `additions`. */
export const weirEnvironment = (
  additions: Readonly<Record<string, string>> = {},
): Readonly<NodeJS.ProcessEnv> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !removedVariables.test(name)),
  ),
  CI: 'true',
  NO_COLOR: '1',
  // Tests leave nothing in the checkout.
  WEIR_HISTORY: 'off',
  ...additions,
});

/** Starts `weir` with these arguments in a process. */
export const startWeir = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): StartedProgram =>
  startProgram([process.execPath, launcher, ...args], weirEnvironment(environment));

/** Runs `weir` with these arguments in a process. */
export const weirProcess = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<FinishedProgram> => startWeir(args, environment).ended;

/** Starts `weir mock` on a free port; resolves with its base address once it listens. */
export const startGateway = async (
  args: readonly string[] = [],
): Promise<StartedProgram & { readonly url: string }> => {
  const started = startWeir(['mock', '--port', '0', ...args]);
  let output = '';
  started.child.stdout?.on('data', (text: string) => {
    output += text;
  });
  // This line follows the address.
  await started.waitForOutput('Keys: ');
  const [url] = /http:\S+\/v1/.exec(output) ?? [];
  if (url === undefined) throw new Error(`the gateway printed no address: ${output}`);
  return { ...started, url };
};
