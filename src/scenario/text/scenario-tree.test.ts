import { describe, expect, it } from 'vitest';
import {
  dottedPath,
  flagPositions,
  pathInPart,
  pathKey,
  positionOf,
  type ScenarioTree,
  valueAtPath,
  withEachValue,
  withFlagValue,
  withValueAtPath,
} from './scenario-tree.ts';

const place = (line: number) => {
  const position = { line, column: 1, flag: null };
  return { key: position, value: { ...position, column: 9 }, isPlainScalar: false };
};
const tree: ScenarioTree = {
  value: { load: { rate: '5/s', steps: [1, 2] }, name: 'x' },
  positions: new Map([
    [pathKey(['load']), place(1)],
    [pathKey(['load', 'rate']), place(2)],
    [pathKey(['load', 'steps']), place(3)],
    [pathKey(['load', 'steps', 0]), place(4)],
    [pathKey(['name']), place(5)],
  ]),
};

describe('a value', () => {
  it('is found at its path, and is none where the path leads nowhere', () => {
    const at = (...path: readonly (string | number)[]) => valueAtPath(tree.value, path);
    expect([at('load', 'rate'), at('load', 'steps', 1), at()]).toEqual(['5/s', 2, tree.value]);
    for (const path of [['none'], ['load', 'steps', 'length'], ['load', 'steps', 9], ['name', 0]])
      expect(at(...path)).toBeUndefined();
    // No key of every object is one of a scenario.
    expect(at('toString')).toBeUndefined();
  });

  it('is put at its path, with the parents that are missing', () => {
    const put = (path: readonly (string | number)[], value: unknown = { a: [1, 2], b: 3 }) =>
      withValueAtPath(value, path, 9);
    expect(put(['a', 1])).toEqual({ a: [1, 9], b: 3 });
    expect(put(['c', 0, 'd'])).toEqual({ a: [1, 2], b: 3, c: [{ d: 9 }] });
    expect(put(['b', 'x'])).toEqual({ a: [1, 2], b: { x: 9 } });
    expect([put([]), put([1], null)]).toEqual([9, [undefined, 9]]);
    expect(Object.entries(put(['__proto__']) as object)).toContainEqual(['__proto__', 9]);
    expect(Object.keys(put(['a', 0]) as object)).toEqual(['a', 'b']);
  });

  it('is changed with all beside it', () => {
    expect(withEachValue([1, 2], (inner, step) => `${String(inner)}${step}`)).toEqual(['10', '21']);
    expect(withEachValue({ a: 1 }, (inner, step) => `${String(inner)}${step}`)).toEqual({
      a: '1a',
    });
    expect(withEachValue('x', () => 'never')).toBe('x');
  });
});

describe('a position', () => {
  it('is that of the value or its key, or of the nearest parent', () => {
    expect(positionOf(tree, ['load', 'rate'], 'value')).toEqual({ line: 2, column: 9, flag: null });
    expect(positionOf(tree, ['load', 'rate'], 'key')).toEqual({ line: 2, column: 1, flag: null });
    expect(positionOf(tree, ['load', 'none', 'x'], 'value')).toMatchObject({ line: 1, column: 1 });
    expect(positionOf(tree, ['none'], 'value')).toEqual({ line: 1, column: 1, flag: null });
  });

  it('is the flag that gave a value, and nothing within the old value has one', () => {
    const set = withFlagValue(tree, ['load', 'steps'], [7], '--set load.steps');
    expect(valueAtPath(set.value, ['load', 'steps'])).toEqual([7]);
    expect(positionOf(set, ['load', 'steps', 0], 'value')).toMatchObject({
      line: null,
      flag: '--set load.steps',
    });
    expect(positionOf(set, ['load', 'rate'], 'value').line).toBe(2);
    expect(positionOf(set, ['load'], 'key').line).toBe(1);
    const added = withFlagValue(tree, ['pace', 'requests'], '5/s', '--rate');
    expect(positionOf(added, ['pace'], 'key').flag).toBe('--rate');
    expect(flagPositions('--x').isPlainScalar).toBe(true);
  });
});

it('a path within a part of a scenario begins behind the part', () => {
  expect(pathInPart(['populations', 1, 'load', 'rate'])).toEqual(['load', 'rate']);
  expect(pathInPart(['targets', 'a', 'wire'])).toEqual(['wire']);
  expect(pathInPart(['populations', 1])).toEqual([]);
  expect(pathInPart(['populations'])).toEqual(['populations']);
  expect(pathInPart(['load', 'rate', 'x'])).toEqual(['load', 'rate', 'x']);
  expect(dottedPath(['traffic', 0, 'model'])).toBe('traffic.0.model');
});
