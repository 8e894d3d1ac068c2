import { expect, it } from 'vitest';
import { inexactNumberIn } from './exact-numbers.ts';

it.each([
  ['{"seed":9007199254740993}', 'seed'],
  ['{"a":[1,{"b":-12345678901234567890}]}', 'a.1.b'],
  ['9007199254740992', ''],
  ['{"seed":9007199254740991,"x":1e300,"y":0.1,"z":"9007199254740993","n":null}', null],
])('the number that lost digits is found in %s', (text, path) => {
  expect(inexactNumberIn(JSON.parse(text))).toBe(path);
});
