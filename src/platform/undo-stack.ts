/**
 * Collects the actions that undo what was opened so far. It behaves like the `AsyncDisposableStack` of JavaScript,
 * which the oldest Node that Weir supports lacks: the last action is undone first, and each is tried even if another
 * fails.
 */
export class UndoStack {
  readonly #actions: (() => unknown)[] = [];

  /** Adds an action that undoes what has just been opened. */
  defer(undo: () => unknown): void {
    this.#actions.push(undo);
  }

  /** Runs all actions once. Then it throws the error, or an `AggregateError` if several failed. */
  async disposeAsync(): Promise<void> {
    const errors: unknown[] = [];
    for (let undo = this.#actions.pop(); undo !== undefined; undo = this.#actions.pop()) {
      try {
        await undo();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'not everything could be undone');
  }
}
