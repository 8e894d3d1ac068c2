import type { z } from 'zod';
import type { transcriptionFieldsSchema } from '../../contract/audio.ts';
import type { Segment, TimedText, Transcript } from './transcript.ts';

type Fields = z.output<typeof transcriptionFieldsSchema>;
export type MockTranscriptFormat = NonNullable<Fields['response_format']>;
/** `null` if the request names none. */
export type Granularities = readonly ('word' | 'segment')[] | null;

const textOf = ({ segments }: Transcript): string => segments.map(({ text }) => text).join(' ');

const secondsOf = ({ start, end }: TimedText) => ({ start: start / 1000, end: end / 1000 });

/** A segment of the default format (interface 2.7). */
const briefSegment = (segment: Segment) => ({ ...secondsOf(segment), text: segment.text });

/** A segment with the fields that the OpenAI API adds, for a perfectly clear voice. */
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

/** `verbose_json` as the OpenAI API writes it: segments unless only words are requested (interface 4.4 shows no shape). */
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

/** Milliseconds as `HH:MM:SS`, the separator, and three digits. */
const timestamp = (milliseconds: number, separator: string): string => {
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
};

const subtitleCue = ({ start, end, text }: Segment, separator: string): string =>
  `${timestamp(start, separator)} --> ${timestamp(end, separator)}\n${text}\n\n`;

type Writer = (transcript: Transcript, granularities: Granularities) => string;

/** How each response format writes a transcript. */
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
