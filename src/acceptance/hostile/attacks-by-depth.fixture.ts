import { gzipSync } from 'node:zlib';
import {
  type Attack,
  attacksOn,
  framed,
  headFor,
  lastEvents,
  mainForms,
  nested,
  tokenEvent,
  withBody,
} from './attack.fixture.ts';

/** Deeper than any call stack. */
const levels = nested(100_000);
/** As deep as the kept part of a refusal can be. */
const keptLevels = nested(3900);

const refusal =
  (body: string): Attack['steps'] =>
  (form) => [headFor(form, '500 Oops'), framed(body)];

const packedRefusal =
  (body: string): Attack['steps'] =>
  (form) => [
    `${headFor(form, '429 Slow')}content-encoding: gzip\r\n`,
    framed(gzipSync(Buffer.from(body))),
  ];

const event = (data: string, name = ''): Attack['steps'] =>
  withBody(`${tokenEvent}${name}data: ${data}\n\n${lastEvents}`);

/** Small answers that are nested deeper than a function can call itself. */
export const depth = [
  ...attacksOn(mainForms, {
    'a refusal whose error is deep': [['refused'], refusal(`{"error":${keptLevels}}`)],
    'a refusal whose code is deep': [
      ['refused'],
      refusal(`{"error":{"type":"None","code":${keptLevels}}}`),
    ],
    'a refusal whose place is deep': [
      ['refused'],
      refusal(`{"detail":[{"msg":"x","loc":${keptLevels}}]}`),
    ],
    'a refusal that is only deep': [['refused'], refusal(keptLevels)],
    'a packed refusal whose error is deep': [['limited'], packedRefusal(`{"error":${levels}}`)],
    'a packed refusal whose message is deep': [['limited'], packedRefusal(`{"message":${levels}}`)],
    'a packed refusal that is only deep': [['limited'], packedRefusal(levels)],
  }),
  ...attacksOn(['chat', 'transcription', 'models'], {
    'a million brackets': [['malformed'], withBody('['.repeat(1_000_000))],
    'an error that is deep': [['malformed'], withBody(`{"error":${levels}}`)],
    'a code that is deep': [['malformed'], withBody(`{"error":{"type":"None","code":${levels}}}`)],
    'a place that is deep': [['malformed'], withBody(`{"detail":[{"msg":"x","loc":${levels}}]}`)],
  }),
  ...attacksOn(['chat-stream'], {
    'an error in a stream that is deep': [['malformed'], event(`{"error":${levels}}`)],
    'an event of the type error that is deep': [['malformed'], event(levels, 'event: error\n')],
    'a place in a stream that is deep': [
      ['malformed', 'completed'],
      event(`{"detail":[{"msg":"x","loc":${levels}}]}`),
    ],
  }),
  ...attacksOn(['chat'], {
    'tool calls without usage that are deep': [
      ['completed', 'malformed'],
      withBody(`{"choices":[{"message":{"tool_calls":${levels}},"finish_reason":"stop"}]}`),
    ],
  }),
];
