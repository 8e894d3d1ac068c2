import { speechRequestSchema } from '../contract/audio.ts';
import { charactersIn } from '../model/characters.ts';
import type { SpeechFormat } from './audio/silence.ts';
import { refuseModel } from './catalogue.ts';
import { readJson } from './json-body.ts';
import type { Refusal } from './refusal.ts';
import type { Settings } from './settings.ts';

/** A request for speech that can be answered. */
export interface Speech {
  /** Unicode code points of the text. */
  readonly characters: number;
  readonly format: SpeechFormat;
  /** How long the audio plays. */
  readonly seconds: number;
}

const charactersPerSecond = 15;
/** Players do not recognise an MP3 of a few frames. */
const shortestSeconds = 0.25;
/** A day: as much as a WAV file's 32-bit length can tell. */
const longestSeconds = 86_400;

/** Reads the body of a speech request: what it asks, or why it is refused. */
export const readSpeech = (body: Uint8Array, settings: Settings): Speech | Refusal => {
  const read = readJson(body, speechRequestSchema);
  if ('cause' in read) return read;
  const { model, voice, input, response_format: format, speed } = read.value;
  const { voices } = settings.speech;
  const refused = refuseModel(model, [settings.speech.model], settings);
  if (refused !== null) return refused;
  if (!voices.includes(voice)) {
    return {
      cause: 'unsupported-voice',
      message: `The voice ${JSON.stringify(voice)} is not supported; there are ${voices.join(', ')}.`,
    };
  }
  const characters = charactersIn(input);
  const seconds = Math.max(shortestSeconds, characters / (charactersPerSecond * (speed ?? 1)));
  if (seconds > longestSeconds) {
    return {
      cause: 'invalid-parameter',
      message: `Invalid input: its audio would be longer than ${longestSeconds / 3600} hours; split the text.`,
    };
  }
  return { characters, format: format ?? 'mp3', seconds };
};
