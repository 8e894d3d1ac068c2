import { expect, it } from 'vitest';
import { keysInTurn, limitsOfTeam } from './keys-in-turn.ts';

it('the keys of a team take turns, and a key alone is used each time', () => {
  const [alone, team] = [keysInTurn('a', undefined), keysInTurn('a', 'b')];
  expect([alone(), alone(), alone()]).toEqual(['a', 'a', 'a']);
  expect([team(), team(), team(), team()]).toEqual(['a', 'b', 'a', 'b']);
});

it('what single keys and users have left says nothing of their team', () => {
  const limitOf = (profile: string, descriptor: string | null) => ({
    profile,
    descriptor,
    unit: 'requests',
    limit: 60,
    remaining: 59,
    resetIn: null,
  });
  const alone = [
    'api_key',
    'user',
    'end_user',
    'team_member',
    'model_per_key',
    'per-key',
    'API-Key',
    'x-user-id',
  ];
  const shared = ['team', 'model_per_team', 'key-accounts', 'power-users', null];
  const limits = [
    ...[...alone, ...shared].map((descriptor) => limitOf('litellm', descriptor)),
    limitOf('litellm-key', 'gpt-4'),
    limitOf('litellm-key', null),
  ];
  expect(limitsOfTeam({ told: limits }).told.map(({ descriptor }) => descriptor)).toEqual(shared);
});
