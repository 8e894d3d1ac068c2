import { monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import type { GeneratorSample } from '../../model/result/result.ts';
import { kernelText, watchThrottling } from './cgroup.ts';

/** The resolution of the delay monitor in ms; every delay that it reports includes it. */
const resolution = 10;

/**
 * Nanoseconds for which this thread ran, and for which it waited for a CPU (the first
 * two fields, Documentation/scheduler/sched-stats).
 */
const threadTimes = (): { readonly ran: number; readonly waited: number } | null => {
  const [ran, waited] = kernelText('/proc/thread-self/schedstat')?.split(' ') ?? [];
  return ran === undefined || waited === undefined
    ? null
    : { ran: Number(ran), waited: Number(waited) };
};

/** Microseconds of CPU: of a worker's thread if the kernel reports it, else of the process, which collects garbage in further threads. */
const cpuTime = (ran: number | undefined): number => {
  if (!isMainThread && ran !== undefined) return ran / 1000;
  const { user, system } = process.cpuUsage();
  return user + system;
};

const difference = (now: number | null, before: number | null): number | null =>
  now === null || before === null ? null : Math.max(0, now - before);

/** Sums garbage collection pauses between two calls of `take`. */
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

/** Watches how late the event loop's timers are, the monitor's own resolution subtracted. */
const watchDelay = () => {
  const monitor = monitorEventLoopDelay({ resolution });
  monitor.enable();
  const aboveResolution = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e6 - resolution);
  return {
    take: () => {
      const isEmpty = monitor.count === 0;
      const delays = {
        delayP99: isEmpty ? 0 : aboveResolution(monitor.percentile(99)),
        delayMax: isEmpty ? 0 : aboveResolution(monitor.max),
      };
      monitor.reset();
      return delays;
    },
    stop: () => monitor.disable(),
  };
};

/** Counters that only grow; a second's figures are the difference of two readings. */
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

/** Reads the process's memory in bytes; the last known figure while no file descriptor is left to read it with. */
const watchMemory = (): (() => number) => {
  let latest = process.memoryUsage.rss();
  return () => {
    try {
      latest = process.memoryUsage.rss();
    } catch (error) {
      if (!/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    return latest;
  };
};

/** Watches this thread as a load generator: `sample(second)` returns its figures since the last call. */
export const watchGenerator = () => {
  const pauses = watchPauses();
  const delay = watchDelay();
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
