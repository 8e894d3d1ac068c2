import type { AnswerNote, Outcome, TranscriptionAnswer } from '../../model/observation/outcome.ts';
import { transcriptionResponseSchema } from '../../contract/audio.ts';
import { routes } from '../../contract/routes.ts';
import { transcriptionCost } from '../../contract/prices.ts';
import type { Clip } from '../../model/workload/clip.ts';
import type { Instant } from '../../model/quantity.ts';
import type { TrafficOf, TranscriptFormat } from '../../model/workload/traffic.ts';
import { captionsIn, readSrt, readVtt } from './captions.ts';
import type { AnswerReader, ReadingContext, TrafficHandler } from '../traffic-handler.ts';
import { jsonIn, readErrorBody } from '../answer/read-refusal.ts';
import { malformed } from '../answer/response-reader.ts';
import { describeSchemaErrors, readJsonAnswer, readWholeBody } from '../answer/whole-body.ts';
import { type EncodedForm, encodeForm } from '../request/multipart.ts';
import { wordErrors } from './word-errors.ts';

/** Speech to text (interface 4.4). */
export const transcription: TrafficHandler<'transcription'> = {
  prepare: (traffic, { draw, clips }) => {
    const clip = draw.pick(traffic.clips.flatMap((source) => clips.clipsOf(source)));
    const { contentType, body } = formFor(clip, traffic);
    return {
      request: {
        ...routes.transcription,
        headers: { 'content-type': contentType, accept: '*/*', 'accept-encoding': 'identity' },
        body,
      },
      read: (context) => readTranscript(context, clip, traffic),
    };
  },
};

const fieldsOf = ({
  model,
  language,
  format,
  granularities,
}: TrafficOf<'transcription'>): readonly (readonly [string, string])[] => [
  ['model', model],
  ...(language === null ? [] : [['language', language] as const]),
  ['response_format', format],
  ...granularities.map((each) => ['timestamp_granularities[]', each] as const),
];

/** Forms are as large as their clips, so each is made once. */
const forms = new WeakMap<Clip, Map<string, EncodedForm>>();

const formFor = (clip: Clip, traffic: TrafficOf<'transcription'>): EncodedForm => {
  const fields = fieldsOf(traffic);
  const key = JSON.stringify(fields);
  const known = forms.get(clip) ?? new Map<string, EncodedForm>();
  forms.set(clip, known);
  const form = known.get(key) ?? encodeForm({ fields, file: { field: 'file', ...clip } });
  known.set(key, form);
  return form;
};

/** How a transcript is requested. */
type TranscriptOptions = Pick<TrafficOf<'transcription'>, 'format' | 'granularities'>;

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
const readTranscript = (
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
      return transcriptAnswer(clip, answer.text, firstByte, notes);
    },
  });
};

/** What `verbose_json` lacks: requested words, and segments unless only words were requested. */
const missingParts = (
  { segments, words }: { readonly segments?: unknown; readonly words?: unknown },
  granularities: TranscriptOptions['granularities'],
): readonly AnswerNote[] => {
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
        return malformed('shape', `${inner.what} was returned instead of ${name}${inner.detail}`);
      }
      const text = spoken(inner.text);
      if (text === null) {
        const other = captionsIn(inner.text);
        const what =
          other === null ? 'the body does not look like' : `${other} were returned instead of`;
        return malformed('shape', `${what} ${name}`);
      }
      const notes = inner.kind === 'wrapped' ? (['wrapped'] as const) : [];
      return { kind: 'completed', answer: transcriptAnswer(clip, text, firstByte, notes) };
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
  const json = jsonIn(body);
  if (json === undefined) return plain;
  if (typeof json === 'string') return { kind: 'wrapped', text: json };
  const error = readErrorBody(json, redact);
  if (error !== null) return { kind: 'wrong', what: 'a JSON error', detail: `: ${error.message}` };
  const parsed = transcriptionResponseSchema.safeParse(json);
  return parsed.success
    ? { kind: 'wrapped', text: parsed.data.text }
    : { kind: 'wrong', what: 'JSON', detail: `: ${describeSchemaErrors(parsed.error)}` };
};

const transcriptAnswer = (
  { seconds, text: expected }: Clip,
  text: string,
  firstByte: Instant,
  notes: readonly AnswerNote[],
): TranscriptionAnswer => ({
  kind: 'transcription',
  firstByte,
  audioSeconds: seconds,
  words: expected === null ? null : wordErrors(expected, text),
  notes,
  cost: seconds === null ? null : transcriptionCost(seconds),
});
