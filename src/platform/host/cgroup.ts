import { readFileSync } from 'node:fs';

/** Throttling of this process by the CPU quotas of its cgroup and that cgroup's ancestors. */

/** A file of the kernel; `null` where it does not exist. */
export const kernelText = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** A cgroup's path and those of its ancestors, `/a/b`, `/a`, ``: each quota limits what is inside. */
const withAncestors = (path: string): readonly string[] => {
  const names = path.split('/').filter((name) => name !== '');
  return Array.from({ length: names.length + 1 }, (_, left) =>
    ['', ...names.slice(0, names.length - left)].join('/'),
  );
};

/**
 * The files that may report throttling, from the text of /proc/self/cgroup: lines `0::/path` of
 * cgroup v2, `5:cpu,cpuacct:/path` of v1. In a container the path may be the host's while only the container's
 * cgroup is mounted, as the root: it comes last.
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

/** Microseconds of throttling in a cpu.stat (v1 counts nanoseconds); `null` if it does not report them. */
export const parseThrottled = (cpuStat: string): number | null => {
  const [, name, value] = /^(throttled_usec|throttled_time) (\d+)$/m.exec(cpuStat) ?? [];
  if (value === undefined) return null;
  return name === 'throttled_usec' ? Number(value) : Number(value) / 1000;
};

/** Reads for how many microseconds CPU quotas throttled this process; `null` if no file reports it. The files are found once. */
export const watchThrottling = (): (() => number | null) => {
  const paths = cpuStatPaths(kernelText('/proc/self/cgroup') ?? '').filter(
    (path) => parseThrottled(kernelText(path) ?? '') !== null,
  );
  return () =>
    paths.length === 0
      ? null
      : paths.reduce((sum, path) => sum + (parseThrottled(kernelText(path) ?? '') ?? 0), 0);
};
