import { markup, type Markup } from '../../text/markup.ts';

/** A drawing with two axes, in pixels of its own. It needs no script, so it prints. */

/** The room of the labels at the left, and of half a label at the right. */
const [left, right] = [54, 14] as const;

/** A label of an axis, by its share of the axis. */
export interface AxisTick {
  readonly at: number;
  readonly text: string;
  /** In the middle by default. */
  readonly anchor?: 'middle' | 'end';
}

interface PlotParts {
  readonly title: string;
  readonly unit: string;
  /** Classes of marks, with their names. */
  readonly keys?: readonly (readonly [mark: string, name: string])[];
  /** Describes the drawing in words. */
  readonly label: string;
  readonly said?: string;
  /** Each has a line across the drawing. */
  readonly upwards: readonly AxisTick[];
  readonly across: readonly AxisTick[];
}

/** A drawing of this size, of which `top` and `bottom` pixels are margins; places in it are shares of its axes. */
export const plotOf = (width: number, height: number, [top, bottom]: readonly [number, number]) => {
  const [plotWidth, plotHeight] = [width - left - right, height - top - bottom];
  const x = (share: number): string => (left + share * plotWidth).toFixed(1);
  const y = (share: number): string => (height - bottom - share * plotHeight).toFixed(1);
  const row = ({ at, text }: AxisTick): Markup =>
    markup`<path class="grid" d="M${left} ${y(at)}H${width - right}" />
      <text x="${left - 8}" y="${y(at)}" dy="0.32em" text-anchor="end">${text}</text>`;
  const below = ({ at, text, anchor = 'middle' }: AxisTick): Markup =>
    markup`<text x="${x(at)}" y="${height - bottom + 20}" text-anchor="${anchor}">${text}</text>`;
  const figure = (parts: PlotParts, content: Markup): Markup => {
    const { title, unit, keys = [], label, said, upwards, across } = parts;
    return markup`<figure class="plot">
    <figcaption>
      <b>${title}</b> <span class="unit">${unit}</span>
      ${keys.map(([mark, name]) => markup`<span class="key dot ${mark}">${name}</span>`)}
    </figcaption>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
      ${upwards.map(row)}${content}${across.map(below)}
    </svg>
    ${said === undefined ? null : markup`<p class="said">${said}</p>`}
  </figure>`;
  };
  return { plotWidth, plotHeight, x, y, figure };
};
