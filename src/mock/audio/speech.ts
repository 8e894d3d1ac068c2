import { speechContentTypes, speechRequestSchema } from '../../contract/audio.ts';
import { speechCost } from '../../contract/prices.ts';
import { charactersIn } from '../../model/workload/characters.ts';
import type { RequestRefusal } from '../errors/request-refusal.ts';
import type { Handler } from '../http/handler.ts';
import { checkModel } from '../http/model-list.ts';
import { readJsonBody, readRequestBody } from '../http/request-body.ts';
import { answerAt, sendBody } from '../http/send-answer.ts';
import type { Settings } from '../settings/settings.ts';
import { type MockSpeechFormat, silentAudio } from './silent-audio.ts';

const charactersPerSecond = 15;
/** Players do not recognise an MP3 file of a few frames. */
const minSeconds = 0.25;
/** A day, the most that the 32-bit length of a WAV file can declare. */
const maxSeconds = 86_400;

/** The characters, format and seconds of a valid request for speech. */
const parseSpeech = (
  body: Uint8Array,
  settings: Settings,
): { characters: number; format: MockSpeechFormat; seconds: number } | RequestRefusal => {
  const parsed = readJsonBody(body, speechRequestSchema);
  if ('cause' in parsed) return parsed;
  const { model, voice, input, response_format: format, speed } = parsed.value;
  const { voices } = settings.speech;
  const modelRefusal = checkModel(model, [settings.speech.model], settings);
  if (modelRefusal !== null) return modelRefusal;
  if (!voices.includes(voice)) {
    const message = `The voice ${JSON.stringify(voice)} is not supported; choose from ${voices.join(', ')}.`;
    return { cause: 'unsupported-voice', message };
  }
  const characters = charactersIn(input);
  const seconds = Math.max(minSeconds, characters / (charactersPerSecond * (speed ?? 1)));
  if (seconds > maxSeconds) {
    const message = `Invalid input: its audio would be longer than ${maxSeconds / 3600} hours; split the text.`;
    return { cause: 'invalid-parameter', message };
  }
  return { characters, format: format ?? 'mp3', seconds };
};

/**
 * POST /audio/speech (interface 4.3): silence, as long as it takes to speak the text. Like the real service it
 * sends nothing until all audio is ready, and then everything as fast as the client reads.
 */
export const answerSpeech: Handler = (admitted) => {
  const { exchange, settings, clock, bill } = admitted;
  readRequestBody(exchange, (body) => {
    const speech = parseSpeech(body, settings);
    if ('cause' in speech) return exchange.refuse(speech);
    const { characters, format, seconds } = speech;
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
