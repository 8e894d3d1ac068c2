import { present } from './present.ts';

/**
 * Formats a whole number with commas between thousands. The JavaScript engine's own formatter is not used, since its
 * first use takes 10 ms.
 */
const groupedText = (whole: number): string =>
  Number.isSafeInteger(whole)
    ? String(whole).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
    : whole.toLocaleString('en-US');

export const countText = (value: number): string => groupedText(Math.round(value));

/** The units that are counted in whole numbers. */
const wholeUnits: ReadonlySet<string> = new Set(['tokens', 'models', 'characters', 'bytes', 'µ']);

/** Formats ten thousand bytes or more: `64.0 kB`, `1.25 MB`. */
const bytesText = (value: number): string =>
  value < 999_500 ? `${figureText(value / 1e3)} kB` : `${figureText(value / 1e6)} MB`;

/** Returns the number of decimals with which a figure has about three significant digits. */
export const decimalsOf = (value: number): number => {
  const size = Math.abs(value);
  if (size >= 99.95) return 0;
  return size >= 9.995 ? 1 : 2;
};

/**
 * Formats a figure with about three significant digits: `0.42`, `8.25`, `81.3`, `812`, `1,204`. Counts stay whole
 * numbers, and 10,000 bytes or more are in kB or MB.
 */
export const figureText = (value: number, unit = ''): string => {
  const size = Math.abs(value);
  if (unit === 'bytes' && size >= 10_000) return bytesText(value);
  if (size >= 99.95 || (wholeUnits.has(unit) && Number.isInteger(value))) return countText(value);
  return size === 0 ? '0' : value.toFixed(decimalsOf(value));
};

/** Formats milliseconds per second of audio as a real-time factor: 12.3 is `0.012×`, 1,000 is `1.00×`. */
export const factorText = (msPerSecond: number): string => {
  const factor = msPerSecond / 1000;
  if (factor >= 0.995) return `${figureText(factor)}×`;
  if (factor > 0 && factor < 0.000_1) return '<0.0001×';
  return `${Number(factor.toPrecision(2))}×`;
};

/** Formats micro-units of the currency as an exact amount: `0.012340`, `1,204.000001`. */
export const moneyText = (microUnits: number): string => {
  const text = String(microUnits).padStart(7, '0');
  return `${groupedText(Number(text.slice(0, -6)))}.${text.slice(-6)}`;
};

/**
 * Formats a share as a percentage. A part that is not empty is never rounded to 0 % (`<0.1 %`), and a part that is not
 * the whole is never rounded to 100 % (`>99.9 %`). Returns a dash if the whole is 0.
 */
export const shareText = (part: number, whole: number): string => {
  if (whole === 0) return '–';
  const percent = ((part / whole) * 100).toFixed(1);
  if (part > 0 && percent === '0.0') return '<0.1 %';
  if (part < whole && percent === '100.0') return '>99.9 %';
  return `${percent} %`;
};

const tenth = (value: number): string => String(Number(value.toFixed(1)));

/** Formats a duration or an instant of the run in ms: `250 ms`, `31.2 s`, `2 min 5 s`, `1 h 2 min`. */
export const timeText = (ms: number): string => {
  if (ms > 0 && ms < 999.5) return `${ms < 99.95 ? tenth(ms) : Math.round(ms)} ms`;
  if (ms < 119_950) return `${tenth(ms / 1000)} s`;
  const tenths = Math.round(ms / 100) / 10;
  const [hours, minutes] = [Math.floor(tenths / 3600), Math.floor((tenths % 3600) / 60)];
  const seconds = tenth(tenths % 60);
  return present([
    hours > 0 && `${hours} h`,
    minutes > 0 && `${minutes} min`,
    seconds !== '0' && `${seconds} s`,
  ]).join(' ');
};

/** Formats a duration that is given in seconds. */
export const secondsText = (seconds: number): string => timeText(seconds * 1000);

/**
 * Formats a moment of the run to a tenth of a second: `0.4 s`, `60.0 s`, `2 min 5.3 s`. `ms` counts from the start of
 * the run.
 */
export const momentText = (ms: number): string =>
  ms < 119_950 ? `${(ms / 1000).toFixed(1)} s` : timeText(ms);

/** Formats a count and its noun: `1 key`, `2 keys`. */
export const plural = (value: number, noun: string): string =>
  `${countText(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Formats the bounds of a confidence interval; `…` replaces an unknown bound. */
export const intervalText = (low: number | null, high: number | null, unit = ''): string =>
  `${low === null ? '…' : figureText(low, unit)}–${high === null ? '…' : figureText(high, unit)}`;

/** Formats a list as `a`, `a and b`, or `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** Makes the first letter of a text lower-case, for the middle of a sentence. */
export const lowerFirst = (text: string): string =>
  `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
