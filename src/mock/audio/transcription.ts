import { transcriptionCost } from '../../contract/prices.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { answerAt } from '../http/answer-at.ts';
import type { AdmittedRequest, Handler } from '../http/handler.ts';
import { openAudioProbe, type ProbedAudio } from './audio-probe.ts';
import { knownClip } from './known-clips.ts';
import type { RequestRefusal } from '../errors/request-refusal.ts';
import { randomTranscriptText, segmentsOf } from './transcript.ts';
import { transcriptWriters } from './transcript-formats.ts';
import { type ParsedTranscription, parseTranscription } from './transcription-request.ts';
import { readUpload, type Upload } from '../http/upload.ts';

const probeAudio = openAudioProbe();

/** The bundled clips say what they say; any other file something of its length, by its content and the seed alone. */
const transcriptTextOf = async ({ digest, seconds }: ProbedAudio, seed: number) => {
  const knownText = await knownClip(digest.toString('hex'));
  if (knownText !== null) return knownText;
  const draw = drawFrom(seed, ...new Uint32Array(digest.buffer, digest.byteOffset, 4));
  return { text: randomTranscriptText(draw, seconds), language: 'en' };
};

interface TranscriptionReply {
  readonly seconds: number;
  readonly contentType: string;
  readonly text: string;
}

const transcribe = async (
  request: ParsedTranscription,
  seed: number,
): Promise<TranscriptionReply | RequestRefusal> => {
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
    exchange.refuse(reply.cause === 'too-large' ? { ...reply, status } : reply);
    return;
  }
  const { base, perSecond } = settings.transcription;
  answerAt(admitted, begin + base + reply.seconds * perSecond, () => {
    const audioMilliseconds = Math.round(reply.seconds * 1000);
    exchange.counters.billed.audioMilliseconds += audioMilliseconds;
    bill({
      kind: 'transcription',
      quantities: { audioMilliseconds },
      micros: transcriptionCost(reply.seconds),
    });
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
