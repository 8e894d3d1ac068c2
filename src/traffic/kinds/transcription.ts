import { jsonIn } from '../answer/json-text.ts';
import type { AnswerNote, TranscriptionAnswer } from '../../model/observation/outcome.ts';
import { servedTranscriptSchema } from '../../contract/audio.ts';
import { routes } from '../../contract/routes.ts';
import { costOfTranscript } from '../cost-of-tokens.ts';
import type { Clip } from '../../model/workload/clip.ts';
import type { Instant } from '../../model/quantity.ts';
import type { TrafficOf, TranscriptFormat } from '../../model/workload/traffic.ts';
import { captionsIn, readSrt, readVtt } from './captions.ts';
import type { AnswerReader, ReadingContext, TrafficHandler } from '../traffic-handler.ts';
import { describeMiss, missedOutcome, prepareExpectation } from '../answer/check-expectation.ts';
import { readErrorBody, readTranscriptError } from '../answer/read-refusal.ts';
import { malformed } from '../answer/response-reader.ts';
import { describeSchemaErrors, readJsonAnswer, readWholeBody } from '../answer/whole-body.ts';
import { type EncodedForm, encodeForm, type MultipartForm } from '../request/multipart.ts';
import { wordErrors } from './word-errors.ts';

/** Handles speech to text (interface, section 4.4). */
export const transcription: TrafficHandler<'transcription'> = {
  prepare: (traffic, { draw, clips }) => {
    const clip = draw.pick(traffic.clips.flatMap((source) => clips.clipsOf(source)));
    const { contentType, body } = formFor(clip, traffic);
    if (traffic.expect !== undefined) prepareExpectation(traffic.expect);
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

const fieldsOf = (traffic: TrafficOf<'transcription'>): MultipartForm['fields'] => [
  ['model', traffic.model],
  ...(traffic.language === null ? [] : [['language', traffic.language] as const]),
  ['response_format', traffic.format],
  ...traffic.granularities.map((each) => ['timestamp_granularities[]', each] as const),
];

/** The forms that upload each clip. A form is as large as its clip, so each form is made only once. */
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

/** The text formats. For each format, `spoken` returns the spoken text; `null` if a body is not in the format. */
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

const transcriptionFormat = {
  name: 'a transcription',
  schema: servedTranscriptSchema,
  errorIn: readTranscriptError,
};

const readTranscript = (
  context: ReadingContext,
  uploaded: Clip,
  { format, granularities, expect, price }: TrafficOf<'transcription'>,
): AnswerReader => {
  const clip: PricedClip = price === undefined ? uploaded : { ...uploaded, price };
  const missOf = (text: string): string | null =>
    expect === undefined ? null : describeMiss(expect, [{ text, calls: [] }], null);
  if (format !== 'json' && format !== 'verbose_json')
    return readText(context, clip, { format, missOf });
  return readJsonAnswer(
    context,
    transcriptionFormat,
    (answer, firstByte) => {
      const notes = format === 'verbose_json' ? missingParts(answer, granularities) : [];
      return transcriptAnswer(clip, answer.text, firstByte, notes);
    },
    ({ text }) => missOf(text),
  );
};

/**
 * Returns the names of the missing parts of a `verbose_json` answer. Requested words must be present. The segments must
 * be present unless only words were requested.
 */
const missingParts = (
  { segments, words }: { readonly segments?: unknown; readonly words?: unknown },
  granularities: TrafficOf<'transcription'>['granularities'],
): readonly AnswerNote[] => {
  const asked = granularities.length === 0 ? ['segment'] : granularities;
  return [
    ...(asked.includes('segment') && !segments ? (['no-segments'] as const) : []),
    ...(asked.includes('word') && !words ? (['no-words'] as const) : []),
  ];
};

const readText = (
  context: ReadingContext,
  clip: PricedClip,
  {
    format,
    missOf,
  }: {
    readonly format: keyof typeof textFormats;
    readonly missOf: (text: string) => string | null;
  },
): AnswerReader => {
  const { name, spoken } = textFormats[format];
  return readWholeBody(context, name, (body, firstByte) => {
    const inner = unwrapBody(body, context.redact);
    if ('wrong' in inner) {
      const [what, detail] = inner.wrong;
      const issue = what === 'a JSON error' ? 'stream-error' : 'shape';
      return malformed(issue, `${what} was returned instead of ${name}: ${detail}`);
    }
    const text = spoken(inner.text);
    if (text === null) {
      const other = captionsIn(inner.text);
      const what =
        other === null ? 'the body does not look like' : `${other} were returned instead of`;
      return malformed('shape', `${what} ${name}`);
    }
    return missedOutcome(transcriptAnswer(clip, text, firstByte, inner.notes), missOf(text));
  });
};

/** The text of a transcript. If the body is not a transcript, `wrong` says what the body is instead, with a detail. */
type UnwrappedBody =
  | { readonly text: string; readonly notes: readonly AnswerNote[] }
  | { readonly wrong: readonly [what: string, detail: string] };

/**
 * Returns the text in a body. Some servers put the text into the JSON object of the default format, or send the text as
 * a JSON string, with quotes.
 */
const unwrapBody = (body: string, redact: ReadingContext['redact']): UnwrappedBody => {
  const json = /^\s*[{"]/.test(body) ? jsonIn(body) : undefined;
  if (json === undefined) return { text: body, notes: [] };
  if (typeof json === 'string') return { text: json, notes: ['wrapped'] };
  const error = readErrorBody(json, redact);
  if (error !== null) return { wrong: ['a JSON error', error.message] };
  const parsed = servedTranscriptSchema.safeParse(json);
  return parsed.success
    ? { text: parsed.data.text, notes: ['wrapped'] }
    : { wrong: ['JSON', describeSchemaErrors(parsed.error)] };
};

type PricedClip = Clip & Pick<TrafficOf<'transcription'>, 'price'>;

const transcriptAnswer = (
  { seconds, text: expected, price }: PricedClip,
  text: string,
  firstByte: Instant,
  notes: readonly AnswerNote[],
): TranscriptionAnswer => ({
  kind: 'transcription',
  firstByte,
  audioSeconds: seconds,
  words: expected === null ? null : wordErrors(expected, text),
  notes,
  cost: costOfTranscript(price, seconds),
});
