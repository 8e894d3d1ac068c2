import { routes } from '../../contract/routes.ts';
import type { WireRequest } from '../../model/observation/exchange.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { PrepareContext, TrafficHandler } from '../traffic-handler.ts';
import { readTimedResponse } from '../answer/response-reader.ts';
import { SpeechReader } from '../audio/speech-answer.ts';
import { filledBody, spokenText } from '../request/token-demand.ts';

/** Handles text to speech (interface, section 4.3). */
export const speech: TrafficHandler<'speech'> = {
  prepare: (traffic, prepareContext) => {
    const text = spokenText(traffic, prepareContext);
    const { format, price } = traffic;
    return {
      request: speechRequest(traffic, text, prepareContext),
      read: (context) =>
        readTimedResponse(
          context,
          'the audio',
          (headers) => new SpeechReader({ ...context, headers, text, format, price }),
        ),
    };
  },
};

const headers = {
  'content-type': 'application/json',
  accept: '*/*',
  'accept-encoding': 'identity',
} as const;

/**
 * Returns the request. The entry's further body fields override all fields except `input` and `response_format`; these
 * two fields come from `texts` and `format` of the entry.
 */
const speechRequest = (
  { model, voice, format, speed, body }: TrafficOf<'speech'>,
  text: string,
  { targetMemory, values }: PrepareContext,
): WireRequest => {
  const { input, response_format, ...extraFields } = body;
  for (const [name, field, place] of [
    ['input', input, 'texts'],
    ['response_format', response_format, 'format'],
  ] as const) {
    if (field === undefined) continue;
    targetMemory.notes.add(
      `The body field \`${name}\` of speech traffic was not sent: the entry’s \`${place}\` sets it.`,
    );
  }
  const fields = {
    model,
    input: text,
    voice,
    response_format: format,
    ...(speed === null ? {} : { speed }),
    ...filledBody(extraFields, values),
  };
  return {
    ...routes.speech,
    headers,
    body: Buffer.from(JSON.stringify(fields)),
  };
};
