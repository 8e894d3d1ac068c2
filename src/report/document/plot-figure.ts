import { markup, type Markup } from '../text/markup.ts';

/** A coordinate in a drawing. */
export const coordinate = (value: number): string => value.toFixed(1);

type Range = readonly [from: number, to: number];

/** A scale from values to pixels. */
export const linearScale =
  ([low, high]: Range, [start, end]: Range) =>
  (value: number): number =>
    start + ((value - low) / (high - low)) * (end - start);

interface Caption {
  readonly title: string;
  readonly unit: string;
  readonly aside: string;
  /** The text alternative; title and aside by default. */
  readonly label?: string;
}

/** A drawing with its caption, which scrolls sideways on a narrow screen. */
export const plotFigure = (
  { title, unit, aside, label = `${title}: ${aside}` }: Caption,
  { width, height }: { readonly width: number; readonly height: number },
  body: Markup | readonly Markup[],
): Markup => markup`<figure class="plot">
  <figcaption><b>${title}</b> <span class="unit">${unit}</span><p class="aside">${aside}</p></figcaption>
  <div class="scroll" role="group" aria-label="${title}" tabindex="0"><svg class="forest capacity" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${body}</svg></div>
</figure>`;
