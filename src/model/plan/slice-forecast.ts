/**
 * The resources that Weir itself needs, as measured (`npm run bench memory`, `streams` and `slices`; reports/scale.md
 * describes the measurements). Sizes are in bytes, times in ms.
 */
export const weirCosts = {
  /** The memory of a worker after some minutes of load, and the memory of each request in flight. */
  worker: 300 * 2 ** 20,
  stream: 32 * 2 ** 10,
  /** The CPU time for a chunk. A request takes as much as ten chunks. */
  chunk: 0.031,
  /** The size of a result: of a result without requests, of each second of the run, and of each listed request. */
  result: 100e3,
  second: 2400,
  row: 135,
  /** The CPU time and the memory for reading and merging one byte of the results. */
  mergeTime: 60e-6,
  mergeMemory: 4.2,
} as const;

/**
 * The streamed chunks per second that one worker reads without overload (`npm run bench workers`; reports/scale.md).
 */
export const chunksPerWorker = 30_000;

/** The assumed size of a streamed chunk including its framing, in bytes. */
export const bytesOfChunk = 250;

/**
 * The number of connections that Linux can open from one address to one address and port: one from each source port,
 * 32,768 to 60,999 (`net.ipv4.ip_local_port_range`).
 */
export const sourcePorts = 28_232;

export interface SliceForecast {
  readonly slices: number;
  /** The number of requests in flight at the same time. */
  readonly streams: number;
  readonly sockets: number;
  /** The number of streamed chunks per second. A request counts as ten chunks. */
  readonly chunksPerSecond: number;
  /** The number of cores that the slice keeps busy, and the number of threads that it needs. */
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
  /** The number of source addresses that the connections to one target address need. */
  readonly addresses: number;
  /** The size of all results in bytes, and the CPU time (ms) and memory (bytes) for reading and merging them. */
  readonly results: number;
  readonly mergeTime: number;
  readonly mergeMemory: number;
}

/**
 * The facts that decide the size of results: the number of all requests, the length of the load in ms, and the maximum
 * number of requests that a result lists.
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
