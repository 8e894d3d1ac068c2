/** This file reads the texts of the cues of SubRip and WebVTT files, and ignores everything else in these files. */

const srtTiming = /^\s*\d+:\d{2}:\d{2}[,.]\d{1,3}\s+-->\s+\d+:\d{2}:\d{2}[,.]\d{1,3}/;
const vttTiming = /^\s*(\d+:)?\d{2}:\d{2}\.\d{3}\s+-->\s+(\d+:)?\d{2}:\d{2}\.\d{3}/;

const index = /^\s*\d+\s*$/;

/**
 * Returns the texts of the cues. Blank lines separate blocks. In a block, each timing line begins a new cue. If cues
 * are numbered, a cue begins at the number line before the timing line. A block without a timing line is a header or a
 * comment.
 */
const cueTexts = (text: string, timing: RegExp): readonly string[] =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\s*\n/)
    .flatMap((block) => {
      const lines = block.split('\n');
      const begins = lines.flatMap((line, at) => (timing.test(line) ? [at] : []));
      const isNumbered = index.test(lines[(begins[0] ?? 0) - 1] ?? '');
      return begins.map((at, cue) => {
        const next = begins[cue + 1];
        const hasIndex = next !== undefined && isNumbered && index.test(lines[next - 1]!);
        return lines.slice(at + 1, hasIndex ? next - 1 : next).join(' ');
      });
    });

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  lrm: '',
  rlm: '',
  quot: '"',
};

/** Removes tags (styles, voices and timestamps) and positions in braces, and decodes entities. */
const withoutMarkup = (cue: string): string =>
  cue
    .replaceAll(/<[/a-zA-Z0-9][^<>]*>|\{\\[^{}]*\}/g, '')
    .replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);

const transcriptOf = (cues: readonly string[]): string => cues.map(withoutMarkup).join(' ');

const vttHeader = /^\ufeff?WEBVTT([ \t\r\n]|$)/;

/** Returns the text of a SubRip file; `null` if the text is not a SubRip file. */
export const readSrt = (text: string): string | null => {
  if (vttHeader.test(text)) return null;
  const cues = cueTexts(text, srtTiming);
  return cues.length === 0 && text.trim() !== '' ? null : transcriptOf(cues);
};

/** Returns the text of a WebVTT file (W3C WebVTT section 4.1); `null` if the text is not a WebVTT file. */
export const readVtt = (text: string): string | null =>
  vttHeader.test(text) ? transcriptOf(cueTexts(text, vttTiming)) : null;

/** Returns the kind of captions in a text that should be a plain transcript; `null` for a plain transcript. */
export const captionsIn = (text: string): 'SubRip captions' | 'WebVTT captions' | null => {
  if (vttHeader.test(text)) return 'WebVTT captions';
  return text.trim() === '' || readSrt(text) === null ? null : 'SubRip captions';
};
