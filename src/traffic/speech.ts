import { routes } from '../contract/routes.ts';
import type { WireRequest } from '../model/exchange.ts';
import type { TrafficOf } from '../model/traffic.ts';
import { CompressedBody } from './compressed-body.ts';
import { encodingOf } from './encoding.ts';
import type { Kind, Memory } from './kind.ts';
import { readResponse } from './response.ts';
import { SpeechReader } from './speech-answer.ts';
import { spokenText } from './spoken-text.ts';

/** Text to speech (interface 4.3). */
export const speech: Kind<'speech'> = {
  prepare: (traffic, tools) => {
    const text = spokenText(traffic, tools);
    const asked = { text, format: traffic.format };
    return {
      request: speechRequest(traffic, text, tools.memory),
      read: (context) =>
        readResponse(context, (headers) => {
          const encoding = encodingOf(headers);
          return encoding === null
            ? new SpeechReader(context, headers, asked)
            : new CompressedBody('the audio', encoding);
        }),
    };
  },
};

/** The entry's further body fields win over everything but what the answer is held against. */
const speechRequest = (
  { model, voice, format, speed, body }: TrafficOf<'speech'>,
  text: string,
  memory: Memory,
): WireRequest => {
  const { input, response_format, ...further } = body;
  for (const [name, field, place] of [
    ['input', input, 'texts'],
    ['response_format', response_format, 'format'],
  ] as const) {
    if (field === undefined) continue;
    memory.notes.add(
      `The body field \`${name}\` of speech traffic was not sent: the entry’s \`${place}\` decides it.`,
    );
  }
  const fields = {
    model,
    input: text,
    voice,
    response_format: format,
    ...(speed === null ? {} : { speed }),
    ...further,
  };
  return {
    ...routes.speech,
    headers: {
      'content-type': 'application/json',
      accept: '*/*',
      'accept-encoding': 'identity',
    },
    body: Buffer.from(JSON.stringify(fields)),
  };
};
