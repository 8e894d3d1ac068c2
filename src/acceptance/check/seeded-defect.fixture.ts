import type { ChangeAnswer, ChangeRequest } from './change-answers.fixture.ts';

/** A way in which a gateway breaks the interface: the mock, with what it hears or answers changed. */
export interface SeededDefect {
  readonly id: string;
  /** What is wrong, as a bug report would say it. */
  readonly wrong: string;
  /** The section of the interface that says so. */
  readonly section: string;
  /** The check that must report it. */
  readonly row: string;
  /** What the gateway hears instead of the request. */
  readonly ask?: ChangeRequest;
  readonly answer?: ChangeAnswer;
}
