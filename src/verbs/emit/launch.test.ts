import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { coordinatorOptions, launchName, longestLife, targetEndpoint } from './launch.ts';

it.each([
  ['Nightly run!', 'weir-nightly-run'],
  ['…', 'weir-run'],
  [`${'a'.repeat(39)} b`, `weir-${'a'.repeat(39)}`],
  ['a'.repeat(60), `weir-${'a'.repeat(40)}`],
])('a launch of %s has a name that is valid in DNS', (plan, name) => {
  expect(launchName(plan)).toBe(name);
});

it('a coordinator gets only the options that differ from the defaults', () => {
  const options = (target: string | null, onLost: string) =>
    coordinatorOptions({ slices: 4, target, onLost } as never);
  expect(options(null, 'stop')).toEqual(['--slices=4']);
  expect(options('http://h/v1', 'continue')).toEqual([
    '--slices=4',
    '--target=http://h/v1',
    '--on-lost=continue',
  ]);
});

it('a worker lives for the load, its grace and a quarter of an hour at most', () => {
  const plan = samplePlan();
  const lasting = (grace: number): number => longestLife({ ...plan, grace } as typeof plan);
  expect(lasting(0) - 900).toBeGreaterThan(0);
  expect(lasting(30_000) - lasting(0)).toBe(30);
  expect(lasting(1) - lasting(0)).toBe(1);
});

it.each([
  ['https://h/v1', { host: 'h', port: 443 }],
  ['http://h/v1', { host: 'h', port: 80 }],
  ['http://[::1]:8080/v1', { host: '::1', port: 8080 }],
  ['unix:///tmp/socket:/v1', null],
])('the target %s is reached at %j', (url, endpoint) => {
  const target = { kind: 'url', url };
  expect(targetEndpoint({ ...samplePlan(), target } as never)).toEqual(endpoint);
});
