import { z } from 'zod';

/** This file describes text-to-speech (interface, section 4.3) and speech-to-text (sections 4.4 and 2.7). */

export const speechRequestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.string().min(1),
  voice: z.string().min(1),
  response_format: z.enum(['mp3', 'wav', 'opus']).nullish(),
  /** The interface names no range for the speed. */
  speed: z.number().positive().nullish(),
});

/** The content types of speech by format. The interface names none, and servers use different ones. */
export const speechContentTypes = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
} as const;

/** The file extensions of uploads (interface, section 4.4, which lists `ogg` only in its general table of formats). */
export const uploadExtensions = 'mp3 mp4 mpeg mpga m4a wav webm ogg'.split(' ');

/** The maximum size of an upload, in bytes. The interface says 25 MB, which Weir reads as 25 MiB. */
export const maxUploadBytes = 26_214_400;

/** The text fields of an upload form; the file is a separate part. A field that is sent repeatedly is an array. */
export const transcriptionFieldsSchema = z.looseObject({
  model: z.string().min(1),
  language: z.string().optional(),
  response_format: z.enum(['json', 'text', 'srt', 'vtt', 'verbose_json']).optional(),
  'timestamp_granularities[]': z.array(z.enum(['word', 'segment'])).optional(),
});

/**
 * The fields of a JSON transcript that clients rely on. A server that wraps a plain-text format in JSON sends only
 * `text`.
 */
export const transcriptionResponseSchema = z.looseObject({
  text: z.string(),
  language: z.string().nullish(),
  duration: z.number().nullish(),
  segments: z
    .array(z.looseObject({ start: z.number(), end: z.number(), text: z.string() }))
    .nullish(),
  /** The words of the transcript, only in `verbose_json`. The interface does not define their form. */
  words: z.array(z.unknown()).nullish(),
});

/** A JSON transcript as servers send it. Only its text is always present. */
export const servedTranscriptSchema = z.looseObject({
  text: z.string(),
  segments: z.unknown().optional(),
  words: z.unknown().optional(),
});
