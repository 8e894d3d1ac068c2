import { transcriptionFieldsSchema, uploadExtensions } from '../../contract/audio.ts';
import { transcriptionCost } from '../../contract/prices.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { RequestRefusal } from '../errors/mock-errors.ts';
import { answerAt, type AdmittedRequest, type Handler } from '../http/mock-exchange.ts';
import { invalidParameters, unservedField, readUpload, type Upload } from '../http/request-body.ts';
import { checkModel } from '../http/model-list.ts';
import type { Settings } from '../settings/settings.ts';
import { probeAudio, type ProbedAudio, knownClip } from './audio-probe.ts';
import {
  randomTranscriptText,
  segmentsOf,
  contentTypeOf,
  transcriptWriters,
} from './transcript.ts';

const extensions: readonly string[] = uploadExtensions;

const extensionOf = (name: string): string =>
  name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';

/** Returns the values of a form by name. A name that ends in `[]` or occurs several times has a list of values. */
const valuesOf = ({ fields }: Upload): Record<string, unknown> =>
  Object.fromEntries(
    [...fields].map(([name, values]) => {
      const isList = name.endsWith('[]') || values.length > 1;
      return [name, isList ? values : values[0]];
    }),
  );

/**
 * The fields of the OpenAI API that are refused because they would change the answer. A field is accepted only with one
 * of the listed values, which change nothing.
 */
const unservedFields: Readonly<Record<string, readonly unknown[]>> = {
  stream: ['false', ''],
  'include[]': [],
};

/** Reads a transcription form; throws a `RequestRefusal` for an invalid form. The audio is decoded later. */
const parseTranscription = (upload: Upload, settings: Settings) => {
  const values = valuesOf(upload);
  for (const [field, harmless] of Object.entries(unservedFields)) {
    const value = values[field];
    if (value !== undefined && !harmless.includes(value)) throw unservedField(field);
  }
  const parsed = transcriptionFieldsSchema.safeParse(values);
  if (!parsed.success) throw invalidParameters(parsed.error);
  const { model, language, response_format: format } = parsed.data;
  checkModel(model, [settings.transcription.model], settings);
  const { file } = upload;
  if (file === null) {
    const message = 'Invalid file: expected a part named "file" with a file name.';
    throw new RequestRefusal('invalid-parameter', message);
  }
  if (!extensions.includes(extensionOf(file.name))) {
    const message = `The format of ${JSON.stringify(file.name)} is not supported; expected a file name with one of the extensions ${extensions.join(', ')}.`;
    throw new RequestRefusal('unsupported-format', message);
  }
  return {
    file,
    language: language === '' ? null : (language ?? null),
    format: format ?? 'json',
    granularities: parsed.data['timestamp_granularities[]'] ?? null,
  };
};

/**
 * Returns the text of a bundled clip. For any other clip, draws a text that takes as long to speak as the clip lasts.
 * The clip's content and the seed determine this text.
 */
const transcriptTextOf = async ({ digest, seconds }: ProbedAudio, seed: number) => {
  const knownText = await knownClip(digest.toString('hex'));
  if (knownText !== null) return knownText;
  const draw = drawFrom(seed, ...new Uint32Array(digest.buffer, digest.byteOffset, 4));
  return { text: randomTranscriptText(draw, seconds), language: 'en' };
};

const transcribe = async (request: ReturnType<typeof parseTranscription>, seed: number) => {
  const probed = await probeAudio(request.file);
  const { seconds } = probed;
  const { text, language } = await transcriptTextOf(probed, seed);
  const segments = segmentsOf(text, seconds);
  const transcript = { language: request.language ?? language, seconds, segments };
  const reply = transcriptWriters[request.format](transcript, request.granularities);
  return { seconds, contentType: contentTypeOf(request.format), text: reply };
};

const answer = async (admitted: AdmittedRequest, upload: Upload): Promise<void> => {
  const { exchange, settings, clock, bill } = admitted;
  const begin = clock.now();
  const reply = await transcribe(parseTranscription(upload, settings), settings.seed);
  if (!exchange.isOpen) return;
  const { base, perSecond } = settings.transcription;
  answerAt(admitted, begin + base + reply.seconds * perSecond, () => {
    const audioMilliseconds = Math.round(reply.seconds * 1000);
    exchange.counters.billed.audioMilliseconds += audioMilliseconds;
    const micros = transcriptionCost(reply.seconds);
    bill({ kind: 'transcription', quantities: { audioMilliseconds }, micros });
    exchange.answerText('completed.transcription', 200, reply.text, {
      'content-type': reply.contentType,
    });
  });
};

/** Answers POST /audio/transcriptions (interface 4.4). */
export const answerTranscription: Handler = (admitted) => {
  const { exchange, settings } = admitted;
  const refuse = (error: unknown): void => {
    if (!(error instanceof RequestRefusal)) throw error;
    const status = error.cause === 'too-large' ? settings.uploadTooLarge : undefined;
    if (exchange.isOpen) exchange.refuse(error, status);
  };
  readUpload(exchange.request, (upload) => {
    if (upload instanceof RequestRefusal) refuse(upload);
    else if (exchange.isOpen) answer(admitted, upload).catch(refuse);
  });
};
