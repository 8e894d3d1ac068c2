import { speechContentTypes, speechRequestSchema } from '../../contract/audio.ts';
import { speechCost } from '../../contract/prices.ts';
import { charactersIn } from '../../model/workload/characters.ts';
import { RequestRefusal } from '../errors/request-refusal.ts';
import { type Handler, answerAt, sendBody } from '../http/send-answer.ts';
import { checkModel } from '../http/model-list.ts';
import { readJsonBody, readRequestBody, unservedField } from '../http/request-body.ts';
import type { Settings } from '../settings/settings.ts';
import { silentAudio } from './silent-audio.ts';

const charactersPerSecond = 15;
/** Players do not recognise an MP3 file of a few frames. */
const minSeconds = 0.25;
/** A day, the most that the 32-bit length of a WAV file can declare. */
const maxSeconds = 86_400;

/** The characters, format and seconds of a valid request for speech. */
const parseSpeech = (body: Uint8Array, settings: Settings) => {
  const { model, voice, input, ...options } = readJsonBody(body, speechRequestSchema);
  const { voices } = settings.speech;
  checkModel(model, [settings.speech.model], settings);
  const { stream_format: streamed } = options;
  if ((streamed ?? 'audio') !== 'audio') throw unservedField('stream_format');
  if (!voices.includes(voice)) {
    const message = `The voice ${JSON.stringify(voice)} is not supported; choose from ${voices.join(', ')}.`;
    throw new RequestRefusal('unsupported-voice', message);
  }
  const characters = charactersIn(input);
  const seconds = Math.max(minSeconds, characters / (charactersPerSecond * (options.speed ?? 1)));
  if (seconds > maxSeconds) {
    const message = `Invalid input: its audio would be longer than ${maxSeconds / 3600} hours; split the text.`;
    throw new RequestRefusal('invalid-parameter', message);
  }
  return { characters, format: options.response_format ?? ('mp3' as const), seconds };
};

/**
 * POST /audio/speech (interface 4.3): silence, as long as it takes to speak the text. Like the real service it
 * sends nothing until all audio is ready, and then everything as fast as the client reads.
 */
export const answerSpeech: Handler = (admitted) => {
  const { exchange, settings, clock, bill } = admitted;
  readRequestBody(exchange, (body) => {
    const { characters, format, seconds } = parseSpeech(body, settings);
    const { base, perCharacter } = settings.speech;
    answerAt(admitted, clock.now() + base + characters * perCharacter, () => {
      exchange.writeHead(200, { 'content-type': speechContentTypes[format] });
      sendBody(exchange, silentAudio[format](seconds), () => {
        exchange.counters.billed.characters += characters;
        bill({ kind: 'speech', quantities: { characters }, micros: speechCost(characters) });
        exchange.recordEnd('completed.speech');
      });
    });
  });
};
