import type { Outcome, TranscriptionAnswer } from '../../model/observation/outcome.ts';
import { transcriptionResponseSchema } from '../../contract/audio.ts';
import { transcriptionCost } from '../../contract/prices.ts';
import type { Clip } from '../../model/workload/clip.ts';
import type { Instant } from '../../model/quantity.ts';
import type { TrafficOf, TranscriptFormat } from '../../model/workload/traffic.ts';
import { captionsIn, readSrt, readVtt } from './captions.ts';
import { readJsonAnswer } from '../answer/json-answer.ts';
import type { AnswerReader, ReadingContext } from '../traffic-handler.ts';
import { readErrorBody } from '../answer/read-refusal.ts';
import { malformedOutcome } from '../answer/response-reader.ts';
import { describeSchemaErrors } from '../answer/schema-errors.ts';
import { readWholeBody } from '../answer/whole-body.ts';
import { wordErrors } from './word-errors.ts';

/** A tolerated oddity of a transcript. */
type TranscriptNote = 'no-segments' | 'no-words' | 'wrapped';

/** How a transcript is requested. */
export type TranscriptOptions = Pick<TrafficOf<'transcription'>, 'format' | 'granularities'>;

/** The text formats, and how to read what is said; `null` if a body has another format. */
const textFormats = {
  text: {
    name: 'a transcript as text',
    spoken: (text) => (captionsIn(text) === null ? text : null),
  },
  srt: { name: 'a transcript as SubRip captions', spoken: readSrt },
  vtt: { name: 'a transcript as WebVTT captions', spoken: readVtt },
} as const satisfies Record<
  Exclude<TranscriptFormat, 'json' | 'verbose_json'>,
  { readonly name: string; readonly spoken: (text: string) => string | null }
>;

/** Reads one transcript of a clip, in any of the five formats. */
export const readTranscript = (
  context: ReadingContext,
  clip: Clip,
  { format, granularities }: TranscriptOptions,
): AnswerReader => {
  if (format !== 'json' && format !== 'verbose_json') return readText(context, clip, format);
  return readJsonAnswer(context, {
    name: 'a transcription',
    schema: transcriptionResponseSchema,
    answer: (answer, firstByte) => {
      const notes = format === 'verbose_json' ? missingParts(answer, granularities) : [];
      return transcriptAnswer(clip, { text: answer.text, firstByte, notes });
    },
  });
};

/** What `verbose_json` lacks: requested words, and segments unless only words were requested. */
const missingParts = (
  { segments, words }: { readonly segments?: unknown; readonly words?: unknown },
  granularities: TranscriptOptions['granularities'],
): readonly TranscriptNote[] => {
  const asked = granularities.length === 0 ? ['segment'] : granularities;
  return [
    ...(asked.includes('segment') && !segments ? (['no-segments'] as const) : []),
    ...(asked.includes('word') && !words ? (['no-words'] as const) : []),
  ];
};

const readText = (
  context: ReadingContext,
  clip: Clip,
  format: keyof typeof textFormats,
): AnswerReader => {
  const { name, spoken } = textFormats[format];
  return readWholeBody(context, {
    name,
    interpret: ({ text: body, firstByte }): Outcome => {
      const inner = unwrapBody(body, context.redact);
      if (inner.kind === 'wrong') {
        return malformedOutcome(
          'shape',
          `${inner.what} was returned instead of ${name}${inner.detail}`,
        );
      }
      const text = spoken(inner.text);
      if (text === null) {
        const other = captionsIn(inner.text);
        const what =
          other === null ? 'the body does not look like' : `${other} were returned instead of`;
        return malformedOutcome('shape', `${what} ${name}`);
      }
      const notes = inner.kind === 'wrapped' ? (['wrapped'] as const) : [];
      return { kind: 'completed', answer: transcriptAnswer(clip, { text, firstByte, notes }) };
    },
  });
};

type UnwrappedBody =
  | { readonly kind: 'plain' | 'wrapped'; readonly text: string }
  | { readonly kind: 'wrong'; readonly what: string; readonly detail: string };

/** Some servers wrap text in the JSON object of the default format, or in quotes as a JSON string. */
const unwrapBody = (body: string, redact: ReadingContext['redact']): UnwrappedBody => {
  const plain = { kind: 'plain', text: body } as const;
  if (!/^\s*[{"]/.test(body)) return plain;
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return plain;
  }
  if (typeof json === 'string') return { kind: 'wrapped', text: json };
  const error = readErrorBody(json, redact);
  if (error !== null) return { kind: 'wrong', what: 'a JSON error', detail: `: ${error.message}` };
  const parsed = transcriptionResponseSchema.safeParse(json);
  return parsed.success
    ? { kind: 'wrapped', text: parsed.data.text }
    : { kind: 'wrong', what: 'JSON', detail: `: ${describeSchemaErrors(parsed.error)}` };
};

interface ReceivedTranscript {
  readonly text: string;
  readonly firstByte: Instant;
  readonly notes: readonly TranscriptNote[];
}

const transcriptAnswer = (
  { seconds, text: expected }: Clip,
  { text, firstByte, notes }: ReceivedTranscript,
): TranscriptionAnswer => ({
  kind: 'transcription',
  firstByte,
  audioSeconds: seconds,
  words: expected === null ? null : wordErrors(expected, text),
  notes,
  cost: seconds === null ? null : transcriptionCost(seconds),
});
