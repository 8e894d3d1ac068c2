import { speechContentTypes } from '../contract/audio.ts';
import { speechCost } from '../contract/prices.ts';
import { answerAt } from './answer-at.ts';
import { silences } from './audio/silence.ts';
import { takeBody } from './body.ts';
import type { Handler } from './handler.ts';
import { sendBody } from './send-body.ts';
import { readSpeech } from './speech-request.ts';

/**
 * POST /audio/speech (interface 4.3): silence, as long as the text takes to be spoken. Like the real
 * service it sends nothing until everything is ready, and then all as fast as the client takes it.
 */
export const answerSpeech: Handler = (admitted) => {
  const { exchange, settings, clock, buy } = admitted;
  takeBody(exchange, (body) => {
    const speech = readSpeech(body, settings);
    if ('cause' in speech) {
      exchange.refuse(speech);
      return;
    }
    const { characters, format, seconds } = speech;
    const { base, perCharacter } = settings.speech;
    answerAt(admitted, clock.now() + base + characters * perCharacter, () => {
      exchange.writeHead(200, { 'content-type': speechContentTypes[format] });
      sendBody(exchange, silences[format](seconds), () => {
        exchange.tally.billed.characters += characters;
        buy({ kind: 'speech', quantities: { characters }, micros: speechCost(characters) });
        exchange.settle('completed.speech');
      });
    });
  });
};
