import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A process of ours that serves this one, and never outlives it. */
export interface Attendant {
  readonly ok: true;
  /** The first line that it printed, when it was ready. */
  readonly line: string;
  /** How it ended before it was asked to, in one line; `null` while it runs. */
  readonly ended: () => string | null;
  /** Ends the process and waits until it is gone. */
  readonly stop: () => Promise<void>;
}

/** Why there is none, in its own words where it had any. */
interface NoAttendant {
  readonly ok: false;
  readonly why: string;
}

const stopGrace = 2000;

const gone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Of a program's last words the line that says what is wrong, not the one of its source that threw it. */
export const errorLine = (words: string): string | undefined =>
  words.split('\n').find((line) => /^\S*\s?error\b/i.test(line));

/** The status or signal with which a process ended, and why by its last words; `null` while it runs. */
const endingOf = (child: ChildProcess, words: string): string | null => {
  if (!gone(child)) return null;
  const status = child.signalCode ?? `exit status ${child.exitCode}`;
  const error = errorLine(words);
  return error === undefined ? status : `${status}: ${error}`;
};

const end = async (child: ChildProcess): Promise<void> => {
  if (gone(child)) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  const impatience = setTimeout(() => child.kill('SIGKILL'), stopGrace);
  await exited;
  clearTimeout(impatience);
};

/**
 * Starts `command` (a Node executable and its arguments), writes `input` to its standard input and waits
 * for its first line; at most `patience` ms where that is given. The input stays open: when this process
 * dies, however it dies, the other reads its end and has to leave too.
 */
export const startAttendant = async (
  [executable, ...parameters]: readonly [string, ...string[]],
  input: string,
  patience?: number,
): Promise<Attendant | NoAttendant> => {
  const child = spawn(executable, parameters, { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.write(input);

  const lines = createInterface({ input: child.stdout });
  const waiting =
    patience === undefined
      ? undefined
      : setTimeout(() => {
          complaint += `it was not ready after ${patience / 1000} s`;
          child.kill('SIGKILL');
        }, patience);
  // Listened to first: whoever else waits for this process hears its error as a rejection.
  const failed = new Promise<null>((resolve) => {
    child.once('error', (error) => {
      complaint += String(error);
      resolve(null);
    });
  });
  const line = await Promise.race([
    failed,
    once(lines, 'line').then(([first]) => String(first)),
    new Promise<null>((resolve) => child.once('exit', () => resolve(null))),
  ]);
  clearTimeout(waiting);
  if (line === null) return { ok: false, why: complaint.trim() || 'no reason given' };
  let isLeaving = false;
  return {
    ok: true,
    line,
    ended: () => (isLeaving ? null : endingOf(child, complaint)),
    stop: () => {
      isLeaving = true;
      return end(child);
    },
  };
};
