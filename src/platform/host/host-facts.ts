import { instant } from '../../model/quantity.ts';
import { startClock } from './clock.ts';
import { cpuStatPaths, kernelText, watchGenerator } from './generator-signals.ts';

/**
 * Returns the number of CPUs that a cgroup may use; `null` if the cgroup may use all CPUs. `text` is the content of
 * cpu.max (version 2: `50000 100000`), or the contents of cpu.cfs_quota_us and cpu.cfs_period_us, joined by a space
 * (version 1).
 */
export const parseQuota = (text: string): number | null => {
  const [, quota, period] = /^(\d+)\s+(\d+)\s*$/.exec(text) ?? [];
  return quota === undefined ? null : Number(quota) / Number(period);
};

/**
 * Returns the smallest CPU quota of this process's cgroup and its ancestors; `null` if there is no quota. `textOf`
 * reads a file of the kernel.
 */
export const cpuQuota = (textOf: typeof kernelText): number | null => {
  const quotas = cpuStatPaths(textOf('/proc/self/cgroup') ?? '').flatMap((path) => {
    const read = (name: string): string => textOf(path.replace(/cpu\.stat$/, name)) ?? '';
    const both = `${read('cpu.cfs_quota_us').trim()} ${read('cpu.cfs_period_us')}`;
    return parseQuota(read('cpu.max')) ?? parseQuota(both) ?? [];
  });
  return quotas.length === 0 ? null : Math.min(...quotas);
};

/**
 * Returns the maximum number of files that this process may open, or `unlimited`; `null` if the system does not report
 * the maximum. The maximum is read from Node's diagnostic report, which works without `/proc`.
 */
const openFileLimit = (): number | 'unlimited' | null => {
  // Without this option, the report would look up the host name of each connection.
  const options: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  options.excludeNetwork = true;
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const soft = report.userLimits?.open_files?.soft;
  return soft === 'unlimited' ? soft : typeof soft === 'number' ? soft : null;
};

/**
 * Returns the number of local ports that the system uses for connections; `null` if the system does not report this
 * number.
 */
const localPorts = (): number | null => {
  const [first, last] = (kernelText('/proc/sys/net/ipv4/ip_local_port_range') ?? '')
    .trim()
    .split(/\s+/)
    .map(Number);
  return first === undefined || last === undefined ? null : last - first + 1;
};

/** The facts about this machine. `null` means that the system does not report the figure. */
export interface HostFacts {
  /** The number of CPUs that the cgroup of this process may use; `null` without a quota. */
  readonly quota: number | null;
  readonly openFiles: number | 'unlimited' | null;
  readonly ports: number | null;
  /** Whether the kernel reports how long a thread waits for a CPU. */
  readonly hasCpuWait: boolean;
  /** Whether the cgroup reports how long a quota throttles this process. */
  readonly hasThrottling: boolean;
  readonly hasMemory: boolean;
  /** The lateness of each alarm in ms, from a measurement of about one second. */
  readonly alarmLateness: readonly number[];
}

/** The number of alarms, which are set one after the other, and the time from one alarm to the next, in ms. */
const alarms = { count: 50, interval: 20 };

/** Returns the lateness of each alarm, in ms. A load uses the same kind of alarm to send its requests. */
const measureAlarms = async (clock: ReturnType<typeof startClock>): Promise<readonly number[]> => {
  const lateness: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let due = clock.now();
  const alarm = clock.alarm(() => {
    lateness.push(clock.now() - due);
    if (lateness.length === alarms.count) return resolve();
    setNext();
  });
  const setNext = (): void => {
    due = instant(Math.max(due, clock.now()) + alarms.interval);
    alarm.set(due);
  };
  setNext();
  await promise;
  alarm.stop();
  return lateness;
};

/** Measures this machine for about a second. */
export const measureHost = async (clock = startClock()): Promise<HostFacts> => {
  const generator = watchGenerator();
  const alarmLateness = await measureAlarms(clock);
  const { cpuWait, throttled, memory } = generator.sample(0);
  generator.stop();
  return {
    quota: cpuQuota(kernelText),
    openFiles: openFileLimit(),
    ports: localPorts(),
    hasCpuWait: cpuWait !== null,
    hasThrottling: throttled !== null,
    hasMemory: memory !== null,
    alarmLateness,
  };
};
