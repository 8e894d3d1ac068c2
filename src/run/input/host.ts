import { Problem } from '../../platform/problem.ts';
import type { Screen } from '../../platform/screen.ts';
import type { StopSignal } from '../../platform/process/interrupts.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';

/** What stopped a run: a signal, the `AbortSignal` of a program that uses the library, the coordinator of its slices, or a reader of its live page. */
export type StopCause = StopSignal | 'AbortSignal' | 'the coordinator' | 'the live page';

/**
 * Calls the listener at each request to stop, with the number of requests so far. The returned function removes the
 * listener.
 */
export type OnStop = (listener: (cause: StopCause, times: number) => void) => () => void;

type StyledText = (style: { readonly colour: boolean; readonly width: number }) => string;

/** The output of a command, for people and for programs. */
export interface PrintedOutcome {
  readonly json?: string;
  readonly text: StyledText;
  /** The complete text, for `--details`; by default the same as the text. */
  readonly details?: StyledText;
  /** The last lines, printed after the names of the files if the text lacks them; `--details` omits them. */
  readonly closing?: StyledText;
  /** Whether the exit code is 0. If so, `--quiet` prints nothing, otherwise the closing. */
  readonly isGood?: boolean;
}

export interface Printer {
  /** Reports progress; `--quiet` silences it. */
  readonly say: (text: string) => void;
  /** Prints warnings, even with `--quiet`. */
  readonly warn: (text: string) => void;
  readonly print: (outcome: PrintedOutcome) => void;
  /** Prints the closing of an outcome. */
  readonly close: (outcome: PrintedOutcome) => void;
  /** Lists the files that were written, one per line; `--quiet` silences it. */
  readonly listFiles: (lines: string) => void;
  /** Where the live display is drawn; `null` for nowhere. */
  readonly screen: Screen | null;
}

/** The functions that the surrounding program provides to this room. */
export interface Host {
  readonly environment: Environment;
  readonly printer: Printer;
  readonly onStop: OnStop;
  /** Asks the user a question; `null` if nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

/** Asks the user whether the budget may be spent. Throws a `Problem` if the answer is no, or if nobody can answer. */
export const confirmBudget = async ({ ask }: Host, cancelMessage: string): Promise<void> => {
  if (ask === null) {
    throw new Problem(
      'this budget needs a confirmation, and standard input is no terminal: add --yes to spend it without being asked',
    );
  }
  const answer = await ask('Spend it? [y/N] ');
  if (!/^y(es)?$/i.test(answer.trim())) throw new Problem(cancelMessage);
};
