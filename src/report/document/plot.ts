import { markup, type Markup } from '../text/markup.ts';

/**
 * This file makes the drawings of all reports: two axes, and marks at values. The drawings need no script, so they can
 * be printed.
 */

type Tick = readonly [value: number, text: string];
type Point = readonly [x: number, y: number];
type TextOf = (value: number) => string;

/** Formats a round value without trailing zeros: `5`, `12.5`, `1,000`. */
const tickText: TextOf = (value) => Number(value.toPrecision(6)).toLocaleString('en-US');

export interface Axis {
  /** The values at the two ends of the axis. Values beyond the ends are drawn at the edge. */
  readonly ends: readonly [from: number, to: number];
  readonly isLogarithmic?: boolean;
  /**
   * The ticks, in order of importance. A tick is left out if it is beyond the ends or too close to a more important
   * tick.
   */
  readonly ticks: readonly Tick[];
  readonly label?: string;
  /** Set for an axis of named rows. */
  readonly hasRows?: true;
}

/** Returns the smallest of the numbers 1, 2, 2.5 and 5 times a power of ten that is at least `rough`: 2.5 for 2.1. */
export const multiplesBetween = (low: number, high: number, step: number): readonly number[] => {
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
};

/** Returns the smallest number that is at least `rough` among 1, 2, 2.5 and 5 times powers of ten. */
const roundStep = (rough: number): number => {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
};

/** Makes an axis with about four round ticks. If two ticks would have the same text, all ticks get more digits. */
export const axisBetween = (low: number, high: number, textOf = tickText): Axis => {
  const values = multiplesBetween(low, high, roundStep((high - low) / 4));
  const isClear = new Set(values.map(textOf)).size === values.length;
  const clearText = isClear ? textOf : (value: number) => String(Number(value.toPrecision(3)));
  return { ends: [low, high], ticks: values.map((value) => [value, clearText(value)]) };
};

/** Makes an axis from zero to a round number of at least `most`. */
export const axisTo = (most: number, textOf = tickText): Axis => {
  const step = roundStep(most / 4);
  return axisBetween(0, Math.ceil(most / step - 1e-9) * step, textOf);
};

const roundDigits = [1, 2, 5, 10];

/**
 * Returns the largest of the numbers 1, 2 and 5 times a power of ten that is at most `value`: 200 for 370. `roundAbove`
 * returns the smallest of these numbers that is at least `value`: 500 for 370.
 */
export const roundBelow = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return power * roundDigits.findLast((digit) => digit * power <= value * (1 + 1e-9))!;
};
export const roundAbove = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return power * roundDigits.find((digit) => digit * power >= value * (1 - 1e-9))!;
};

/** The usual steps of a time axis, in seconds. */
const timeSteps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400,
];

/** Makes an axis of seconds since the run began. The axis has round steps, at most six. */
export const timeAxis = (end: number, textOf: TextOf): Axis => {
  const step = timeSteps.find((each) => end / each <= 6) ?? roundStep(end / 6);
  return { ends: [0, end], ticks: multiplesBetween(0, end, step).map((at) => [at, textOf(at)]) };
};

/**
 * Makes a logarithmic axis with ticks at 1, 2 and 5 times powers of ten. If fewer than three of these values are on the
 * axis, the ticks have equal distances in value.
 */
export const logarithmicAxis = (low: number, high: number): Axis => {
  const powers = multiplesBetween(Math.log10(low) - 1, Math.log10(high), 1);
  const round = [1, 5, 2]
    .flatMap((digit) => powers.map((power) => digit * 10 ** power))
    .filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
  const ticks = round.map((value) => [value, tickText(value)] as const);
  return {
    ends: [low, high],
    ticks: ticks.length < 3 ? axisBetween(low, high).ticks : ticks,
    isLogarithmic: true,
  };
};

/** Makes an axis of named rows from top to bottom. The middle of row i is at i + 0.5. */
export const rowAxis = (names: readonly string[]): Axis => ({
  ends: [names.length, 0],
  ticks: names.map((name, i) => [i + 0.5, name]),
  hasRows: true,
});

/**
 * Returns functions that convert values on an axis to pixels, and the ticks whose texts are at least `distance` pixels
 * apart.
 */
const placed = ({ ends, isLogarithmic, ticks }: Axis, [start, end]: Point, distance: number) => {
  const linear = (value: number): number => (isLogarithmic === true ? Math.log(value) : value);
  const [from, to] = [linear(ends[0]), linear(ends[1])];
  const shareOf = (value: number): number => (linear(value) - from) / (to - from);
  const place = (value: number): number =>
    start + Math.max(0, Math.min(1, shareOf(value))) * (end - start);
  const shown: Tick[] = [];
  for (const tick of ticks) {
    const isInside = Math.abs(shareOf(tick[0]) - 0.5) < 0.5 + 1e-9;
    const isClear = shown.every(([other]) => Math.abs(place(other) - place(tick[0])) >= distance);
    if (isInside && isClear) shown.push(tick);
  }
  return { at: (value: number): string => place(value).toFixed(1), place, shown };
};

/** Returns the width in pixels of a text with a margin before and after the text. */
const widthOf = (text: string): number => text.length * 6.8 + 16;

const roomFor = (ticks: readonly Tick[]): number =>
  Math.max(...ticks.map(([, text]) => widthOf(text)));

interface PlotOptions {
  readonly title: string;
  readonly unit: string;
  readonly aside?: string;
  readonly keys?: readonly string[];
  /** The text alternative; by default, the title and the aside. */
  readonly label?: string;
  /**
   * The size of the drawing in pixels. A page is about 1040 pixels wide. A wide drawing has a second version for narrow
   * screens.
   */
  readonly size: readonly [width: number, height: number];
  readonly x: Axis;
  readonly y: Axis;
}

/** A drawing at least this wide (in pixels) gets a second version for telephones, which is `narrow` pixels wide. */
const widest = 1000;
const narrow = 370;
/** The height in pixels of a name above its row. */
const nameHeight = 18;

/** Whether the names of rows are above the rows. Names beside the rows would take too much of a narrow drawing. */
const hasNamesAbove = ({ size: [width], y }: PlotOptions): boolean =>
  width === narrow && y.hasRows === true && roomFor(y.ticks) > narrow / 3;

/**
 * Returns a function that converts a position on an axis of rows to pixels. The uppermost `nameHeight` pixels of each
 * row are reserved for the row's name.
 */
const placeBelowName =
  (rows: number, [bottom, top]: Point) =>
  (value: number): number => {
    const height = (bottom - top) / rows;
    const row = Math.max(0, Math.min(rows - 1, Math.floor(value)));
    return top + row * height + nameHeight + (value - row) * (height - nameHeight);
  };

/**
 * Returns the drawn axes, and functions that draw marks at values. The parameter `look` of these functions lists CSS
 * classes.
 */
const penOf = (options: PlotOptions) => {
  const {
    size: [width, height],
    x,
    y,
  } = options;
  const isBelowNames = hasNamesAbove(options);
  const bottom = height - (x.label === undefined ? 34 : 42);
  const beside = isBelowNames ? 26 : Math.max(54, Math.round(roomFor(y.ticks)));
  const [left, right, top] = [beside, width - 14, 12];
  // The text of the last tick ends at the tick, so it begins closer to the text before it. On a narrow drawing, ticks
  // are therefore farther apart.
  const across = placed(x, [left, right], width === narrow ? 64 : 46);
  const evenly = placed(y, [bottom, top], 18);
  const below = placeBelowName(y.ends[0], [bottom, top]);
  const upwards = isBelowNames
    ? { ...evenly, at: (value: number): string => below(value).toFixed(1) }
    : evenly;
  const nameOf = ([value, text]: Tick): Markup =>
    isBelowNames
      ? markup`<text x="0" y="${upwards.at(Math.floor(value))}" dy="-0.4em">${text}</text>`
      : markup`<text x="${left - 8}" y="${upwards.at(value)}" dy="0.32em" text-anchor="end">${text}</text>`;
  const at = ([a, b]: Point): string => `${across.at(a)} ${upwards.at(b)}`;
  const anchorAt = (value: number): string => (across.place(value) > width - 24 ? 'end' : 'middle');
  const axes = markup`${upwards.shown.map(
    (tick) =>
      markup`<path class="grid" d="M${left} ${upwards.at(tick[0])}H${right}" />${nameOf(tick)}`,
  )}${across.shown.map(
    ([value, text]) => markup`<path class="grid" d="M${across.at(value)} ${top}V${bottom}" />
      <text x="${across.at(value)}" y="${bottom + 20}" text-anchor="${anchorAt(value)}">${text}</text>`,
  )}<text x="${right}" y="${height - 4}" text-anchor="end">${x.label ?? null}</text>`;
  return {
    axes,
    x: across.at,
    /** Returns the position in pixels from the left. */
    place: across.place,
    y: upwards.at,
    width: right - left,
    height: bottom - top,
    path: (look: string, points: readonly Point[], end: 'Z' | '' = ''): Markup | null =>
      points.length === 0
        ? null
        : markup`<path class="${look}" d="M${points.map(at).join('L')}${end}" />`,
    dot: (look: string, [a, b]: Point, title = '', radius = 3.5): Markup =>
      markup`<circle class="${look}" cx="${across.at(a)}" cy="${upwards.at(b)}" r="${radius}">${title === '' ? null : markup`<title>${title}</title>`}</circle>`,
    /** Draws many small dots as one element, since a page with thousands of elements opens slowly. */
    dots: (look: string, points: readonly Point[]): Markup | null =>
      points.length === 0
        ? null
        : markup`<path class="dots ${look}" d="${points.map((point) => `M${at(point)}h0`).join('')}" />`,
    /** Draws a dashed vertical line with a text at the upper end, on the right or, if there is no room, on the left. */
    upright: (look: string, value: number, text = '', isLeft = false): Markup => {
      const hasRoom = across.place(value) + widthOf(text) < width;
      const [anchor, dx] = isLeft || !hasRoom ? ['end', -6] : ['start', 6];
      return markup`<g class="${look}"><path class="thin" d="M${across.at(value)} 0V${bottom}" />
        <text x="${across.at(value)}" y="10" dx="${dx}" text-anchor="${anchor}">${text}</text></g>`;
    },
  };
};
export type Pen = ReturnType<typeof penOf>;

export const plotFigure = (
  options: PlotOptions,
  marks: (pen: Pen) => readonly (Markup | null)[],
): Markup => {
  const { title, unit, aside = null, keys = [], size } = options;
  const { label = `${title}: ${aside}` } = options;
  const [width, height] = size;
  const drawing = (look: string, each: PlotOptions): Markup => {
    const pen = penOf(each);
    return markup`<svg${look === '' ? null : markup` class="${look}"`} viewBox="0 0 ${each.size.join(' ')}" role="img" aria-label="${label}">${pen.axes}${marks(pen)}</svg>`;
  };
  const small = { ...options, size: [narrow, height] as const };
  const ofNames = hasNamesAbove(small) ? nameHeight * options.y.ticks.length : 0;
  const drawings =
    width < widest
      ? drawing('', options)
      : markup`${drawing('wide', options)}${drawing('narrow', { ...small, size: [narrow, height + ofNames] })}`;
  return markup`<figure>
  <figcaption><b>${title}</b> <span class="unit">${unit}</span>${keys.map((key) => markup`<span class="key dot ${key}">${key}</span>`)}
    ${aside === null ? null : markup`<p class="aside">${aside}</p>`}</figcaption>
  <div class="scroll" role="group" aria-label="${title}" tabindex="0">${drawings}</div>
</figure>`;
};
