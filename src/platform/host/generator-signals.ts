import { readFileSync } from 'node:fs';
import { PerformanceObserver, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import type { GeneratorSample } from '../../model/result/result.ts';
import { timerLateness } from './timer-lateness.ts';

/** Returns the text of a kernel file; `null` if the file cannot be read. */
export const kernelText = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/**
 * Returns the path of a cgroup and the paths of its ancestors: `/a/b`, `/a` and an empty path. The quotas of the
 * ancestors also apply to the cgroup.
 */
const withAncestors = (path: string): readonly string[] => {
  const names = path.split('/').filter((name) => name !== '');
  return Array.from({ length: names.length + 1 }, (_, left) =>
    ['', ...names.slice(0, names.length - left)].join('/'),
  );
};

/**
 * Returns the files that may report CPU throttling, from the text of /proc/self/cgroup. Each line of this text is
 * `0::/path` (cgroup v2) or `5:cpu,cpuacct:/path` (v1). In a container, the path may be the path on the host, while
 * only the container's cgroup is mounted, as the root. So the list also contains the root, as its last entry.
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

/**
 * Returns the microseconds of throttling from the text of a cpu.stat file (v1 counts nanoseconds); `null` if the text
 * does not contain this figure.
 */
export const parseThrottled = (cpuStat: string): number | null => {
  const [, name, value] = /^(throttled_usec|throttled_time) (\d+)$/m.exec(cpuStat) ?? [];
  if (value === undefined) return null;
  return name === 'throttled_usec' ? Number(value) : Number(value) / 1000;
};

/**
 * Returns a function that reads how long CPU quotas have throttled this process so far, in microseconds. The function
 * returns `null` if no file reports throttling. The files are searched for only once.
 */
const watchThrottling = (): (() => number | null) => {
  const paths = cpuStatPaths(kernelText('/proc/self/cgroup') ?? '').filter(
    (path) => parseThrottled(kernelText(path) ?? '') !== null,
  );
  return () =>
    paths.length === 0
      ? null
      : paths.reduce((sum, path) => sum + (parseThrottled(kernelText(path) ?? '') ?? 0), 0);
};

/** The resolution of the delay monitor in ms. Every delay that the monitor reports includes this time. */
const resolution = 10;

/**
 * Returns how long this thread ran and how long it waited for a CPU, in nanoseconds (the first two fields in
 * Documentation/scheduler/sched-stats); `null` if the system does not report these times.
 */
const threadTimes = (): { readonly ran: number; readonly waited: number } | null => {
  const [ran, waited] = kernelText('/proc/thread-self/schedstat')?.split(' ') ?? [];
  return ran === undefined || waited === undefined
    ? null
    : { ran: Number(ran), waited: Number(waited) };
};

/**
 * Returns the microseconds of CPU time of a worker's thread, if the kernel reports them. Otherwise, returns the CPU
 * time of the whole process, including the threads that collect garbage.
 */
const cpuTime = (ran: number | undefined): number => {
  if (!isMainThread && ran !== undefined) return ran / 1000;
  const { user, system } = process.cpuUsage();
  return user + system;
};

const difference = (now: number | null, before: number | null): number | null =>
  now === null || before === null ? null : Math.max(0, now - before);

/**
 * Watches pauses for garbage collection. `take` returns the longest pause and the sum of all pauses since the last call
 * of `take`, in ms.
 */
const watchPauses = () => {
  let longest = 0;
  let total = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      total += duration;
      longest = Math.max(longest, duration);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    take: () => {
      const pauses = { gcMax: longest, gcTotal: total };
      longest = 0;
      total = 0;
      return pauses;
    },
    stop: () => observer.disconnect(),
  };
};

/** Watches how late the event loop's timers are. The resolution of the monitor is subtracted. */
const watchDelay = (keepsLateness: boolean) => {
  const monitor = monitorEventLoopDelay({ resolution });
  monitor.enable();
  const aboveResolution = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e6 - resolution);
  return {
    take: () => {
      const isEmpty = monitor.count === 0;
      const late = keepsLateness ? timerLateness(monitor, resolution) : null;
      const delays = {
        ...(late === null ? {} : { late }),
        delayP99: isEmpty ? 0 : aboveResolution(monitor.percentile(99)),
        delayMax: isEmpty ? 0 : aboveResolution(monitor.max),
      };
      monitor.reset();
      return delays;
    },
    stop: () => monitor.disable(),
  };
};

/** Reads counters that only grow. The difference between two readings gives the figures for the time between them. */
const counters = (throttled: () => number | null) => {
  const times = threadTimes();
  return {
    at: performance.now(),
    utilisation: performance.eventLoopUtilization(),
    loop: { ...performance.nodeTiming.uvMetricsInfo },
    cpu: cpuTime(times?.ran),
    wait: times?.waited ?? null,
    throttled: throttled(),
  };
};

/**
 * Matches the codes of errors with which a process fails to read its own memory usage: no descriptor is left, or
 * `/proc` is missing or not readable.
 */
const unreadableCodes = /^E(?:[MN]FILE|NOENT|ACCES)$/;

/**
 * Returns a function that reads the process's memory in bytes. If reading fails, the function returns the last known
 * value, or `null` if no value is known.
 */
const watchMemory = (): (() => number | null) => {
  let latest: number | null = null;
  return () => {
    try {
      latest = process.memoryUsage.rss();
    } catch (error) {
      if (!unreadableCodes.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    return latest;
  };
};

/**
 * Measures this thread as a load generator. `sample(second)` returns the figures since the last call of `sample`. If
 * `keepsLateness` is true, the figures include how late the timers of the event loop were.
 */
export const watchGenerator = ({ keepsLateness = false } = {}) => {
  const pauses = watchPauses();
  const delay = watchDelay(keepsLateness);
  const readThrottled = watchThrottling();
  const readMemory = watchMemory();
  let before = counters(readThrottled);
  return {
    sample: (second: number): GeneratorSample => {
      const now = counters(readThrottled);
      const length = Math.max(1, now.at - before.at);
      const wait = difference(now.wait, before.wait);
      const throttled = difference(now.throttled, before.throttled);
      const sample = {
        second,
        utilisation: performance.eventLoopUtilization(now.utilisation, before.utilisation)
          .utilization,
        ...delay.take(),
        loops: now.loop.loopCount - before.loop.loopCount,
        events: now.loop.events - before.loop.events,
        eventsWaiting: now.loop.eventsWaiting - before.loop.eventsWaiting,
        ...pauses.take(),
        cpu: (now.cpu - before.cpu) / 1000 / length,
        cpuWait: wait === null ? null : wait / 1e6 / length,
        throttled: throttled === null ? null : throttled / 1000,
        memory: readMemory(),
      };
      before = now;
      return sample;
    },
    stop: (): void => {
      delay.stop();
      pauses.stop();
    },
  };
};
