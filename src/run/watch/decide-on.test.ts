import { expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { decideOn } from './decide-on.ts';

it.each([true, false])(
  'a message is recorded first, and asks only if it says when: %s',
  (answer) => {
    const calls: unknown[] = [];
    const decider = {
      record: (observation: unknown) => void calls.push(observation),
      isDecided: (...asked: readonly number[]) => {
        calls.push(asked);
        return answer;
      },
    };
    const observations = [answeredChat(50, 100), answeredChat(100, 100)];
    expect(decideOn(decider, { observations, at: null })).toBe(false);
    expect(calls.splice(0)).toEqual(observations);
    const at = { now: instant(9000), due: 140 };
    expect(decideOn(decider, { observations, at })).toBe(answer);
    expect(calls).toEqual([...observations, [9000, 140]]);
  },
);
