import type { FaultName } from '../../model/mock-faults.ts';
import * as answers from './answers.ts';
import * as content from './content.ts';
import * as ends from './ends.ts';
import type { Fault } from './fault.ts';
import * as framing from './framing.ts';
import * as wire from './wire.ts';

/** A stream that is cut breaks behind this token, unless a rule says another. */
const after = 2;
/** What was written before a reset needs a moment to leave the machine, in milliseconds. */
const leave = 20;
const stream = 'stream' as const;
const answer = 'answer' as const;
const whole = 'whole' as const;
const gate = 'gate' as const;

/** Every fault, by its name. */
export const faultCatalogue = {
  'key-revoked': {
    does: '401, as if the key were no longer valid',
    place: gate,
    run: answers.keyRevoked,
  },
  'empty-balance': {
    does: '402, as if the credits were used up',
    place: gate,
    run: answers.emptyBalance,
  },
  'status-500': { does: '500 with an error body', place: answer, run: answers.status500 },
  'status-503': {
    does: '503 with an error body and retry-after',
    place: answer,
    run: answers.status503,
  },
  'html-502': { does: '502 with a page in HTML', place: answer, run: answers.html502 },
  'json-error-200': { does: '200 with an error body', place: answer, run: answers.jsonError200 },
  'html-200': { does: '200 with a page in HTML', place: answer, run: answers.html200 },
  'stream-status-500': {
    does: '500 labelled as an event stream',
    place: answer,
    run: answers.streamStatus500,
  },
  'reset-before-head': { does: 'a reset instead of an answer', place: answer, run: ends.reset },
  'fin-before-head': {
    does: 'an orderly close instead of an answer',
    place: answer,
    run: ends.fin,
  },
  'no-answer': { does: 'nothing, for ever', place: answer, run: answers.noAnswer },
  'slow-head': { does: 'no byte before its time', delay: 1000, place: whole, run: wire.slowHead },
  dribble: { does: 'one byte at a time', delay: 1, place: whole, run: wire.dribble },
  'reset-mid-body': {
    does: 'a reset behind some bytes of the body',
    after: 20,
    delay: leave,
    place: whole,
    run: wire.resetMidBody,
  },
  'fin-mid-body': {
    does: 'an orderly close behind some bytes of the body',
    after: 20,
    delay: 0,
    place: whole,
    run: wire.finMidBody,
  },
  'stall-mid-body': {
    does: 'nothing more behind some bytes of the body',
    after: 20,
    delay: 0,
    place: whole,
    run: wire.stallMidBody,
  },
  'wrong-content-type': {
    does: 'text/plain, whatever the body is',
    place: whole,
    run: wire.wrongContentType,
  },
  'length-too-long': {
    does: 'a content-length of 100 bytes too many, where there is one',
    place: whole,
    run: wire.lengthTooLong,
  },
  'length-too-short': {
    does: 'a content-length of 10 bytes too few, where there is one',
    place: whole,
    run: wire.lengthTooShort,
  },
  'gzip-body': {
    does: 'an answer that is not streamed in gzip, unasked',
    place: whole,
    run: framing.gzipBody,
  },
  'role-first': {
    does: 'the role in an event of its own, at once',
    place: stream,
    shape: content.roleFirst,
  },
  'usage-null-choices': {
    does: '"choices": null in the event with the usage',
    place: stream,
    shape: content.usageNullChoices,
  },
  'usage-no-choices': {
    does: 'no choices in the event with the usage',
    place: stream,
    shape: content.usageNoChoices,
  },
  'usage-every-chunk': {
    does: 'a running usage on every chunk',
    place: stream,
    shape: content.usageEveryChunk,
  },
  comments: { does: 'comments between and within events', place: stream, shape: framing.comments },
  'no-space': { does: 'no space behind data:', place: stream, shape: framing.noSpace },
  crlf: { does: 'lines that end in CR LF', place: stream, shape: framing.crlf },
  cr: { does: 'lines that end in CR', place: stream, shape: framing.cr },
  bom: { does: 'a byte order mark first', place: stream, shape: framing.bom },
  'odd-chunks': {
    does: 'chunks of 1 to 11 bytes, bounds within letters',
    place: stream,
    shape: framing.oddChunks,
  },
  'multi-line': {
    does: 'event, id and retry fields, data over two lines',
    place: stream,
    shape: framing.multiLine,
  },
  reasoning: {
    does: 'the first tokens as reasoning',
    after,
    place: stream,
    shape: content.reasoning,
  },
  'null-fields': { does: 'fields that are null', place: stream, shape: content.nullFields },
  'several-tokens': { does: 'four tokens to a chunk', place: stream, shape: content.severalTokens },
  'gzip-stream': {
    does: 'the stream in gzip, unasked',
    place: stream,
    head: { 'content-encoding': 'gzip' },
    shape: framing.gzipStream,
  },
  'broken-event': {
    does: 'an event that is cut off within its JSON',
    after,
    place: stream,
    shape: content.brokenEvent,
  },
  'error-object': {
    does: 'an error object in mid-stream, and the end',
    after,
    place: stream,
    shape: ends.errorObject,
  },
  'error-event': {
    does: 'an event named error in mid-stream, and the end',
    after,
    place: stream,
    shape: ends.errorEvent,
  },
  'finish-error': { does: 'finish_reason "error"', place: stream, shape: content.finishError },
  'no-done': { does: 'everything but [DONE]', place: stream, shape: content.noDone },
  truncated: { does: 'a proper end in mid-stream', after, place: stream, shape: ends.truncated },
  'fin-without-done': {
    does: 'an orderly close in place of [DONE] and of the end',
    place: stream,
    shape: ends.finWithoutDone,
  },
  'data-after-done': { does: 'a chunk behind [DONE]', place: stream, shape: content.dataAfterDone },
  'open-after-done': { does: 'no end behind [DONE]', place: stream, shape: ends.openAfterDone },
  'reset-mid-stream': {
    does: 'a reset in mid-stream',
    after,
    delay: leave,
    place: stream,
    shape: ends.resetMidStream,
  },
  'fin-mid-stream': {
    does: 'an orderly close in mid-stream',
    after,
    place: stream,
    shape: ends.finMidStream,
  },
  'reset-mid-event': {
    does: 'a reset behind half an event',
    after,
    delay: leave,
    place: stream,
    shape: ends.resetMidEvent,
  },
  'stall-mid-stream': {
    does: 'nothing more in mid-stream',
    after,
    place: stream,
    shape: ends.stallMidStream,
  },
  'pause-mid-stream': {
    does: 'a pause in mid-stream, then all that was held back',
    after,
    delay: 500,
    place: stream,
    shape: ends.pauseMidStream,
  },
  'endless-stream': {
    does: 'tokens without end, as fast as they are taken',
    after,
    delay: 1,
    place: stream,
    shape: ends.endlessStream,
  },
  'endless-line': {
    does: 'one line without end',
    after,
    delay: 1,
    place: stream,
    shape: ends.endlessLine,
  },
  'huge-event': { does: 'an event of 16 MiB', after, place: stream, shape: ends.hugeEvent },
} as const satisfies Record<FaultName, Fault>;
