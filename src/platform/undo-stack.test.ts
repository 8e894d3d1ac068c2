import { describe, expect, it } from 'vitest';
import { UndoStack } from './undo-stack.ts';

describe('an undo stack', () => {
  it('undoes what was opened last first, one after the other, and only once', async () => {
    const undone: string[] = [];
    const stack = new UndoStack();
    stack.defer(() => undone.push('first'));
    stack.defer(async () => {
      await Promise.resolve();
      undone.push('second');
    });
    stack.defer(() => undone.push('third'));
    await stack.disposeAsync();
    await stack.disposeAsync();
    expect(undone).toEqual(['third', 'second', 'first']);
  });

  it('goes on where one action fails, and throws its error at the end', async () => {
    const undone: string[] = [];
    const stack = new UndoStack();
    stack.defer(() => undone.push('first'));
    stack.defer(() => Promise.reject(new Error('stuck')));
    await expect(stack.disposeAsync()).rejects.toThrow('stuck');
    expect(undone).toEqual(['first']);
  });

  it('throws all errors together where several actions fail', async () => {
    const stack = new UndoStack();
    const [one, other] = [new Error('one'), new Error('other')];
    stack.defer(() => Promise.reject(one));
    stack.defer(() => {
      throw other;
    });
    await expect(stack.disposeAsync()).rejects.toMatchObject({ errors: [other, one] });
  });
});
