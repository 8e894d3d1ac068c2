import { expect, it } from 'vitest';
import { asLiteral, fillRequestJson, fillRequestText, templateProblem } from './secret.ts';

const values = { uuid: '0b5e', index: 7 };

it.each([
  ['run-${index}/${uuid}', 'run-7/0b5e'],
  ['$${index}', '${index}'],
  ['$$${index}', '$${index}'],
  ['costs $5 {index}', 'costs $5 {index}'],
  ['$${', '${'],
])('%j becomes %j', (text, filled) => {
  expect(fillRequestText(text, values)).toBe(filled);
  expect(templateProblem(text)).toBeNull();
});

it('every text of a JSON value is filled, and nothing else', () => {
  const body = { a: ['${index}', 1, null], b: { c: '${uuid}' }, '${uuid}': true };
  expect(fillRequestJson(body, values)).toEqual({
    a: ['7', 1, null],
    b: { c: '0b5e' },
    '${uuid}': true,
  });
});

it('a literal text stays as it is', () => {
  for (const text of ['${uuid}', '$${uuid}', 'a$', '${', '$${${index}']) {
    expect(fillRequestText(asLiteral(text), values)).toBe(text);
  }
});

it.each(['${guid}', '${}', '${ uuid }', 'x ${UUID}', '${', '${env:A}', '${index'])(
  '%j is unknown, and what exists is listed',
  (text) => {
    expect(templateProblem(text)).toMatch(/ is unknown: expected \$\{uuid\} or \$\{index\}; write/);
  },
);

it('the kinds of references that a place also has are known', () => {
  expect(templateProblem('${env:A} ${secret:b}', ['env', 'secret'])).toBeNull();
  expect(templateProblem('${secrets:b} ', ['env', 'secret'])).toMatchInlineSnapshot(
    `"\${secrets:b} is unknown: expected \${uuid} or \${index} or \${env:…} or \${secret:…}; write $\${ for a literal \${"`,
  );
  expect(templateProblem('${env:}', ['env'])).toMatch(/unknown/);
});
