/** Test support: streams of requests that depend on each other, with their true percentiles in closed form. */

/** Returns uniform numbers in 0 … 1. */
export type UniformDraw = () => number;

/** mulberry32 by Tommy Ettinger (public domain): uniform in 0 … 1, the same for the same seed. */
export const uniformFrom = (seed: number): UniformDraw => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
const exponential = (draw: UniformDraw, mean: number): number => -mean * Math.log(1 - draw());

/** A request: its due instant and its duration, both in ms. */
type Sample = readonly [due: number, took: number];
export interface Process {
  readonly samples: (draw: UniformDraw, n: number, perSecond: number) => readonly Sample[];
  /** The true q-quantile. */
  readonly truth: (q: number, perSecond: number) => number;
}

/**
 * Poisson arrivals at `servers` servers with exponential service, first come first served. They are stationary from the
 * start.
 */
const queue = (servers: number, load: number): Process => {
  const meanService = (perSecond: number): number => (1000 * servers * load) / perSecond;
  return {
    samples: (draw, n, perSecond) => {
      const free = Array.from({ length: servers }, () => 0);
      const settling = 20_000;
      let at = 0;
      const all: Sample[] = [];
      for (let i = 0; i < n + settling; i += 1) {
        at += exponential(draw, 1000 / perSecond);
        let first = 0;
        for (let s = 1; s < servers; s += 1) if (free[s]! < free[first]!) first = s;
        const ends = Math.max(at, free[first]!) + exponential(draw, meanService(perSecond));
        free[first] = ends;
        all.push([at, ends - at]);
      }
      const start = all[settling - 1]![0];
      return all.slice(settling).map(([due, took]) => [due - start, took]);
    },
    truth: (q, perSecond) => {
      // Erlang's C is the chance to wait. The sojourn is a service, and with that chance also an exponential wait.
      const service = meanService(perSecond);
      const offered = servers * load;
      let term = 1;
      let sum = 1;
      for (let k = 1; k < servers; k += 1) sum += term *= offered / k;
      const all = (term * offered) / servers / (1 - load);
      const waits = all / (sum + all);
      const [a, b] = [1 / service, (servers * (1 - load)) / service];
      const beyond = (t: number): number =>
        (1 - waits) * Math.exp(-a * t) +
        waits *
          (Math.abs(a - b) < 1e-12
            ? (1 + a * t) * Math.exp(-a * t)
            : (a * Math.exp(-b * t) - b * Math.exp(-a * t)) / (a - b));
      let [low, high] = [0, 1e9];
      for (let i = 0; i < 200; i += 1) {
        const middle = (low + high) / 2;
        if (beyond(middle) > 1 - q) low = middle;
        else high = middle;
      }
      return low;
    },
  };
};

const normal = (draw: UniformDraw): number =>
  Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
const normalQuantile: Readonly<Record<number, number>> = { 0.5: 0, 0.95: 1.6448536 };

/** Lognormal times, each correlated with the one before. */
const autoregressive = (phi: number): Process => ({
  samples: (draw, n, perSecond) => {
    let state = normal(draw);
    return Array.from({ length: n }, (_, i): Sample => {
      state = phi * state + Math.sqrt(1 - phi ** 2) * normal(draw);
      return [(i * 1000) / perSecond, 100 * Math.exp(0.5 * state)];
    });
  },
  truth: (q) => 100 * Math.exp(0.5 * normalQuantile[q]!),
});

/** Times that the requests of a whole burst share. */
const bursts = (length: number): Process => ({
  samples: (draw, n, perSecond) => {
    let state = 0;
    const offset = Math.floor(draw() * length);
    return Array.from({ length: n }, (_, i): Sample => {
      if (i === 0 || (i + offset) % length === 0) state = normal(draw);
      return [(i * 1000) / perSecond, 100 * Math.exp(0.5 * state)];
    });
  },
  truth: (q) => 100 * Math.exp(0.5 * normalQuantile[q]!),
});

/** The processes of the table of coverage, by name. */
export const processes: Readonly<Record<string, Process>> = {
  'independent requests': autoregressive(0),
  'M/M/1 at 0.5': queue(1, 0.5),
  'M/M/1 at 0.8': queue(1, 0.8),
  'M/M/8 at 0.5': queue(8, 0.5),
  'M/M/8 at 0.8': queue(8, 0.8),
  'AR(1) of 0.3': autoregressive(0.3),
  'AR(1) of 0.5': autoregressive(0.5),
  'AR(1) of 0.8': autoregressive(0.8),
  'bursts of 10': bursts(10),
  'bursts of 50': bursts(50),
};
