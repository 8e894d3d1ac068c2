import { styleText } from 'node:util';
import { wrappedLines } from '../text/display-width.ts';
import { type Tone, tones } from './document.ts';

/** The terminal that the report is written for. */
export interface TerminalStyle {
  readonly colour: boolean;
  /** Columns of the screen; at least 60 are used. */
  readonly width: number;
}

/** `paint` returns the text unchanged if colour is off. */
export interface TerminalLayout {
  readonly width: number;
  readonly paint: (tone: Tone, text: string) => string;
}

export const terminalLayout = ({ colour, width }: TerminalStyle): TerminalLayout => ({
  width: Math.max(60, width),
  paint: (tone, text) =>
    !colour || tone === 'plain' || text === ''
      ? text
      : styleText(tones[tone].style, text, { validateStream: false }),
});

/** A paragraph, wrapped and indented. */
export const paragraph = (
  { width, paint }: TerminalLayout,
  text: string,
  { indent = 2, tone = 'plain' }: { readonly indent?: number; readonly tone?: Tone } = {},
): readonly string[] =>
  wrappedLines(text, width - indent).map((line) => ' '.repeat(indent) + paint(tone, line));
