import { expect, it } from 'vitest';
import { sayLateSteps } from './write-outputs.ts';

it('steps are said once a second has passed, and progress ever less often', () => {
  const said: string[] = [];
  let now = 5000;
  const onStep = sayLateSteps(
    (text) => said.push(text),
    () => now,
  );
  const at = (elapsed: number, step: string, part?: 'goes on'): void => {
    now = 5000 + elapsed;
    onStep(step, part);
  };
  at(0, 'one');
  at(999, 'two');
  at(999, 'three', 'goes on');
  at(1000, 'four', 'goes on');
  at(1999, 'five', 'goes on');
  at(2000, 'six', 'goes on');
  at(2100, 'seven');
  at(4199, 'eight', 'goes on');
  at(4200, 'nine', 'goes on');
  at(61_999, 'ten');
  expect(said).toEqual([
    'after 1 s: four',
    'after 2 s: six',
    'after 2 s: seven',
    'after 4 s: nine',
    'after 61 s: ten',
  ]);
});
