/** What a closed loop got done, and what it took. */
export interface ClosedLoopThroughput {
  readonly requests: number;
  readonly seconds: number;
  /** Of its process, user and system, in seconds. */
  readonly cpu: number;
}

export const requestsPerSecond = ({ requests, seconds }: ClosedLoopThroughput): number =>
  requests / seconds;
export const requestsPerCpuSecond = ({ requests, cpu }: ClosedLoopThroughput): number =>
  requests / cpu;

/** What `count` and this process's CPU time rise by during `wait`. */
export const measureThroughput = async (
  count: () => number,
  wait: () => Promise<unknown>,
): Promise<ClosedLoopThroughput> => {
  const before = { requests: count(), cpu: process.cpuUsage(), at: performance.now() };
  await wait();
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    requests: count() - before.requests,
    seconds: (performance.now() - before.at) / 1000,
    cpu: (user + system) / 1e6,
  };
};
