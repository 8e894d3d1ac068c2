import { transcriptionResponseSchema } from '../../../contract/audio.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Answers,
  type Check,
  checksOf,
  type CheckTarget,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { field, fieldChecks, valueAt } from '../reading/judge-answer.ts';
import {
  type Cue,
  type CuesReading,
  judgeWords,
  plainText,
  readSrtCues,
  readVttCues,
  wrongTimes,
} from '../reading/transcripts.ts';
import { namedLanguage, transcriptId, transcriptionCases } from './transcription-cases.ts';

/**
 * This file checks speech-to-text. The checks parse all five formats, and compare the formats with each other
 * (interface, sections 2.7 and 4.4).
 */

const { checkOf, checkAcross } = checksOf('transcription');

const readers = { srt: readSrtCues, vtt: readVttCues } as const;
type CueFormat = keyof typeof readers;

const cuesOf = (answer: CheckAnswer, format: CueFormat): CuesReading =>
  readers[format](plainText(answer).text);

const segmentsOf = (answer: CheckAnswer): readonly Cue[] => {
  const parsed = transcriptionResponseSchema.safeParse(answer.json);
  return parsed.success ? (parsed.data.segments ?? []) : [];
};

const joined = (cues: readonly Cue[]): string => cues.map(({ text }) => text).join(' ');

/** Returns the words of a transcript in any format; `null` if the transcript cannot be read. */
const wordsOf = (answers: Answers, format: string): string | null => {
  const answer = answers.of(transcriptId(format))!;
  if (format === 'srt' || format === 'vtt') {
    const reading = cuesOf(answer, format);
    return reading.ok ? joined(reading.cues) : null;
  }
  if (format === 'text') return plainText(answer).text;
  const text = valueAt(answer.json, 'text');
  return typeof text === 'string' ? text : null;
};

const judgeTimes = (cues: readonly Cue[], seconds: number | null): Judged => {
  if (cues.length === 0) return unchecked('there are no segments');
  const wrong = wrongTimes(cues, seconds);
  if (wrong === null) return pass(`${cues.length} in order`);
  return wrong.isGrave ? violation(wrong.problem) : deviation('loose-times', wrong.problem);
};

const jsonId = transcriptId('json');
const fieldRows = fieldChecks('transcription', jsonId, {
  text: ['2.7.text', 'text', field.string],
  language: ['2.7.language', 'language', field.string],
  duration: ['2.7.duration', 'duration', field.number],
  segments: ['2.7.segments', 'segments', field.array],
  start: ['2.7.segments', 'segments.*.start', field.number],
  end: ['2.7.segments', 'segments.*.end', field.number],
  'segment-text': ['2.7.segments', 'segments.*.text', field.string],
});

const judgeDuration = (answer: CheckAnswer, { clip: { seconds } }: CheckTarget): Judged => {
  const duration = valueAt(answer.json, 'duration');
  if (typeof duration !== 'number' || seconds === null) return unchecked('there is no duration');
  const observed = `${duration} s for a recording of ${seconds.toFixed(2)} s`;
  const error = Math.abs(duration - seconds);
  if (error <= Math.max(0.3, seconds / 50)) return pass(observed);
  const isRounded = Number.isInteger(duration) && error < 1;
  return isRounded ? deviation('loose-times', observed) : violation(observed);
};

const plainChecks = (['text', 'srt', 'vtt'] as const).map((format) =>
  checkOf(
    `${transcriptId(format)}.plain`,
    ['2.7.plain'],
    `the body is plain text${format === 'text' ? '' : ` in ${format}`}`,
    (answer): Judged => {
      const { text, isWrapped } = plainText(answer);
      const reading = format === 'text' ? null : readers[format](text);
      if (text.trim() === '') return violation('the body is empty');
      if (reading?.ok === false) return violation(`no ${format}: ${reading.problem}`);
      if (reading?.cues.length === 0) return violation(`no ${format}: there is no caption`);
      if (format === 'text' && (text.includes('-->') || /^\s*[[{]/.test(text)))
        return violation('the body is no plain text');
      return isWrapped
        ? deviation('wrapped-transcript', `the ${format} is wrapped in JSON`)
        : pass('plain');
    },
  ),
);

const cueChecks = (['srt', 'vtt'] as const).map((format) =>
  checkOf(
    `${transcriptId(format)}.times`,
    ['2.7.plain', '2.7.segments'],
    'the captions are in order and within the recording',
    (answer, { clip: { seconds } }) => {
      const reading = cuesOf(answer, format);
      return reading.ok ? judgeTimes(reading.cues, seconds) : unchecked(reading.problem);
    },
  ),
);

const compared = ['text', 'srt', 'vtt', 'verbose'].map((format) =>
  checkAcross(
    `${transcriptId(format)}.same-words`,
    ['2.7.text', '4.4.response_format'],
    `${format} has the words of the default format`,
    (answers) => {
      const [expected, found] = [wordsOf(answers, 'json'), wordsOf(answers, format)];
      if (expected === null || found === null) return unchecked('a transcript cannot be read');
      return judgeWords(expected, found, 'the default format');
    },
    { needs: [jsonId, transcriptId(format)] },
  ),
);

const sameTimes = (format: CueFormat): Check =>
  checkAcross(
    `${transcriptId(format)}.same-times`,
    ['2.7.segments', '2.7.plain'],
    `${format} has the times of the segments`,
    (answers) => {
      const segments = segmentsOf(answers.of(jsonId)!);
      const reading = cuesOf(answers.of(transcriptId(format))!, format);
      if (!reading.ok || segments.length === 0)
        return unchecked('there are no segments to compare');
      const { cues } = reading;
      const apart = cues.findIndex(
        ({ start, end }, index) =>
          Math.abs(start - (segments[index]?.start ?? Infinity)) > 0.05 ||
          Math.abs(end - (segments[index]?.end ?? Infinity)) > 0.05,
      );
      if (cues.length === segments.length && apart < 0) return pass(`${cues.length} alike`);
      const observed =
        cues.length === segments.length
          ? `caption ${apart + 1} has other times than its segment`
          : `${cues.length} captions, ${segments.length} segments`;
      return deviation('other-segments', observed);
    },
    { needs: [jsonId, transcriptId(format)] },
  );

export const transcriptionChecks: readonly Check[] = [
  ...transcriptionCases.map(({ check }) => check),
  ...fieldRows,
  checkOf(`${jsonId}.length`, ['2.7.duration'], 'duration is that of the recording', judgeDuration),
  checkOf(
    `${jsonId}.times`,
    ['2.7.segments'],
    'the segments are in order and within the recording',
    (answer, { clip: { seconds } }) => judgeTimes(segmentsOf(answer), seconds),
  ),
  checkOf(
    `${jsonId}.whole`,
    ['2.7.text', '2.7.segments'],
    'the texts of the segments are the transcript',
    (answer) => {
      const text = valueAt(answer.json, 'text');
      const segments = segmentsOf(answer);
      if (typeof text !== 'string' || segments.length === 0)
        return unchecked('there are no segments');
      return judgeWords(text, joined(segments), 'the text');
    },
  ),
  checkOf(
    `${jsonId}.words`,
    ['2.7.text'],
    'the transcript has the words of the recording',
    (answer, { clip: { text: said } }) => {
      const text = valueAt(answer.json, 'text');
      if (said === null || typeof text !== 'string') return unchecked('there is no text');
      const judged = judgeWords(said, text, 'what is said');
      // The interface does not say how well a model recognises speech. So a poor transcript is no violation.
      return judged.outcome === 'pass' ? judged : open(judged.observed);
    },
  ),
  checkOf(
    `${namedLanguage.upload}.language`,
    ['2.7.language', '4.4.language'],
    `language is ${namedLanguage.code}, which the request names`,
    (answer) => {
      const language = valueAt(answer.json, 'language');
      if (typeof language !== 'string') return unchecked('there is no language');
      const [code] = language.toLowerCase().split('-');
      return code === namedLanguage.code
        ? pass(language)
        : deviation('other-language', `language is ${answer.quote(language)}`);
    },
  ),
  checkOf(
    'transcription-verbose.parts',
    ['2.7.verbose', '4.4.granularities'],
    'what verbose_json adds is noted',
    (answer) => {
      const parts = ['segments', 'words'].map((name) => {
        const value = valueAt(answer.json, name);
        return `${name}: ${Array.isArray(value) ? value.length : 'none'}`;
      });
      return valueAt(answer.json, 'text') === undefined
        ? violation('there is no text')
        : open(parts.join(', '));
    },
  ),
  ...plainChecks,
  ...cueChecks,
  ...compared,
  sameTimes('srt'),
  sameTimes('vtt'),
];
