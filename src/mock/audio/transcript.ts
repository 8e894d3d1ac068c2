import type { Draw } from '../../model/workload/draw.ts';
import { commonWords } from '../chat/tokens.ts';
import type { z } from 'zod';
import type { transcriptionFieldsSchema } from '../../contract/audio.ts';

/** Spoken text with its start and end, in whole milliseconds from the start of the audio. */
interface TimedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Transcript {
  readonly language: string;
  readonly seconds: number;
  readonly segments: readonly Segment[];
}

const wordsPerSecond = 2.5;
const sentenceLength = { min: 5, max: 14 };

/** Draws sentences with as many words as a person speaks in `seconds`. */
export const randomTranscriptText = (draw: Draw, seconds: number): string => {
  const whole = (choices: number): number => Math.floor(draw.uniform() * choices);
  const sentences: string[] = [];
  let left = Math.max(1, Math.round(seconds * wordsPerSecond));
  while (left > 0) {
    const { min, max } = sentenceLength;
    const count = Math.min(left, min + whole(max - min + 1));
    left -= count;
    const words = Array.from({ length: count }, () => commonWords[whole(commonWords.length)]);
    const sentence = words.join(' ');
    sentences.push(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`);
  }
  return sentences.join(' ');
};

/** Divides the time from 0 to `end` among the words of a text, in proportion to their lengths. */
const timeWords = (text: string, end: number): readonly TimedText[] => {
  const words = text.split(/\s+/).filter((word) => word !== '');
  // The additional character stands for the pause after the word.
  const weight = (word: string): number => word.length + 1;
  const total = words.reduce((sum, word) => sum + weight(word), 0);
  let before = 0;
  return words.map((word) => {
    const start = Math.floor((before / total) * end);
    before += weight(word);
    return { text: word, start, end: Math.floor((before / total) * end) };
  });
};

const segmentOf = (words: readonly TimedText[]) => ({
  text: words.map(({ text }) => text).join(' '),
  start: words[0]?.start ?? 0,
  end: words.at(-1)?.end ?? 0,
  words,
});

type Segment = ReturnType<typeof segmentOf>;

export const segmentsOf = (text: string, seconds: number): readonly Segment[] => {
  const sentences: TimedText[][] = [];
  let isOpen = false;
  for (const word of timeWords(text, Math.floor(seconds * 1000))) {
    if (isOpen) sentences.at(-1)!.push(word);
    else sentences.push([word]);
    isOpen = !/[.!?]$/.test(word.text);
  }
  return sentences.map(segmentOf);
};

type Fields = z.output<typeof transcriptionFieldsSchema>;
type MockTranscriptFormat = NonNullable<Fields['response_format']>;
/** The requested timestamp granularities; `null` if the request names none. */
type Granularities = readonly ('word' | 'segment')[] | null;

const textOf = ({ segments }: Transcript): string => segments.map(({ text }) => text).join(' ');

const secondsOf = ({ start, end }: TimedText) => ({ start: start / 1000, end: end / 1000 });

/** Returns a segment in the default format (interface 2.7). */
const briefSegment = (segment: Segment) => ({ ...secondsOf(segment), text: segment.text });

/** Returns a segment with the additional fields of the OpenAI API. The values describe a perfectly clear voice. */
const verboseSegment = (segment: Segment, id: number) => ({
  id,
  seek: 0,
  ...briefSegment(segment),
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
});

const timedWord = (word: TimedText) => ({ word: word.text, ...secondsOf(word) });

/**
 * Builds a `verbose_json` answer in the form of the OpenAI API. The answer has segments unless only words are
 * requested.
 */
const verboseTranscript = (transcript: Transcript, granularities: Granularities) => {
  const { language, seconds, segments } = transcript;
  const requested = granularities ?? ['segment'];
  const words = segments.flatMap((segment) => segment.words);
  return {
    task: 'transcribe',
    language,
    duration: seconds,
    text: textOf(transcript),
    ...(requested.includes('segment') ? { segments: segments.map(verboseSegment) } : {}),
    ...(requested.includes('word') ? { words: words.map(timedWord) } : {}),
  };
};

/** Formats milliseconds as `HH:MM:SS`, the separator, and three digits. */
const timestamp = (milliseconds: number, separator: string): string => {
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
};

const subtitleCue = ({ start, end, text }: Segment, separator: string): string =>
  `${timestamp(start, separator)} --> ${timestamp(end, separator)}\n${text}\n\n`;

type Writer = (transcript: Transcript, granularities: Granularities) => string;

export const transcriptWriters: Readonly<Record<MockTranscriptFormat, Writer>> = {
  json: (transcript) =>
    JSON.stringify({
      text: textOf(transcript),
      language: transcript.language,
      duration: transcript.seconds,
      segments: transcript.segments.map(briefSegment),
    }),
  text: (transcript) => `${textOf(transcript)}\n`,
  srt: ({ segments }) =>
    segments.map((segment, index) => `${index + 1}\n${subtitleCue(segment, ',')}`).join(''),
  vtt: ({ segments }) =>
    `WEBVTT\n\n${segments.map((segment) => subtitleCue(segment, '.')).join('')}`,
  verbose_json: (transcript, granularities) =>
    JSON.stringify(verboseTranscript(transcript, granularities)),
};

export const contentTypeOf = (format: MockTranscriptFormat): string =>
  format.endsWith('json') ? 'application/json' : 'text/plain; charset=utf-8';
