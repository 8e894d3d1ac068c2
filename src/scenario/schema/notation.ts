import {
  type Milliseconds,
  milliseconds,
  type PerSecond,
  perSecond,
  type Ratio,
  ratio,
} from '../../model/quantity.ts';

/**
 * A notation in which users write quantities, such as `1h30m`, `20/s`, `99.5%` or `25 MB`. Only this file converts such
 * texts to numbers, so a text has the same meaning everywhere. A plain number is never valid, since a reader would not
 * know its unit.
 */
export interface Notation<Quantity extends number> {
  /** Returns the quantity that a text means; `null` if the text is not in this notation. */
  readonly read: (text: string) => Quantity | null;
  /** Completes the sentence “expected …” with the form of the text and examples. */
  readonly expected: string;
  /** Returns the text to write instead of the plain number `n`. */
  readonly withUnit: (n: number) => string;
  /** The regular expression by which editors check a text. The expression matches all texts that `read` accepts. */
  readonly pattern: string;
}

const amountPattern = String.raw`\d+(?:\.\d+)?`;

/**
 * Removes the rounding error of binary fractions: 8.2 × 60,000 is 491999.99999999994 in JavaScript, and becomes 492000.
 */
const withoutBinaryNoise = (value: number): number => Number(value.toPrecision(15));

const timeUnits = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
type TimeUnit = keyof typeof timeUnits;

const durationPattern = `^(?=\\d)${Object.keys(timeUnits)
  .map((unit) => `(?:${amountPattern}${unit})?`)
  .join('')}$`;
const durationText = new RegExp(durationPattern);
const durationPart = new RegExp(`(${amountPattern})(ms|[dhms])`, 'g');

/**
 * The notation of durations: `30s`, `500ms`, `2m`, `1h30m`, `7d`. Larger units come first, and each unit is used at
 * most once.
 */
export const durationNotation: Notation<Milliseconds> = {
  read: (text) => {
    if (!durationText.test(text)) return null;
    let length = 0;
    for (const [, n, unit] of text.matchAll(durationPart)) {
      length += Number(n) * timeUnits[unit as TimeUnit];
    }
    return milliseconds(withoutBinaryNoise(length));
  },
  expected: 'a length of time such as 30s, 500ms, 2m or 1h30m',
  withUnit: (n) => `${n}s for seconds or ${n}ms for milliseconds`,
  pattern: durationPattern,
};

const amountNotation = <Quantity extends number>(
  units: Readonly<Record<string, number>>,
  between: string,
  {
    quantityOf,
    ...words
  }: Pick<Notation<Quantity>, 'expected' | 'withUnit'> & {
    readonly quantityOf: (amount: number, unit: number) => Quantity | null;
  },
): Notation<Quantity> => {
  const pattern = `^(${amountPattern})${between}(${Object.keys(units).join('|')})$`;
  const whole = new RegExp(pattern);
  const read = (text: string): Quantity | null => {
    const [, amount, unit = ''] = whole.exec(text) ?? [];
    return amount === undefined ? null : quantityOf(Number(amount), units[unit]!);
  };
  return { read, pattern, ...words };
};

const rateUnits = { s: 1, min: 60, m: 60, h: 3600 } as const;

/** The notation of rates: `20/s`, `60/min` (or `60/m`), `3600/h`. */
export const rateNotation = amountNotation<PerSecond>(rateUnits, '/', {
  quantityOf: (amount, seconds) => perSecond(amount / seconds),
  expected: 'a rate such as 20/s, 60/min or 3600/h',
  withUnit: (n) => `${n}/s, ${n}/min or ${n}/h`,
});

/** The notation of percentages from `0%` to `100%`. */
export const percentageNotation = amountNotation<Ratio>({ '%': 100 }, '', {
  quantityOf: (amount, whole) =>
    amount <= whole ? ratio(withoutBinaryNoise(amount / whole)) : null,
  expected: 'a percentage from 0% to 100%, such as 99.5%',
  withUnit: (n) => `${n}%`,
});

const sizeUnits = {
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
} as const;

/** The notation of sizes in whole bytes: `25 MB` is 25,000,000, `4 MiB` is 4,194,304. */
export const sizeNotation = amountNotation<number>(sizeUnits, ' ?', {
  quantityOf: (amount, bytes) => Math.round(amount * bytes),
  expected: 'a size such as 25 MB, 4 MiB or 512 kB',
  withUnit: (n) => `${n} MB or ${n} MiB`,
});

/** Other spellings of units that people use. The keys are the units in Weir's notations. */
const otherUnits: Readonly<Record<string, string>> = {
  '/s': 'rps qps tps hz r/s req/s reqs/s requests/s /sec /second persecond',
  '/min': 'rpm qpm req/min requests/min /minute perminute',
  '/h': 'rph /hr /hour perhour',
  ms: 'ms msec msecs millis millisecond milliseconds',
  s: 's sec secs second seconds',
  m: 'm min mins minute minutes',
  h: 'h hr hrs hour hours',
  d: 'd day days',
  '%': '% percent pct',
};

/**
 * Converts a clock time to the notation of durations: `1:30` becomes `1m30s`, and `00:02:00` becomes `2m`. Other texts
 * stay unchanged.
 */
const withoutClock = (text: string): string =>
  text.replace(/^(?:(\d+):)?(\d{1,2}):(\d\d)$/, (_, ...parts: readonly string[]) =>
    ['h', 'm', 's']
      .map((unit, i) => (Number(parts[i] ?? 0) > 0 ? `${Number(parts[i])}${unit}` : ''))
      .join(''),
  );

/** Corrects the spelling of a number: blanks, `1,000`, `5,5`, `1k`, and the 1 in `5/1s`. */
const withPlainNumber = (text: string): string =>
  text
    .replaceAll(/\s/g, '')
    .replaceAll(/(?<=\d)[,_](?=\d{3}(?!\d))/g, '')
    .replace(/(?<=\d),(?=\d)/, '.')
    .replace(/^(\d+(?:\.\d+)?)k(?![\w])/i, (_, n: string) => String(Number(n) * 1000))
    .replace(/^\d+(?:\.\d+)?e\d(?=\/)/i, (n) => String(Number(n)))
    .replace(/(?<=^\d+h\d+)$/i, 'm')
    .replace(/^(\d+(?:\.\d+)?\/)1(?=[a-z])/i, '$1');

/**
 * Converts a rate over several units of time to a rate over one unit: `10/2s` becomes `5/s`. Other texts stay
 * unchanged.
 */
const perUnit = (text: string): string =>
  text.replace(
    /^(\d+(?:\.\d+)?)\/(\d+)(?=[a-z])/,
    (_, n: string, units: string) => `${withoutBinaryNoise(Number(n) / Number(units))}/`,
  );

/**
 * Converts a text in another spelling to the notation: `10rps` becomes `10/s`, `5 min` becomes `5m`, `5,5/s` becomes
 * `5.5/s`, `1:30` becomes `1m30s`, and ISO's `PT30S` becomes `30s`. Returns `null` if `read` accepts no converted text.
 */
export const respelt = (text: string, read: (text: string) => number | null): string | null => {
  const plain = perUnit(withoutClock(withPlainNumber(text.toLowerCase().replace(/^pt(?=\d)/, ''))));
  const [, amount, unit] = new RegExp(`^(${amountPattern})(.+)$`).exec(plain) ?? [];
  const right = Object.keys(otherUnits)
    .filter((each) => otherUnits[each]!.split(' ').includes(unit ?? ''))
    .map((each) => `${amount}${each}`);
  return [plain, ...right].find((each) => read(each) !== null) ?? null;
};

/**
 * Returns the number that a text with a unit or marks means: 2000000 for `2M`, 5 for `$5`, 50 for `50%`; `null` if the
 * text means no number.
 */
export const plainNumberIn = (text: string): number | null => {
  const [, amount, thousands = ''] =
    /^(\d+(?:\.\d+)?)([km]?)(?:%|\/\w+| ?(?:tokens|requests|users|vus|rpm|tpm))?$/i.exec(
      withPlainNumber(text.replace(/^[$€£]|[$€£]$/, '')),
    ) ?? [];
  if (amount === undefined) return null;
  return Number(amount) * ({ k: 1000, m: 1e6 }[thousands.toLowerCase()] ?? 1);
};

/** Formats a duration, such as `1h30m`. `durationNotation` can read the result. */
export const formatDuration = (length: Milliseconds): string => {
  let left: number = length;
  let text = '';
  for (const [unit, unitLength] of Object.entries(timeUnits)) {
    const n =
      unit === 'ms' ? withoutBinaryNoise(Number(left.toFixed(6))) : Math.floor(left / unitLength);
    if (n > 0) text += `${n}${unit}`;
    left -= n * unitLength;
  }
  return text === '' ? '0s' : text;
};

/**
 * Formats a rate. The unit is the first of second, minute and hour in which the rate is a whole number; without such a
 * unit, the second. `rateNotation` can read the result.
 */
export const formatRate = (events: PerSecond): string => {
  for (const unit of ['s', 'min', 'h'] as const) {
    const n = withoutBinaryNoise(events * rateUnits[unit]);
    if (Math.abs(n - Math.round(n)) <= n * 1e-12) return `${Math.round(n)}/${unit}`;
  }
  return `${Number(events.toFixed(9))}/s`;
};
