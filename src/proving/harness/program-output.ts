import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Something of others that cannot be had here; the message is a sentence that says what and why. */
export class Unavailable extends Error {}

interface ProgramSurroundings {
  /** The folder that it runs in. */
  readonly cwd?: string;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
}

const runFile = promisify(execFile);

const limits = { timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };

/** Runs a program; `ok` says whether it succeeded. Throws `Unavailable` if it is not installed or takes more than ten minutes. */
const runProgram = async (
  program: string,
  args: readonly string[],
  { env, ...rest }: ProgramSurroundings,
): Promise<ProgramOutput & { readonly ok: boolean }> => {
  const options = { ...limits, ...rest, env: { ...process.env, ...env } };
  try {
    return { ok: true, ...(await runFile(program, args, options)) };
  } catch (error) {
    const { code, killed, stdout, stderr } = error as Partial<ProgramOutput> & {
      readonly code?: unknown;
      readonly killed?: boolean;
    };
    if (code === 'ENOENT') throw new Unavailable(`${program} is not installed`);
    if (killed === true) throw new Unavailable(`${program} ${args[0]} took more than ten minutes`);
    if (stdout === undefined || stderr === undefined) throw error;
    return { ok: false, stdout, stderr };
  }
};

const failure = (program: string, args: readonly string[], said: string): Error =>
  new Error(`${program} ${args.join(' ')} failed: ${said.trim().slice(-1000)}`);

/** The output of a program. Throws `Unavailable` if it is not installed, and an error with the end of its output if it fails. */
export const outputOf = async (
  program: string,
  args: readonly string[],
  surroundings: ProgramSurroundings = {},
): Promise<ProgramOutput> => {
  const { ok, stdout, stderr } = await runProgram(program, args, surroundings);
  if (!ok) throw failure(program, args, stdout + stderr);
  return { stdout, stderr };
};

/** What npm, pip, Go and Maven say of a registry that they cannot reach. */
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|NewConnectionError|Temporary failure in name resolution|Read timed out|Connection (refused|reset|timed out)|from versions: none|dial tcp|TLS handshake timeout|Unknown ?host|Network is unreachable/i;

/**
 * Runs a package client, named `client`, that fetches into `folder`. Throws `Unavailable` if it is not installed or cannot reach
 * its registry, and an error with the end of its output if it fails otherwise.
 */
export const fetchPackages = async (
  folder: string,
  client: string,
  [program, ...args]: readonly [string, ...string[]],
): Promise<void> => {
  const { ok, stdout, stderr } = await runProgram(program, args, { cwd: folder });
  const said = stdout + stderr;
  if (ok) return;
  if (said.includes(`No module named ${client}`))
    throw new Unavailable(`${client} is not installed`);
  if (unreachable.test(said)) throw new Unavailable(`${client} cannot reach its registry`);
  throw failure(program, args, said);
};
