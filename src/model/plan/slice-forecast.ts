/**
 * What Weir itself needs, as measured (`npm run bench memory`, `streams` and `slices`; reports/scale.md describes the
 * measurements). Sizes are in bytes, times in ms.
 */
export const weirCosts = {
  /** How much memory a worker takes after some minutes of load, and how much each request in flight takes. */
  worker: 300 * 2 ** 20,
  stream: 32 * 2 ** 10,
  /** The CPU time for a chunk. A request takes as much as ten chunks. */
  chunk: 0.031,
  /**
   * How large a result is without any requests, how much each second of the run adds, and how much each listed request
   * adds.
   */
  result: 100e3,
  second: 2400,
  row: 135,
  /** How much CPU time and how much memory it takes to read and merge each byte of the results. */
  mergeTime: 60e-6,
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
  /** How many cores the slice keeps busy, and how many threads it needs. */
  readonly cores: number;
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
  /** The size of all results in bytes. Reading and merging them takes this CPU time in ms and this memory in bytes. */
  readonly results: number;
  readonly mergeTime: number;
  readonly mergeMemory: number;
}

/**
 * What decides how large the results are: the number of all requests, the length of the load in ms, and how many
 * requests a result lists at most.
 */
interface ResultContent {
  readonly requests: number;
  readonly scheduled: number;
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
