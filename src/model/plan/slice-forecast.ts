/**
 * What Weir itself needs, as measured (`npm run bench memory`, `streams` and `slices`; reports/scale.md describes the
 * measurements). Sizes are in bytes, times in ms.
 */
export const weirCosts = {
  /** The memory of a worker after some minutes of load. */
  worker: 300 * 2 ** 20,
  /** The memory of each request in flight. */
  stream: 32 * 2 ** 10,
  /** The CPU time for a streamed chunk. A request takes as much as ten chunks. */
  chunk: 0.031,
  /** The size of a result without any requests. */
  result: 100e3,
  /** The size that each second of the run adds to a result. */
  second: 2400,
  /** The size that each listed request adds to a result. */
  row: 135,
  /** The CPU time for reading and merging each byte of the results. */
  mergeTime: 60e-6,
  /** The memory for reading and merging each byte of the results. */
  mergeMemory: 4.2,
} as const;

/**
 * One worker reads this many streamed chunks per second without overload (`npm run bench workers`; reports/scale.md).
 */
export const chunksPerWorker = 30_000;

/** The assumed size of a streamed chunk including its framing, in bytes. */
export const bytesOfChunk = 250;

/**
 * Linux can open this many connections from one address to one address and port: one from each source port, 32,768 to
 * 60,999 (`net.ipv4.ip_local_port_range`).
 */
export const sourcePorts = 28_232;

export interface SliceForecast {
  readonly slices: number;
  /** The number of requests in flight at the same time. */
  readonly streams: number;
  readonly sockets: number;
  /** The number of streamed chunks per second. A request counts as ten chunks. */
  readonly chunksPerSecond: number;
  /** The number of cores that the slice keeps busy. */
  readonly cores: number;
  /** The number of threads that the slice needs. */
  readonly workers: number;
  /** The memory that the slice needs, in bytes. */
  readonly memory: number;
  readonly bytesPerSecond: number;
  /** The calibrated load that covers each slice's load; `null` if the user gave the number of slices. */
  readonly basis: {
    readonly streams: number;
    readonly tokensPerSecond: number;
    readonly workers: number;
    readonly isValid: boolean;
  } | null;
}

/** The needs of all slices of a load together. */
export interface FleetForecast {
  readonly cores: number;
  /** The memory of all slices, in bytes. */
  readonly memory: number;
  readonly bytesPerSecond: number;
  /** How many source addresses are needed to open all connections to one target address. */
  readonly addresses: number;
  /** The size of all results, in bytes. */
  readonly results: number;
  /** The CPU time for reading and merging all results, in ms. */
  readonly mergeTime: number;
  /** The memory for reading and merging all results, in bytes. */
  readonly mergeMemory: number;
}

/** The numbers that decide how large the results are. */
interface ResultContent {
  /** The number of requests of all slices together. */
  readonly requests: number;
  /** The length of the load, in ms. */
  readonly scheduled: number;
  /** The maximum number of requests that a result lists. */
  readonly rows: number;
}

export const fleetForecast = (
  { slices, sockets, cores, memory, bytesPerSecond }: SliceForecast,
  { requests, scheduled, rows }: ResultContent,
): FleetForecast => {
  const ofEach =
    weirCosts.result +
    (scheduled / 1000) * weirCosts.second +
    Math.min(requests / slices, rows) * weirCosts.row;
  const results = slices * Math.ceil(ofEach);
  return {
    cores: slices * cores,
    memory: slices * memory,
    bytesPerSecond: slices * bytesPerSecond,
    addresses: Math.max(1, Math.ceil((slices * sockets) / sourcePorts)),
    results,
    mergeTime: results * weirCosts.mergeTime,
    mergeMemory: weirCosts.worker + results * weirCosts.mergeMemory,
  };
};
