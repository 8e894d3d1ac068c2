import { readFileSync } from 'node:fs';

/** What holds a process back beside the load of its machine: the CPU quota of its cgroup and of those around it. */

const textOf = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** A cgroup's path and those of all around it, `/a/b`, `/a`, ``: a quota of any of them holds what is inside. */
const withAncestors = (path: string): readonly string[] => {
  const names = path.split('/').filter((name) => name !== '');
  return Array.from({ length: names.length + 1 }, (_, left) =>
    ['', ...names.slice(0, names.length - left)].join('/'),
  );
};

/**
 * The accounts that may tell of throttling, from the text of /proc/self/cgroup: lines `0::/path` of
 * cgroup v2, `5:cpu,cpuacct:/path` of v1. In a container the path may be the host's while only the own
 * cgroup is mounted, as the root: it is the last one tried.
 */
export const cpuStatPaths = (membership: string): readonly string[] =>
  membership.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    const roots =
      controllers === ''
        ? ['/sys/fs/cgroup']
        : controllers.split(',').includes('cpu')
          ? [`/sys/fs/cgroup/${controllers}`]
          : [];
    return roots.flatMap((root) => withAncestors(path).map((each) => `${root}${each}/cpu.stat`));
  });

/** Microseconds of throttling in the text of a cpu.stat: v2 counts them so, v1 in nanoseconds; `null` where it does not tell. */
export const parseThrottled = (cpuStat: string): number | null => {
  const [, name, value] = /^(throttled_usec|throttled_time) (\d+)$/m.exec(cpuStat) ?? [];
  if (value === undefined) return null;
  return name === 'throttled_usec' ? Number(value) : Number(value) / 1000;
};

/** Reads how many microseconds CPU quotas have held this process back; `null` where no account tells. Found once: who moves a running process is not followed. */
export const watchThrottling = (): (() => number | null) => {
  const paths = cpuStatPaths(textOf('/proc/self/cgroup') ?? '').filter(
    (path) => parseThrottled(textOf(path) ?? '') !== null,
  );
  return () =>
    paths.length === 0
      ? null
      : paths.reduce((sum, path) => sum + (parseThrottled(textOf(path) ?? '') ?? 0), 0);
};
