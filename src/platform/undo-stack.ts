/**
 * Collects the actions that undo what was opened. The class behaves like JavaScript's `AsyncDisposableStack`, which the
 * oldest supported version of Node does not have: the last action runs first, and each action runs even if another
 * action fails.
 */
export class UndoStack {
  readonly #actions: (() => unknown)[] = [];

  defer(undo: () => unknown): void {
    this.#actions.push(undo);
  }

  /**
   * Runs all actions once. If one action failed, throws the error of this action. If several actions failed, throws an
   * `AggregateError`.
   */
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
