import { speechContentTypes } from '../../contract/audio.ts';
import { speechCost } from '../../contract/prices.ts';
import { answerAt } from '../http/answer-at.ts';
import { silentAudio } from './silent-audio.ts';
import { readRequestBody } from '../http/request-body.ts';
import type { Handler } from '../http/handler.ts';
import { sendBody } from '../http/send-body.ts';
import { parseSpeech } from './speech-request.ts';

/**
 * POST /audio/speech (interface 4.3): silence, as long as the text takes to be spoken. Like the real
 * service it sends nothing until everything is ready, and then all as fast as the client takes it.
 */
export const answerSpeech: Handler = (admitted) => {
  const { exchange, settings, clock, bill } = admitted;
  readRequestBody(exchange, (body) => {
    const speech = parseSpeech(body, settings);
    if ('cause' in speech) {
      exchange.refuse(speech);
      return;
    }
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
