import type { TraceUnit } from '../model/workload/trace.ts';

/** Whole seconds, and ticks of 100 ns within the second. */
export interface TraceTime {
  readonly seconds: number;
  readonly ticks: number;
}

export const ticksPerSecond = 10_000_000;
const tickDigits = 7;

/** The number of decimals by which a number in a unit is moved to get seconds. */
const decimalsOf = { s: 0, ms: 3, us: 6, ns: 9 } as const satisfies Record<TraceUnit, number>;

const decimalPattern = /^(\d{1,25})(?:\.(\d*))?$/;

/**
 * Parses a decimal number in a unit; `null` if it is not one. Digits are moved instead of divided, because the
 * nanoseconds of today have more digits than a double.
 */
export const timeIn = (unit: TraceUnit, text: string): TraceTime | null => {
  const [, whole, fraction = ''] = decimalPattern.exec(text) ?? [];
  if (whole === undefined) return null;
  const moved = decimalsOf[unit];
  const padded = whole.padStart(moved + 1, '0');
  const seconds = Number(padded.slice(0, padded.length - moved));
  const rest = `${padded.slice(padded.length - moved)}${fraction}`.padEnd(tickDigits + 1, '0');
  const ticks = Number(rest.slice(0, tickDigits)) + (rest.charAt(tickDigits) >= '5' ? 1 : 0);
  return seconds > Number.MAX_SAFE_INTEGER ? null : { seconds, ticks };
};

/** The times since 1970 between 2001 and 2096, whose magnitude shows their unit. */
const epochs: readonly (readonly [TraceUnit, number])[] = [
  ['s', 1e9],
  ['ms', 1e12],
  ['us', 1e15],
  ['ns', 1e18],
];

/** The mean gap between requests above which a number with a fraction is not in seconds. */
const longestMeanGap = 60;

/**
 * Returns the unit of numbers that may be in several. Times since 1970 show it by their magnitude. Mooncake publishes
 * whole milliseconds; GuideLLM and AIPerf write seconds, as Python does, with a fraction (`0.0`).
 */
export const unitOfTimes = (times: readonly string[]): TraceUnit => {
  const numbers = times.map(Number);
  const [first = 0, last = first] = [numbers[0], numbers.at(-1)];
  const epoch = epochs.find(([, from]) => first >= from && first < 4 * from);
  if (epoch !== undefined) return epoch[0];
  const meanGap = Math.abs(last - first) / Math.max(1, numbers.length - 1);
  const hasFractions = times.some((text) => text.includes('.'));
  return hasFractions && meanGap <= longestMeanGap ? 's' : 'ms';
};
