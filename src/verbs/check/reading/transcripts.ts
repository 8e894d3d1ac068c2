import { transcriptionResponseSchema } from '../../../contract/audio.ts';
import { jsonIn } from '../../../traffic/answer/json-text.ts';
import type { CheckAnswer } from './check-answer.ts';
import { wordErrors } from '../../../traffic/kinds/word-errors.ts';
import { deviation, type Judged, pass, unchecked, violation } from './check-case.ts';

/** Returns the text in a document: the text of a transcription, or the value of the document's only field. */
const wrappedText = (json: unknown): string | null => {
  if (typeof json === 'string') return json;
  const parsed = transcriptionResponseSchema.safeParse(json);
  if (parsed.success) return parsed.data.text;
  const values: readonly unknown[] =
    typeof json === 'object' && json !== null ? Object.values(json) : [];
  const [value, ...others] = values;
  return typeof value === 'string' && others.length === 0 ? value : null;
};

/** Returns the text of a plain-text body, unwrapped if a server wrapped it in JSON. */
export const plainText = (
  answer: CheckAnswer,
): { readonly text: string; readonly isWrapped: boolean } => {
  const json = /^\s*[{"]/.test(answer.text) ? jsonIn(answer.text) : undefined;
  const text = wrappedText(json);
  return text === null ? { text: answer.text, isWrapped: false } : { text, isWrapped: true };
};

const wordsIn = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}'’]+/gu)
    ?.join(' ') ?? '';

/**
 * The maximum length of the texts that are compared, in characters. A comparison takes a time proportional to the
 * product of both lengths, and the texts of the short recordings are far below this maximum.
 */
const longest = 20_000;

/** Judges a transcript. A few different words may be chance. Another text, or a missing end, is wrong. */
export const judgeWords = (expected: string, found: string, what: string): Judged => {
  if (expected.length > longest)
    return unchecked(`${what} has ${expected.length} characters, too many for the recording`);
  const errors = wordErrors(expected, found);
  if (errors === null || errors.expected === 0) return unchecked('there are no words to compare');
  const share = errors.wrong / errors.expected;
  const observed = `${errors.wrong} of ${errors.expected} words differ from ${what}`;
  if (errors.wrong > 0 && wordsIn(expected).startsWith(`${wordsIn(found)} `))
    return deviation(
      'cut-words',
      `the last ${errors.wrong} of ${errors.expected} words of ${what} are missing`,
    );
  if (share <= 0.1) return pass(observed);
  return share > 0.6 ? violation(observed) : deviation('other-words', observed);
};

/** A caption with its times. Captions are read strictly, since every mistake in them is a finding. */

export interface Cue {
  /** The start of the caption, in seconds. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type CuesReading =
  | { readonly ok: true; readonly cues: readonly Cue[] }
  | { readonly ok: false; readonly problem: string };

const srtTiming = /^(\d{2,}):(\d{2}):(\d{2}),(\d{3}) --> (\d{2,}):(\d{2}):(\d{2}),(\d{3})$/;
const vttTiming =
  /^(?:(\d{2,}):)?(\d{2}):(\d{2})\.(\d{3})[ \t]+-->[ \t]+(?:(\d{2,}):)?(\d{2}):(\d{2})\.(\d{3})(?:\s.*)?$/;

const secondsOf = (parts: readonly (string | undefined)[]): number => {
  const [hours, minutes, seconds, thousandths] = parts.map((part) => Number(part ?? 0));
  return hours! * 3600 + minutes! * 60 + seconds! + thousandths! / 1000;
};

const cueOf = (timing: RegExpExecArray, lines: readonly string[]): Cue => ({
  start: secondsOf(timing.slice(1, 5)),
  end: secondsOf(timing.slice(5, 9)),
  text: lines.join(' ').trim(),
});

const blocksOf = (text: string): readonly (readonly string[])[] =>
  text
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map((block) => block.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0);

const hasTiming = (lines: readonly string[]): boolean => lines.some((line) => line.includes('-->'));

/** Reads a SubRip text: blocks of a number, a timing and a text, separated by blank lines. */
export const readSrtCues = (text: string): CuesReading => {
  const cues: Cue[] = [];
  for (const [index, [number = '', timing = '', ...lines]] of blocksOf(text).entries()) {
    const place = `block ${index + 1}`;
    if (number.trim() !== String(index + 1))
      return { ok: false, problem: `${place} does not begin with its number` };
    const found = srtTiming.exec(timing.trim());
    if (found === null) return { ok: false, problem: `${place} has no timing of SubRip` };
    if (hasTiming(lines)) return { ok: false, problem: `no blank line ends ${place}` };
    cues.push(cueOf(found, lines));
  }
  return { ok: true, cues };
};

/** Reads a WebVTT text: its header, comments, and blocks of a timing and a text. A block may have a name. */
export const readVttCues = (text: string): CuesReading => {
  const [header, ...blocks] = blocksOf(text);
  if (!/^WEBVTT([ \t]|$)/.test(header?.[0] ?? ''))
    return { ok: false, problem: 'it does not begin with WEBVTT' };
  if (hasTiming(header ?? [])) return { ok: false, problem: 'no blank line follows WEBVTT' };
  const cues: Cue[] = [];
  for (const [index, lines] of blocks.entries()) {
    if (/^(NOTE|STYLE|REGION)\b/.test(lines[0] ?? '')) continue;
    const at = lines.findIndex((line) => line.includes('-->'));
    const found = vttTiming.exec(lines[at]?.trim() ?? '');
    const place = `block ${index + 1}`;
    if (found === null || at > 1) return { ok: false, problem: `${place} has no timing of WebVTT` };
    const words = lines.slice(at + 1);
    if (hasTiming(words)) return { ok: false, problem: `no blank line ends ${place}` };
    cues.push(cueOf(found, words));
  }
  return { ok: true, cues };
};

/**
 * The tolerances for times, in s. Whisper rounds the times of its segments (`slack`), and its last segment may end a
 * second or two after the recording (`farOver`).
 */
const slack = 0.05;
const farOver = 2;

/**
 * Returns what is wrong with the times of segments or captions in a recording that lasts `seconds`; `null` if nothing
 * is wrong.
 */
export const wrongTimes = (
  cues: readonly Pick<Cue, 'start' | 'end'>[],
  seconds: number | null,
): { readonly isGrave: boolean; readonly problem: string } | null => {
  let begin = 0;
  let end = 0;
  let minor: string | null = null;
  for (const [index, cue] of cues.entries()) {
    const place = `segment ${index + 1}`;
    const grave =
      cue.start < 0
        ? 'begins before the recording'
        : cue.end < cue.start
          ? 'ends before it begins'
          : cue.start < begin - slack
            ? 'begins before the one before it'
            : seconds !== null && cue.end > seconds + farOver
              ? `ends at ${cue.end.toFixed(2)} s, after the ${seconds.toFixed(2)} s of the recording`
              : null;
    if (grave !== null) return { isGrave: true, problem: `${place} ${grave}` };
    if (cue.start < end - slack) minor ??= `${place} begins before the end of the one before it`;
    if (seconds !== null && cue.end > seconds + slack)
      minor ??= `${place} ends ${(cue.end - seconds).toFixed(2)} s after the recording`;
    begin = cue.start;
    end = cue.end;
  }
  return minor === null ? null : { isGrave: false, problem: minor };
};
