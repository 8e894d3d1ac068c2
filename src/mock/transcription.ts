import { transcriptionCost } from '../contract/prices.ts';
import { drawFrom } from '../model/draw.ts';
import { answerAt } from './answer-at.ts';
import type { Admitted, Handler } from './handler.ts';
import { openEars, type Sound } from './hearing.ts';
import { knownClip } from './known-clips.ts';
import type { Refusal } from './refusal.ts';
import { inventText, timed } from './transcript.ts';
import { transcriptTexts } from './transcript-text.ts';
import { type Dictation, readDictation } from './transcription-request.ts';
import { readUpload, type Upload } from './upload.ts';

const listen = openEars();

/** The bundled clips say what they say; any other file something of its length, by its content and the seed alone. */
const understand = async ({ digest, seconds }: Sound, seed: number) => {
  const known = await knownClip(digest.toString('hex'));
  if (known !== null) return known;
  const draw = drawFrom(seed, ...new Uint32Array(digest.buffer, digest.byteOffset, 4));
  return { text: inventText(draw, seconds), language: 'en' };
};

interface Reply {
  readonly seconds: number;
  readonly contentType: string;
  readonly text: string;
}

const transcribe = async (dictation: Dictation, seed: number): Promise<Reply | Refusal> => {
  const sound = await listen(dictation.file);
  if ('cause' in sound) return sound;
  const { seconds } = sound;
  const { text, language } = await understand(sound, seed);
  const { contentType, write } = transcriptTexts[dictation.format];
  const segments = timed(text, seconds);
  const transcript = { language: dictation.language ?? language, seconds, segments };
  return { seconds, contentType, text: write(transcript, dictation.granularities) };
};

const answer = async (admitted: Admitted, upload: Upload | Refusal): Promise<void> => {
  const { exchange, settings, clock, buy } = admitted;
  const begin = clock.now();
  const dictation = 'cause' in upload ? upload : readDictation(upload, settings);
  const reply = 'cause' in dictation ? dictation : await transcribe(dictation, settings.seed);
  if (!exchange.isOpen) return;
  if ('cause' in reply) {
    const status = settings.uploadTooLarge;
    exchange.refuse(reply.cause === 'too-large' ? { ...reply, status } : reply);
    return;
  }
  const { base, perSecond } = settings.transcription;
  answerAt(admitted, begin + base + reply.seconds * perSecond, () => {
    const audioMilliseconds = Math.round(reply.seconds * 1000);
    exchange.tally.billed.audioMilliseconds += audioMilliseconds;
    buy({
      kind: 'transcription',
      quantities: { audioMilliseconds },
      micros: transcriptionCost(reply.seconds),
    });
    exchange.tell('completed.transcription', 200, reply.text, {
      'content-type': reply.contentType,
    });
  });
};

/** POST /audio/transcriptions (interface 4.4). */
export const answerTranscription: Handler = (admitted) =>
  readUpload(admitted.exchange.request, (upload) => {
    if (admitted.exchange.isOpen) void answer(admitted, upload);
  });
