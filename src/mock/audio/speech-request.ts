import { speechRequestSchema } from '../../contract/audio.ts';
import { charactersIn } from '../../model/workload/characters.ts';
import type { MockSpeechFormat } from './silent-audio.ts';
import { checkModel } from '../http/model-list.ts';
import { readJsonBody } from '../http/json-body.ts';
import type { RequestRefusal } from '../errors/request-refusal.ts';
import type { Settings } from '../settings/settings.ts';

/** A request for speech that can be answered. */
export interface ParsedSpeech {
  /** Unicode code points of the text. */
  readonly characters: number;
  readonly format: MockSpeechFormat;
  /** How long the audio plays. */
  readonly seconds: number;
}

const charactersPerSecond = 15;
/** Players do not recognise an MP3 of a few frames. */
const minSeconds = 0.25;
/** A day: as much as a WAV file's 32-bit length can tell. */
const maxSeconds = 86_400;

/** Reads the body of a speech request: what it asks, or why it is refused. */
export const parseSpeech = (
  body: Uint8Array,
  settings: Settings,
): ParsedSpeech | RequestRefusal => {
  const parsed = readJsonBody(body, speechRequestSchema);
  if ('cause' in parsed) return parsed;
  const { model, voice, input, response_format: format, speed } = parsed.value;
  const { voices } = settings.speech;
  const modelRefusal = checkModel(model, [settings.speech.model], settings);
  if (modelRefusal !== null) return modelRefusal;
  if (!voices.includes(voice)) {
    return {
      cause: 'unsupported-voice',
      message: `The voice ${JSON.stringify(voice)} is not supported; there are ${voices.join(', ')}.`,
    };
  }
  const characters = charactersIn(input);
  const seconds = Math.max(minSeconds, characters / (charactersPerSecond * (speed ?? 1)));
  if (seconds > maxSeconds) {
    return {
      cause: 'invalid-parameter',
      message: `Invalid input: its audio would be longer than ${maxSeconds / 3600} hours; split the text.`,
    };
  }
  return { characters, format: format ?? 'mp3', seconds };
};
