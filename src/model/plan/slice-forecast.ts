/**
 * What Weir itself needs, as it was measured (`npm run bench memory`, `streams` and `slices`; reports/scale.md says how).
 * Memory and sizes are in bytes, times in ms.
 */
export const weirCosts = {
  /** The memory of a worker after some minutes of load, and of each request in flight. */
  worker: 300 * 2 ** 20,
  stream: 32 * 2 ** 10,
  /** The CPU time of a chunk; a request counts as ten. */
  chunk: 0.031,
  /** A result: its size without requests, of each second of the run, and of each request up to the most rows of each key. */
  result: 100e3,
  second: 2400,
  row: 135,
  /** Reading and merging: the CPU time of each byte of the results, and the memory that each takes. */
  mergeTime: 60e-6,
  mergeMemory: 4.2,
} as const;

/** The streamed chunks per second that one worker reads without being overloaded (`npm run bench workers`; reports/scale.md). */
export const chunksPerWorker = 30_000;

/** The assumed size of a streamed chunk including its framing, in bytes. */
export const bytesOfChunk = 250;

/**
 * The connections that Linux opens from one address to one address and port of a target: its source ports, 32,768 to
 * 60,999 (`net.ipv4.ip_local_port_range`).
 */
export const sourcePorts = 28_232;

export interface SliceForecast {
  readonly slices: number;
  /** The number of requests in flight at the same time. */
  readonly streams: number;
  readonly sockets: number;
  /** Streamed chunks per second, where a request counts as ten chunks. */
  readonly chunksPerSecond: number;
  /** The number of cores that the slice keeps busy, and the number of threads that it needs. */
  readonly cores: number;
  readonly workers: number;
  /** The memory that the slice needs, in bytes. */
  readonly memory: number;
  readonly bytesPerSecond: number;
  /**
   * The load of a calibration that is at least the load of each slice; `null` if the user gave the number of slices.
   */
  readonly basis: {
    readonly streams: number;
    readonly tokensPerSecond: number;
    readonly workers: number;
    readonly isValid: boolean;
  } | null;
}

/** What all slices of a load need together. */
export interface FleetForecast {
  readonly cores: number;
  /** In bytes. */
  readonly memory: number;
  readonly bytesPerSecond: number;
  /** The number of source addresses that the connections to one address of a target need. */
  readonly addresses: number;
  /** The size of all results, in bytes; the CPU time of reading and merging them, in ms; the memory of that. */
  readonly results: number;
  readonly mergeTime: number;
  readonly mergeMemory: number;
}

/** What the size of results depends on: all requests, the length in ms, and how many requests a result lists at most. */
interface ResultContent {
  readonly requests: number;
  readonly scheduled: number;
  readonly rows: number;
}

/** Returns what all slices need together. */
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
