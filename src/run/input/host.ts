import type { Screen } from '../../platform/screen.ts';
import type { StopSignal } from '../../platform/process/interrupts.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';

/** What asked a run to stop: a signal, or the `AbortSignal` of a program that uses the library. */
export type StopCause = StopSignal | 'AbortSignal';

/** Calls the listener at each request to stop, with the number of requests so far, until the returned function is called. */
export type OnStop = (listener: (cause: StopCause, times: number) => void) => () => void;

/** What came of a command, in the forms that people and programs read. */
export interface PrintedOutcome {
  readonly json: string;
  readonly text: (style: { readonly colour: boolean; readonly width: number }) => string;
  /** Where its files are; empty for none. */
  readonly files: string;
}

/** Where words go. The command line prints them; the library prints nothing. */
export interface Printer {
  /** Says how things go; `--quiet` silences it. */
  readonly say: (text: string) => void;
  /** Says what people must know even with `--quiet`. */
  readonly warn: (text: string) => void;
  readonly print: (outcome: PrintedOutcome) => void;
  /** Where the live display is drawn; `null` for nowhere. */
  readonly screen: Screen | null;
}

/** What this room gets from the program around it. */
export interface Host {
  readonly environment: Environment;
  readonly printer: Printer;
  readonly onStop: OnStop;
  /** Asks the user a question; `null` where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | null;
}
