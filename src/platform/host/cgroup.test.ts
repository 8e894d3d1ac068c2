import { describe, expect, it } from 'vitest';
import { cpuStatPaths, parseThrottled } from './generator-signals.ts';

describe('the CPU accounting of a cgroup', () => {
  it('includes its own limits and those of its ancestors, in version 2', () => {
    expect(cpuStatPaths('0::/user.slice/run-7.scope\n')).toEqual([
      '/sys/fs/cgroup/user.slice/run-7.scope/cpu.stat',
      '/sys/fs/cgroup/user.slice/cpu.stat',
      '/sys/fs/cgroup/cpu.stat',
    ]);
  });

  it('comes from the cpu controller in version 1', () => {
    const membership = '9:name=systemd:/\n4:memory:/m\n2:cpu,cpuacct:/docker/ab\n0::/\n';
    expect(cpuStatPaths(membership)).toEqual([
      '/sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.stat',
      '/sys/fs/cgroup/cpu,cpuacct/docker/cpu.stat',
      '/sys/fs/cgroup/cpu,cpuacct/cpu.stat',
      '/sys/fs/cgroup/cpu.stat',
    ]);
    expect(cpuStatPaths('')).toEqual([]);
  });
});

describe('the time for which a process was throttled', () => {
  it.each([
    ['usage_usec 12\nnr_throttled 3\nthrottled_usec 4500\n', 4500],
    ['nr_periods 21\nnr_throttled 18\nthrottled_time 605782190\n', 605_782.19],
    ['usage_usec 12\n', null],
    ['', null],
  ])('is in microseconds: %j', (account, expected) => {
    expect(parseThrottled(account)).toBe(expected);
  });
});
