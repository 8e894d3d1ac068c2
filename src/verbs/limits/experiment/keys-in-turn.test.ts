import { expect, it } from 'vitest';
import { keysInTurn, limitsOfTeam } from './keys-in-turn.ts';

it('the keys of a team take turns, and a key alone is used each time', () => {
  const [alone, team] = [keysInTurn('a', undefined), keysInTurn('a', 'b')];
  expect([alone(), alone(), alone()]).toEqual(['a', 'a', 'a']);
  expect([team(), team(), team(), team()]).toEqual(['a', 'b', 'a', 'b']);
});

it('what single keys and users have left says nothing of their team', () => {
  const told = ['api_key', 'user', 'team', null].map((descriptor) => ({
    profile: 'litellm',
    descriptor,
    unit: 'requests',
    limit: 60,
    remaining: 59,
    resetIn: null,
  }));
  expect(limitsOfTeam({ told }).told.map(({ descriptor }) => descriptor)).toEqual(['team', null]);
});
