import { transcriptionFieldsSchema, uploadExtensions } from '../../contract/audio.ts';
import { transcriptionCost } from '../../contract/prices.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { RequestRefusal } from '../errors/request-refusal.ts';
import { answerAt } from '../http/send-answer.ts';
import type { AdmittedRequest, Handler } from '../http/handler.ts';
import { invalidParameters } from '../http/request-body.ts';
import { checkModel } from '../http/model-list.ts';
import { readUpload, type Upload, type UploadedFile } from '../http/upload.ts';
import type { Settings } from '../settings/settings.ts';
import { probeAudio, type ProbedAudio } from './audio-probe.ts';
import { knownClip } from './known-clips.ts';
import { randomTranscriptText, segmentsOf } from './transcript.ts';
import {
  type Granularities,
  type MockTranscriptFormat,
  transcriptWriters,
} from './transcript-formats.ts';

/** A valid form for a transcription; its file is not decoded yet. */
interface ParsedTranscription {
  readonly file: UploadedFile;
  readonly language: string | null;
  readonly format: MockTranscriptFormat;
  readonly granularities: Granularities;
}

const extensions: readonly string[] = uploadExtensions;

const extensionOf = (name: string): string =>
  name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';

/** A name that ends in `[]` is a list, as is a repeated one. */
const valuesOf = ({ fields }: Upload): Record<string, unknown> =>
  Object.fromEntries(
    [...fields].map(([name, values]) => {
      const isList = name.endsWith('[]') || values.length > 1;
      return [name, isList ? values : values[0]];
    }),
  );

const parseTranscription = (
  upload: Upload,
  settings: Settings,
): ParsedTranscription | RequestRefusal => {
  const parsed = transcriptionFieldsSchema.safeParse(valuesOf(upload));
  if (!parsed.success) return invalidParameters(parsed.error);
  const { model, language, response_format: format } = parsed.data;
  const modelRefusal = checkModel(model, [settings.transcription.model], settings);
  if (modelRefusal !== null) return modelRefusal;
  const { file } = upload;
  if (file === null) {
    const message = 'Invalid file: expected a part named "file" with a file name.';
    return { cause: 'invalid-parameter', message };
  }
  if (!extensions.includes(extensionOf(file.name))) {
    const message = `The format of ${JSON.stringify(file.name)} is not supported; expected a file name with one of the extensions ${extensions.join(', ')}.`;
    return { cause: 'unsupported-format', message };
  }
  return {
    file,
    language: language === '' ? null : (language ?? null),
    format: format ?? 'json',
    granularities: parsed.data['timestamp_granularities[]'] ?? null,
  };
};

/** The text of a bundled clip; for any other file a random text of its length, drawn from its content and the seed. */
const transcriptTextOf = async ({ digest, seconds }: ProbedAudio, seed: number) => {
  const knownText = await knownClip(digest.toString('hex'));
  if (knownText !== null) return knownText;
  const draw = drawFrom(seed, ...new Uint32Array(digest.buffer, digest.byteOffset, 4));
  return { text: randomTranscriptText(draw, seconds), language: 'en' };
};

const transcribe = async (request: ParsedTranscription, seed: number) => {
  const probed = await probeAudio(request.file);
  if ('cause' in probed) return probed;
  const { seconds } = probed;
  const { text, language } = await transcriptTextOf(probed, seed);
  const { contentType, write } = transcriptWriters[request.format];
  const segments = segmentsOf(text, seconds);
  const transcript = { language: request.language ?? language, seconds, segments };
  return { seconds, contentType, text: write(transcript, request.granularities) };
};

const answer = async (
  admitted: AdmittedRequest,
  upload: Upload | RequestRefusal,
): Promise<void> => {
  const { exchange, settings, clock, bill } = admitted;
  const begin = clock.now();
  const request = 'cause' in upload ? upload : parseTranscription(upload, settings);
  const reply = 'cause' in request ? request : await transcribe(request, settings.seed);
  if (!exchange.isOpen) return;
  if ('cause' in reply) {
    const status = settings.uploadTooLarge;
    return exchange.refuse(reply.cause === 'too-large' ? { ...reply, status } : reply);
  }
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

/** POST /audio/transcriptions (interface 4.4). */
export const answerTranscription: Handler = (admitted) =>
  readUpload(admitted.exchange.request, (upload) => {
    if (admitted.exchange.isOpen) void answer(admitted, upload);
  });
