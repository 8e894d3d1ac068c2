import { expect, it } from 'vitest';
import { fillEnvironment } from './environment-template.ts';
import { pathKey, type ScenarioTree } from './scenario-tree.ts';

const treeOf = (value: unknown, plain: readonly string[] = []): ScenarioTree => ({
  value,
  positions: new Map(
    plain.map((name) => [pathKey([name]), { isPlainScalar: true } as never] as const),
  ),
});

const filled = (value: unknown, plain?: readonly string[]) =>
  fillEnvironment(treeOf(value, plain), { HOST: 'h', N: '7', TRICK: '${uuid}', EMPTY: '' });

it('variables are filled in everywhere but in keys and headers', () => {
  const kept = { keys: ['${env:N}'], headers: { a: '${env:HOST}' } };
  const { tree, findings, environmentValues } = filled({
    name: 'at ${env:HOST}',
    list: [{ deep: '${env:N}/${env:N}' }],
    ...kept,
    inner: kept,
  });
  expect(findings).toEqual([]);
  expect(tree.value).toEqual({
    name: 'at h',
    list: [{ deep: '7/7' }],
    ...kept,
    inner: { keys: ['7'], headers: { a: 'h' } },
  });
  expect([...environmentValues.values()].toSorted()).toEqual(['7', '7/7', 'at h', 'h']);
});

it('an escape stands for its text, but in a body, where it is read for each request', () => {
  const escaped = '$${env:HOST} $${secret:a} $${command:b} $${uuid}';
  const { tree } = filled({
    name: escaped,
    both: `${escaped} \${env:N}`,
    body: { a: escaped, b: `${escaped} \${env:N}` },
    traffic: [{ kind: 'chat', body: { user: escaped }, prompt: escaped }],
    other: { body: escaped },
  });
  const meant = '${env:HOST} ${secret:a} ${command:b} $${uuid}';
  expect(tree.value).toEqual({
    name: meant,
    both: `${meant} 7`,
    body: { a: escaped, b: `${escaped} 7` },
    traffic: [{ kind: 'chat', body: { user: escaped }, prompt: meant }],
    other: { body: meant },
  });
});

it('a value in a body is never a template itself', () => {
  const { tree } = filled({ body: { user: '${env:TRICK}' }, name: '${env:TRICK}' });
  expect(tree.value).toEqual({ body: { user: '$${uuid}' }, name: '${uuid}' });
});

it('a variable that stands alone and unquoted has the type of its value', () => {
  const { tree } = filled(
    { plain: '${env:N}', more: '${env:N}${env:N}', beside: ' ${env:N}', quoted: '${env:N}' },
    ['plain', 'more', 'beside'],
  );
  expect(tree.value).toEqual({ plain: 7, more: '77', beside: ' 7', quoted: '7' });
});

it('a variable that is missing or empty, and a secret, are found at their place', () => {
  const { findings } = filled({
    a: '${env:NONE}',
    b: ['${env:EMPTY}', '${env:not-a-name}'],
    c: '${secret:file}',
    d: '${command:run}',
  });
  expect(findings).toEqual([
    {
      path: ['a'],
      part: 'value',
      message: 'the environment variable NONE is not set',
      hint: 'set it before the run, for example: export NONE=…',
    },
    expect.objectContaining({
      path: ['b', 0],
      message: 'the environment variable EMPTY is not set',
    }),
    expect.objectContaining({
      path: ['b', 1],
      hint: 'names of variables have letters, digits and _ only: not_a_name',
    }),
    {
      path: ['c'],
      part: 'value',
      message: '${secret:…} is only allowed in keys and headers',
      hint: 'write ${env:NAME} for a value that is not secret',
    },
    expect.objectContaining({ path: ['d'], message: '${command:…} is only allowed in keys' }),
  ]);
});
