import { Problem } from '../../platform/problem.ts';
import type { Screen } from '../../platform/screen.ts';
import type { StopSignal } from '../../platform/process/interrupts.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';

/**
 * What stopped a run: a signal, the `AbortSignal` of a program that uses the library, the coordinator of the run's
 * slices, or a reader of the run's live page.
 */
export type StopCause = StopSignal | 'AbortSignal' | 'the coordinator' | 'the live page';

/** Calls the listener at each request to stop, with the count so far. Returns a function that removes the listener. */
export type OnStop = (listener: (cause: StopCause, times: number) => void) => () => void;

type StyledText = (style: {
  readonly colour: boolean;
  readonly width: number;
  /** Whether the text is the only text that is printed. */
  readonly isAlone?: boolean;
}) => string;

export interface PrintedOutcome {
  readonly json?: string;
  readonly text: StyledText;
  /** The complete text, which `--details` prints; absent if it is equal to `text`. */
  readonly details?: StyledText;
  /** The last lines, printed after the names of the files. `--details` leaves them out. */
  readonly closing?: StyledText;
  /** Whether `text` already contains the last lines. If so, `closing` is printed only with `--quiet`. */
  readonly hasClosing?: boolean;
  /** Whether the exit code is 0. With `--quiet`, the last lines are printed only if the exit code is not 0. */
  readonly isGood?: boolean;
}

export interface Printer {
  /** Reports progress. Prints nothing with `--quiet`. */
  readonly say: (text: string) => void;
  /** Prints a warning, even with `--quiet`. */
  readonly warn: (text: string) => void;
  readonly print: (outcome: PrintedOutcome) => void;
  readonly close: (outcome: PrintedOutcome) => void;
  /** Lists the files that were written, one per line. Prints nothing with `--quiet`. */
  readonly listFiles: (lines: string) => void;
  /** The screen on which the live display is drawn; `null` if there is no live display. */
  readonly screen: Screen | null;
}

/** The functions that the command line or the library provides. */
export interface Host {
  readonly environment: Environment;
  readonly printer: Printer;
  readonly onStop: OnStop;
  /** Asks the user a question; `null` if no user can be asked. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

/**
 * Asks the user whether the budget may be spent. Throws a `Problem` if the answer is no, or if no user can be asked.
 */
export const confirmBudget = async ({ ask }: Host, cancelMessage: string): Promise<void> => {
  if (ask === null) {
    throw new Problem(
      'this budget needs a confirmation, and standard input is no terminal: add --yes to spend it without being asked',
    );
  }
  const answer = await ask('Spend it? [y/N] ');
  if (!/^y(es)?$/i.test(answer.trim())) throw new Problem(cancelMessage);
};

/** Returns the host for a run that is a part of a command. Only the command itself prints a result. */
export const withoutPrints = ({ printer, ...host }: Host): Host => ({
  ...host,
  printer: {
    ...printer,
    print: () => undefined,
    listFiles: () => undefined,
    close: () => undefined,
  },
});
