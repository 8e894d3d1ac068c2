import type { FaultName } from '../../model/gateway/mock-faults.ts';
import * as answers from './error-answers.ts';
import * as content from './stream-content.ts';
import * as ends from './stream-ends.ts';
import type { MockFault } from './fault.ts';
import * as framing from './stream-framing.ts';
import * as wire from './wire-faults.ts';

/** A stream that is cut breaks behind this token, unless a rule says another. */
const after = 2;
/** What was written before a reset needs a moment to leave the machine, in milliseconds. */
const resetDelay = 20;
const stream = 'stream' as const;
const answer = 'answer' as const;
const whole = 'whole' as const;
const gate = 'gate' as const;

/** Every fault, by its name. */
export const faultCatalogue = {
  'key-revoked': {
    description: '401, as if the key were no longer valid',
    scope: gate,
    run: answers.keyRevoked,
  },
  'empty-balance': {
    description: '402, as if the credits were used up',
    scope: gate,
    run: answers.emptyBalance,
  },
  'status-500': { description: '500 with an error body', scope: answer, run: answers.status500 },
  'status-503': {
    description: '503 with an error body and retry-after',
    scope: answer,
    run: answers.status503,
  },
  'html-502': { description: '502 with a page in HTML', scope: answer, run: answers.html502 },
  'json-error-200': {
    description: '200 with an error body',
    scope: answer,
    run: answers.jsonError200,
  },
  'html-200': { description: '200 with a page in HTML', scope: answer, run: answers.html200 },
  'stream-status-500': {
    description: '500 labelled as an event stream',
    scope: answer,
    run: answers.streamStatus500,
  },
  'reset-before-head': {
    description: 'a reset instead of an answer',
    scope: answer,
    run: ends.resetConnection,
  },
  'fin-before-head': {
    description: 'an orderly close instead of an answer',
    scope: answer,
    run: ends.closeConnection,
  },
  'no-answer': { description: 'nothing, for ever', scope: answer, run: answers.noAnswer },
  'slow-head': {
    description: 'no byte before its time',
    delay: 1000,
    scope: whole,
    run: wire.slowHead,
  },
  dribble: { description: 'one byte at a time', delay: 1, scope: whole, run: wire.dribble },
  'reset-mid-body': {
    description: 'a reset behind some bytes of the body',
    after: 20,
    delay: resetDelay,
    scope: whole,
    run: wire.resetMidBody,
  },
  'fin-mid-body': {
    description: 'an orderly close behind some bytes of the body',
    after: 20,
    delay: 0,
    scope: whole,
    run: wire.finMidBody,
  },
  'stall-mid-body': {
    description: 'nothing more behind some bytes of the body',
    after: 20,
    delay: 0,
    scope: whole,
    run: wire.stallMidBody,
  },
  'wrong-content-type': {
    description: 'text/plain, whatever the body is',
    scope: whole,
    run: wire.wrongContentType,
  },
  'length-too-long': {
    description: 'a content-length of 100 bytes too many, where there is one',
    scope: whole,
    run: wire.lengthTooLong,
  },
  'length-too-short': {
    description: 'a content-length of 10 bytes too few, where there is one',
    scope: whole,
    run: wire.lengthTooShort,
  },
  'gzip-body': {
    description: 'an answer that is not streamed in gzip, unasked',
    scope: whole,
    run: framing.gzipBody,
  },
  'role-first': {
    description: 'the role in an event of its own, at once',
    scope: stream,
    shape: content.roleFirst,
  },
  'usage-null-choices': {
    description: '"choices": null in the event with the usage',
    scope: stream,
    shape: content.usageNullChoices,
  },
  'usage-no-choices': {
    description: 'no choices in the event with the usage',
    scope: stream,
    shape: content.usageNoChoices,
  },
  'usage-every-chunk': {
    description: 'a running usage on every chunk',
    scope: stream,
    shape: content.usageEveryChunk,
  },
  comments: {
    description: 'comments between and within events',
    scope: stream,
    shape: framing.comments,
  },
  'no-space': { description: 'no space behind data:', scope: stream, shape: framing.noSpace },
  crlf: { description: 'lines that end in CR LF', scope: stream, shape: framing.crlf },
  cr: { description: 'lines that end in CR', scope: stream, shape: framing.cr },
  bom: { description: 'a byte order mark first', scope: stream, shape: framing.bom },
  'odd-chunks': {
    description: 'chunks of 1 to 11 bytes, bounds within letters',
    scope: stream,
    shape: framing.oddChunks,
  },
  'multi-line': {
    description: 'event, id and retry fields, data over two lines',
    scope: stream,
    shape: framing.multiLine,
  },
  reasoning: {
    description: 'the first tokens as reasoning',
    after,
    scope: stream,
    shape: content.reasoning,
  },
  'null-fields': { description: 'fields that are null', scope: stream, shape: content.nullFields },
  'several-tokens': {
    description: 'four tokens to a chunk',
    scope: stream,
    shape: content.severalTokens,
  },
  'gzip-stream': {
    description: 'the stream in gzip, unasked',
    scope: stream,
    head: { 'content-encoding': 'gzip' },
    shape: framing.gzipStream,
  },
  'broken-event': {
    description: 'an event that is cut off within its JSON',
    after,
    scope: stream,
    shape: content.brokenEvent,
  },
  'error-object': {
    description: 'an error object in mid-stream, and the end',
    after,
    scope: stream,
    shape: ends.errorObject,
  },
  'error-event': {
    description: 'an event named error in mid-stream, and the end',
    after,
    scope: stream,
    shape: ends.errorEvent,
  },
  'finish-error': {
    description: 'finish_reason "error"',
    scope: stream,
    shape: content.finishError,
  },
  'no-done': { description: 'everything but [DONE]', scope: stream, shape: content.noDone },
  truncated: {
    description: 'a proper end in mid-stream',
    after,
    scope: stream,
    shape: ends.truncated,
  },
  'fin-without-done': {
    description: 'an orderly close in place of [DONE] and of the end',
    scope: stream,
    shape: ends.finWithoutDone,
  },
  'data-after-done': {
    description: 'a chunk behind [DONE]',
    scope: stream,
    shape: content.dataAfterDone,
  },
  'open-after-done': {
    description: 'no end behind [DONE]',
    scope: stream,
    shape: ends.openAfterDone,
  },
  'reset-mid-stream': {
    description: 'a reset in mid-stream',
    after,
    delay: resetDelay,
    scope: stream,
    shape: ends.resetMidStream,
  },
  'fin-mid-stream': {
    description: 'an orderly close in mid-stream',
    after,
    scope: stream,
    shape: ends.finMidStream,
  },
  'reset-mid-event': {
    description: 'a reset behind half an event',
    after,
    delay: resetDelay,
    scope: stream,
    shape: ends.resetMidEvent,
  },
  'stall-mid-stream': {
    description: 'nothing more in mid-stream',
    after,
    scope: stream,
    shape: ends.stallMidStream,
  },
  'pause-mid-stream': {
    description: 'a pause in mid-stream, then all that was held back',
    after,
    delay: 500,
    scope: stream,
    shape: ends.pauseMidStream,
  },
  'endless-stream': {
    description: 'tokens without end, as fast as they are taken',
    after,
    delay: 1,
    scope: stream,
    shape: ends.endlessStream,
  },
  'endless-line': {
    description: 'one line without end',
    after,
    delay: 1,
    scope: stream,
    shape: ends.endlessLine,
  },
  'huge-event': {
    description: 'an event of 16 MiB',
    after,
    scope: stream,
    shape: ends.hugeEvent,
  },
} as const satisfies Record<FaultName, MockFault>;
