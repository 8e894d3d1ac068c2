import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cpuQuota, measureHost, parseQuota } from './host-facts.ts';

/** A clock whose alarms ring at once, each later by so much as the next number says. */
const clockWith = (lateness: readonly number[]) => {
  const [rung, waits]: [number, number[]] = [0, []];
  const state = { at: 1000, rung, waits, isStopped: false };
  const clock = {
    now: () => state.at,
    alarm: (ring: () => void) => ({
      set: (at: number) => {
        state.waits.push(at - state.at);
        state.at = at + (lateness[state.rung] ?? 0);
        state.rung += 1;
        queueMicrotask(ring);
      },
      stop: () => {
        state.isStopped = true;
      },
    }),
  };
  return { clock: clock as never, state };
};

describe('this machine', () => {
  it('rings fifty alarms, 20 ms apart, and says how late each was', async () => {
    const lateness = Array.from({ length: 50 }, (_, i) => i / 2);
    const { clock, state } = clockWith(lateness);
    expect((await measureHost(clock)).alarmLateness).toEqual(lateness);
    expect(state).toMatchObject({ rung: 50, isStopped: true });
    expect(new Set(state.waits)).toEqual(new Set([20]));
  });

  it.runIf(process.platform === 'linux')('has the facts that Linux reports', async () => {
    const facts = await measureHost(clockWith([]).clock);
    const [soft] = /^Max open files +(\S+)/m
      .exec(readFileSync('/proc/self/limits', 'utf8'))!
      .slice(1);
    expect(String(facts.openFiles)).toBe(soft);
    const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').match(/\d+/g)!;
    // Both ends of the range are given out.
    expect(Number(range[0]) + facts.ports! - 1).toBe(Number(range[1]));
    expect(facts.hasMemory).toBe(true);
    expect(facts.hasCpuWait).toBe(existsSync('/proc/self/schedstat'));
    expect(facts.quota === null || facts.quota > 0).toBe(true);
  });
});

it.each([
  ['50000 100000\n', 0.5],
  ['250000 100000', 2.5],
  ['max 100000\n', null],
  ['-1 100000\n', null],
  [' ', null],
  ['50000 100000 x', null],
])('the quota of "%s" is %s CPUs', (text, cpus) => {
  expect(parseQuota(text)).toBe(cpus);
});

describe('the quota of a process', () => {
  const quotaIn = (files: Readonly<Record<string, string>>): number | null =>
    cpuQuota((path) => files[path] ?? null);
  const root = '/sys/fs/cgroup';

  it('is the smallest of its cgroup and of those around it', () => {
    const files = {
      '/proc/self/cgroup': '0::/pod/app\n',
      [`${root}/pod/app/cpu.max`]: 'max 100000\n',
      [`${root}/pod/cpu.max`]: '150000 100000\n',
      [`${root}/cpu.max`]: '300000 100000\n',
    };
    expect(quotaIn(files)).toBe(1.5);
    expect(quotaIn({ ...files, [`${root}/pod/cpu.max`]: 'max 100000\n' })).toBe(3);
  });

  it('is read from two files where cgroups are of version 1', () => {
    const files = {
      '/proc/self/cgroup': '5:memory:/app\n4:cpu,cpuacct:/app\n',
      [`${root}/cpu,cpuacct/app/cpu.cfs_quota_us`]: '50000\n',
      [`${root}/cpu,cpuacct/app/cpu.cfs_period_us`]: '100000\n',
    };
    expect(quotaIn(files)).toBe(0.5);
  });

  it('is none where no file names one', () => {
    expect(quotaIn({})).toBeNull();
    expect(quotaIn({ '/proc/self/cgroup': '0::/\n' })).toBeNull();
  });
});
