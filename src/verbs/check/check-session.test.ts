import { expect, it } from 'vitest';
import { requestIdHeader } from '../../contract/routes.ts';
import { readyTarget } from '../../run/target/ready-target.fixture.ts';
import {
  addressWithoutVersion,
  openCheckSession,
  requestAuthorizer,
  secretsOf,
} from './check-session.ts';

it.each([
  ['https://h/v1', 'https://h/'],
  ['https://h/v1//', 'https://h/'],
  ['https://h/team/v12', 'https://h/team'],
  ['https://h/v1?key=a', 'https://h/?key=a'],
  ['https://h/v1/chat', null],
  ['https://h/v', null],
  ['https://h', null],
])('the address %s without its version is %s', (address, expected) => {
  expect(addressWithoutVersion(address)).toBe(expected);
});

const keyed = readyTarget('https://h/v1', {
  credentials: [
    { name: 'first', weight: 1, value: 'sk-own' },
    { name: 'second', weight: 1, value: 'sk-other' },
  ],
  headers: { 'x-team': 'blue', 'x-number': '${index}' },
  secrets: ['sk-hidden'],
});

it('nothing of a target is shown that is a secret or a key', () => {
  expect(secretsOf(keyed)).toEqual(['sk-hidden', 'sk-own', 'sk-other']);
  expect(secretsOf(null)).toEqual([]);
});

it('each request has the key that it asks for, the headers of the target, and a unique id', () => {
  const authorized = requestAuthorizer('2026-07-01T10:20:30.456Z');
  const wire = { method: 'GET', path: '/models', headers: { accept: 'a' }, body: null } as const;
  const headersOf = (kind: 'valid' | 'unknown' | 'missing', target = keyed) =>
    authorized(target, kind, wire).headers;
  const first = authorized(keyed, 'valid', wire);
  expect(first).toMatchObject({ method: 'GET', path: '/models', body: null });
  expect(first.headers).toMatchObject({
    accept: 'a',
    'user-agent': expect.stringMatching(/^weir\/\d/),
    authorization: 'Bearer sk-own',
    'x-team': 'blue',
    'x-number': '0',
    [requestIdHeader]: 'check-0701102030-1',
  });
  const unknown = headersOf('unknown');
  expect(unknown['authorization']).toBe('Bearer sk-weir-no-such-key');
  expect([unknown['x-number'], unknown[requestIdHeader]]).toEqual(['1', 'check-0701102030-2']);
  expect(headersOf('missing')).not.toHaveProperty('authorization');
  expect(headersOf('valid', readyTarget('https://h/v1'))['authorization']).toBe('Bearer ');
});

it('a session has an address without a version, and one beside the gateway, only if there is one', async () => {
  const sessionOf = (baseUrl: string, direct: string | null) =>
    openCheckSession(readyTarget(baseUrl), direct === null ? null : readyTarget(direct), 5000, []);
  const [bare, both] = [
    sessionOf('http://127.0.0.1:9/gateway', null),
    sessionOf('http://127.0.0.1:9/v1', 'http://127.0.0.1:9/v1'),
  ];
  expect(bare.has).toEqual({ versioned: true, root: false, direct: false });
  expect(both.has).toEqual({ versioned: true, root: true, direct: true });
  const { client, startedAt } = bare;
  const wall = client.wall();
  expect(wall).toBeGreaterThanOrEqual(Date.parse(startedAt));
  expect(wall).toBeLessThan(Date.parse(startedAt) + 60_000);
  await bare.close();
  await both.close();
});
