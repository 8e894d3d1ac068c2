import { constants } from 'node:os';
import { exitCodes } from '../../../run/output/exit-codes.ts';

/** How a command has ended that read a damaged file. */
export interface Reading {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** In ms. */
  readonly took: number;
  /** The CPU time of the process, in ms. On a busy machine it says more than `took`. */
  readonly cpu: number;
  /** The memory above that of the same command with the sound file, in bytes. */
  readonly above: number;
}

/** The most that a damaged file may cost. */
const bounds = {
  took: 5000,
  /** For a machine that does other work. */
  tookBusy: 30_000,
  above: 300 * 1024 * 1024,
  message: 20_000,
} as const;

/** Words of Node, V8, libraries or the system that no user should have to read. */
const raw =
  /\bat (?:async )?[\w.<>]+ \(|node:internal|ERR_[A-Z]|TypeError|RangeError|SyntaxError|Cannot read prop|is not a function|is not iterable|Invalid (?:string|array|typed) |Unexpected (?:token|end of JSON)|in JSON at position|Maximum call stack|\[object \w+\]|\bundefined\b|SQLITE_|DataView|Invalid input/;

/** Codes of the system. A damaged file may have other words of capital letters, which are quoted. */
const systemCode = new RegExp(`\\b(?:${Object.keys(constants.errno).join('|')})\\b`);

/** The system's code for a target that is not there, which a sentence explains. */
const explained = /connect ECONNREFUSED [\d.:]+; /g;

/** What must not be in a report either: figures that are none. */
const noFigure = /\bNaN\b|\bundefined\b|\bInfinity\b|\[object \w+\]/;

/** They would reach a terminal. */
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

const codes: ReadonlySet<number> = new Set(exitCodes.map(({ code }) => code));

/**
 * Returns what is wrong with a reading; empty if nothing is. `names` are texts of which a message has at least one,
 * unless it is what the sound file gets, too.
 */
export const faultsOf = (reading: Reading, names: readonly string[]): readonly string[] => {
  const { code, stdout, stderr, took, cpu, above } = reading;
  const faults: string[] = [];
  if (code === null || code === 1 || !codes.has(code)) faults.push(`exit ${code}`);
  if (code === 2 && !names.some((name) => name !== '' && stderr.includes(name)))
    faults.push('names no file');
  const unexplained = stderr.replaceAll(explained, '');
  const rawText = raw.exec(unexplained) ?? systemCode.exec(unexplained);
  if (rawText !== null) faults.push(`raw text: ${rawText[0]}`);
  if (stderr.length > bounds.message) faults.push(`${stderr.length} characters of messages`);
  if (control.test(stderr) || control.test(stdout)) faults.push('a control character');
  if (noFigure.test(stdout)) faults.push(`no figure: ${noFigure.exec(stdout)?.[0]}`);
  if (cpu > bounds.took) faults.push(`${Math.round(cpu)} ms of CPU`);
  if (took > bounds.tookBusy) faults.push(`${Math.round(took)} ms`);
  if (above > bounds.above) faults.push(`${Math.round(above / 1024 ** 2)} MiB above`);
  return faults;
};
