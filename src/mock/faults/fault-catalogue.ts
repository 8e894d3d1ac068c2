import type { FaultName } from '../../model/gateway/mock-faults.ts';
import * as answers from './error-answers.ts';
import type { FaultContext, MockFault, StreamFault } from './fault.ts';
import * as content from './stream-content.ts';
import * as ends from './stream-ends.ts';
import * as framing from './stream-framing.ts';
import * as wire from './wire-faults.ts';

/** Before a reset, bytes that were written need this time to leave the machine, in ms. */
const resetDelay = 20;

/** The defaults of a fault's parameters. */
type Defaults = Partial<Pick<FaultContext, 'after' | 'delay'>>;

const requestFault =
  (scope: 'gate' | 'answer' | 'whole') =>
  (
    description: string,
    run: (context: FaultContext) => void,
    defaults: Defaults = {},
  ): MockFault => ({ description, scope, run, ...defaults });
const gate = requestFault('gate');
const answer = requestFault('answer');
const whole = requestFault('whole');
const stream = (
  description: string,
  shape: StreamFault,
  options: Defaults & { readonly head?: Readonly<Record<string, string>> } = {},
): MockFault => ({ description, scope: 'stream', shape, ...options });

/** Every fault by its name; a stream that is cut breaks after two tokens by default. */
export const faultCatalogue: Readonly<Record<FaultName, MockFault>> = {
  'key-revoked': gate('401, as if the key were revoked', answers.keyRevoked),
  'empty-balance': gate('402, as if the credits were used up', answers.emptyBalance),
  'status-500': answer('500 with an error body', answers.status500),
  'status-503': answer('503 with an error body and retry-after', answers.status503),
  'html-502': answer('502 with an HTML page', answers.html502),
  'json-error-200': answer('200 with an error body', answers.jsonError200),
  'html-200': answer('200 with an HTML page', answers.html200),
  'stream-status-500': answer(
    '500 with the content type of an event stream',
    answers.streamStatus500,
  ),
  'reset-before-head': answer('a reset instead of an answer', ends.resetConnection),
  'fin-before-head': answer('an orderly close instead of an answer', ends.closeConnection),
  'no-answer': answer('nothing at all', answers.noAnswer),
  'slow-head': whole('no byte before the delay', wire.slowHead, { delay: 1000 }),
  dribble: whole('one byte at a time', wire.dribble, { delay: 1 }),
  'reset-mid-body': whole('a reset after some bytes of the body', wire.resetMidBody, {
    after: 20,
    delay: resetDelay,
  }),
  'fin-mid-body': whole('an orderly close after some bytes of the body', wire.finMidBody, {
    after: 20,
    delay: 0,
  }),
  'stall-mid-body': whole('nothing more after some bytes of the body', wire.stallMidBody, {
    after: 20,
    delay: 0,
  }),
  'wrong-content-type': whole('text/plain for any body', wire.wrongContentType),
  'length-too-long': whole('a content-length of 100 bytes too many', wire.lengthTooLong),
  'length-too-short': whole('a content-length of 10 bytes too few', wire.lengthTooShort),
  'gzip-body': whole(
    'gzip for any other answer than a stream, although not requested',
    framing.gzipBody,
  ),
  'role-first': stream('the role in its own event, at once', content.roleFirst),
  'usage-null-choices': stream(
    '"choices": null in the event with the usage',
    content.usageNullChoices,
  ),
  'usage-no-choices': stream('no choices in the event with the usage', content.usageNoChoices),
  'usage-every-chunk': stream('a running usage in every chunk', content.usageEveryChunk),
  comments: stream('comments between and within events', framing.comments),
  'no-space': stream('no space after data:', framing.noSpace),
  crlf: stream('lines that end in CR LF', framing.crlf),
  cr: stream('lines that end in CR', framing.cr),
  bom: stream('a byte order mark first', framing.bom),
  'odd-chunks': stream('chunks of 1 to 11 bytes, split within characters too', framing.oddChunks),
  'multi-line': stream('event, id and retry fields, data over two lines', framing.multiLine),
  reasoning: stream('the first tokens as reasoning', content.reasoning, { after: 2 }),
  'null-fields': stream('fields with the value null', content.nullFields),
  'several-tokens': stream('four tokens in a chunk', content.severalTokens),
  'gzip-stream': stream('a stream in gzip, although not requested', framing.gzipStream, {
    head: { 'content-encoding': 'gzip' },
  }),
  'broken-event': stream('an event that is cut within its JSON', content.brokenEvent, { after: 2 }),
  'error-object': stream('an error object within the stream, then the end', ends.errorObject, {
    after: 2,
  }),
  'error-event': stream('an event named error within the stream, then the end', ends.errorEvent, {
    after: 2,
  }),
  'finish-error': stream('finish_reason "error"', content.finishError),
  'no-done': stream('everything but [DONE]', content.noDone),
  truncated: stream('a proper end within the stream', ends.truncated, { after: 2 }),
  'fin-without-done': stream('an orderly close instead of [DONE] and the end', ends.finWithoutDone),
  'data-after-done': stream('a chunk after [DONE]', content.dataAfterDone),
  'open-after-done': stream('no end after [DONE]', ends.openAfterDone),
  'reset-mid-stream': stream('a reset within the stream', ends.resetMidStream, {
    after: 2,
    delay: resetDelay,
  }),
  'fin-mid-stream': stream('an orderly close within the stream', ends.finMidStream, { after: 2 }),
  'reset-mid-event': stream('a reset after half an event', ends.resetMidEvent, {
    after: 2,
    delay: resetDelay,
  }),
  'stall-mid-stream': stream('nothing more within the stream', ends.stallMidStream, { after: 2 }),
  'pause-mid-stream': stream(
    'a pause within the stream, then everything at once',
    ends.pauseMidStream,
    { after: 2, delay: 500 },
  ),
  'endless-stream': stream('tokens without end, as fast as the client reads', ends.endlessStream, {
    after: 2,
    delay: 1,
  }),
  'endless-line': stream('one line without end', ends.endlessLine, { after: 2, delay: 1 }),
  'huge-event': stream('an event of 16 MiB', ends.hugeEvent, { after: 2 }),
};
