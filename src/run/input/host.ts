import { Problem } from '../../platform/problem.ts';
import type { Screen } from '../../platform/screen.ts';
import type { StopSignal } from '../../platform/process/interrupts.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';

/** What stopped a run: a signal, the `AbortSignal` of a program that uses the library, the coordinator of its slices, or a reader of its live page. */
export type StopCause = StopSignal | 'AbortSignal' | 'the coordinator' | 'the live page';

/** Calls the listener at each request to stop, with the number of requests so far. The returned function ends that. */
export type OnStop = (listener: (cause: StopCause, times: number) => void) => () => void;

type StyledText = (style: { readonly colour: boolean; readonly width: number }) => string;

/** The output of a command, for people and for programs. */
export interface PrintedOutcome {
  readonly json?: string;
  readonly text: StyledText;
  /** All that there is to say, for `--details`; by default the text. */
  readonly details?: StyledText;
  /** The last lines, printed after the names of the files if the text lacks them; `--details` leaves them out. */
  readonly closing?: StyledText;
  /** Whether the exit is 0: then `--quiet` prints nothing, else the closing. */
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
  /** Names the files that were written, a line each; `--quiet` silences it. */
  readonly listFiles: (lines: string) => void;
  /** Where the live display is drawn; `null` for nowhere. */
  readonly screen: Screen | null;
}

/** What the surrounding program provides to this room. */
export interface Host {
  readonly environment: Environment;
  readonly printer: Printer;
  readonly onStop: OnStop;
  /** Asks the user a question; `null` if nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

/** Asks the user whether the budget may be spent; throws a `Problem` if the answer is no, or nobody can answer. */
export const confirmBudget = async ({ ask }: Host, cancelMessage: string): Promise<void> => {
  if (ask === null) {
    throw new Problem(
      'this budget needs a confirmation, and standard input is no terminal: add --yes to spend it without being asked',
    );
  }
  const answer = await ask('Spend it? [y/N] ');
  if (!/^y(es)?$/i.test(answer.trim())) throw new Problem(cancelMessage);
};
