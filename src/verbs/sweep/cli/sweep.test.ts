import { expect, it } from 'vitest';
import { withLoad } from './sweep.ts';

const source = (flags: object, scenario?: string) =>
  ({ scenario, flags, set: [], target: undefined }) as never;

it.each([
  [['load.users=1,2'], {}, { users: '1', rate: undefined }],
  [['load.rate=1/s,2/s'], {}, { users: undefined, rate: '1/s' }],
  [
    ['prompt.tokens=1,2', 'load.rate=1/s'],
    { model: 'm' },
    { users: undefined, rate: '1/s', model: 'm' },
  ],
  [['load.users=1,2'], { users: '7' }, { users: '7', rate: undefined }],
  [['load.rate=1/s'], { rate: '9/s' }, { users: undefined, rate: '9/s' }],
  [['prompt.tokens=1,2'], {}, { users: undefined, rate: undefined }],
  [['load.usersOther=1'], {}, { users: undefined, rate: undefined }],
])('a sweep over %j with %j has the load %j', (vary, flags, expected) => {
  expect(withLoad(source(flags), vary)).toMatchObject({ flags: expected, set: [] });
});

it('a scenario file has its own load', () => {
  const file = source({}, 'weir.yaml');
  expect(withLoad(file, ['load.users=1,2'])).toBe(file);
});
