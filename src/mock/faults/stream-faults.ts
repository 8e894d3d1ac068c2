import { gzipSync } from 'node:zlib';
import {
  changedEvents,
  changeEvents,
  type FaultContext,
  isDone,
  isEventStream,
  isFinish,
  isToken,
  type MockFault,
  rewrite,
  splitEvents,
  stream,
  type StreamFault,
  whole,
  closeConnection,
  resetConnection,
  resetDelay,
  writeNonEmpty,
} from './fault.ts';
import type { EventStream } from '../http/mock-exchange.ts';

const sizes = [1, 2, 3, 5, 7, 11];
const fourByteCharacter = '\u{1F30A}';

const oddChunks = rewrite(() => {
  let turn = 0;
  return (events, write) => {
    const text = events.replaceAll(
      /("delta":\{"content":"(?:[^"\\]|\\.)*)/g,
      `$1${fourByteCharacter}`,
    );
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      write(bytes.subarray(from, from + size));
      from += size;
    }
  };
});

const gzipEvents = rewrite(() => (events, write) => {
  for (const event of splitEvents(events)) if (event !== '') write(gzipSync(event));
});

/** Labels answers as gzip: streams if `streams` is true, otherwise all answers that are not streams. */
const labelGzip = ({ exchange }: FaultContext, streams: boolean): void => {
  exchange.rewriteHeaders = (headers) =>
    isEventStream(headers) === streams ? { ...headers, 'content-encoding': 'gzip' } : headers;
};

/**
 * Faults that frame the events of a stream in another way. A correct reader of Server-Sent Events sees no difference.
 */
const framingFaults = {
  comments: changedEvents((event) => `: ping\n\n: PROCESSING\n${event}: ping\n\n`),
  'no-space': changedEvents((event) => event.replace(/^data: /, 'data:')),
  crlf: changedEvents((event) => event.replaceAll('\n', '\r\n')),
  cr: changedEvents((event) => event.replaceAll('\n', '\r')),
  bom: changedEvents((event, index) => (index === 0 ? `\uFEFF${event}` : event)),
  /**
   * Sends further fields in each event, and divides the data into two lines. The data is divided after the first brace,
   * where JSON allows a line break.
   */
  'multi-line': changedEvents(
    (event, index) =>
      `event: message\nid: ${index}\nretry: 3000\n${event.replace(/^data: \{/, 'data: {\ndata: ')}`,
  ),
  /** Adds a character of four bytes to each token, and splits chunks at any byte, even within characters. */
  'odd-chunks': stream(oddChunks),
  /** Sends gzip that was not requested. Each event is a gzip member, and all members together are one gzip file. */
  'gzip-stream': {
    scope: 'stream',
    run: (context) => {
      stream(gzipEvents).run(context);
      labelGzip(context, true);
    },
  },
  /**
   * Sends gzip that was not requested, for an answer that is not streamed. Each piece of the answer is compressed by
   * itself.
   */
  'gzip-body': whole((context) => {
    context.exchange.encode = (bytes) => gzipSync(bytes);
    labelGzip(context, false);
  }),
} as const satisfies Record<string, MockFault>;

const roleFirst: StreamFault = (inner) => {
  const chunk = { choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] };
  inner.write(`data: ${JSON.stringify(chunk)}\n\n`);
  return inner;
};

/**
 * Changes single tokens. `left` is the number of tokens before the fault that are still to come. `left` is negative
 * from the fault on.
 */
const changeTokens = (change: (event: string, left: number) => string): StreamFault =>
  changeEvents(({ after }) => {
    let left = after;
    return (event) => {
      if (!isToken(event)) return event;
      left -= 1;
      return change(event, left);
    };
  });

const usageEveryChunk = changeEvents(() => {
  let tokens = 0;
  return (event) => {
    if (!isToken(event)) return event;
    tokens += 1;
    const usage = { prompt_tokens: 0, completion_tokens: tokens, total_tokens: tokens };
    return event
      .replace(',"usage":null}\n\n', '}\n\n')
      .replace(/\}\n\n$/, `,"usage":${JSON.stringify(usage)}}\n\n`);
  };
});

const nameReasoning = (event: string, left: number): string => {
  if (left < 0) return event;
  const name = left % 2 === 0 ? 'reasoning_content' : 'reasoning';
  return event.replace('"delta":{"content":', `"delta":{"content":null,"${name}":`);
};

interface TokenChunk {
  readonly choices: readonly { readonly delta: { readonly content: string } }[];
}

const tokensPerChunk = 4;

const severalTokens = changeEvents(() => {
  let held: string[] = [];
  let frame = '';
  const flush = (): string => {
    if (held.length === 0) return '';
    const text = JSON.stringify(held.join(''));
    held = [];
    return frame.replace(/("content":)"(?:[^"\\]|\\.)*"/, (_, name: string) => name + text);
  };
  return (event) => {
    if (!isToken(event)) return flush() + event;
    frame = event;
    const chunk = JSON.parse(event.slice('data: '.length)) as TokenChunk;
    held.push(chunk.choices[0]?.delta.content ?? '');
    return held.length === tokensPerChunk ? flush() : '';
  };
});

const usageOnly = '"choices":[],';
const nullFields =
  '"delta":{"role":null,"refusal":null,"tool_calls":null,"function_call":null,"reasoning_content":null,"content":';
const oneMore = 'data: {"choices":[{"index":0,"delta":{"content":" more"}}]}\n\n';

/** Faults that change the content of a stream. Some of them occur in real servers; the others violate the interface. */
const contentFaults = {
  /** Sends the role in a separate event, long before the first token. */
  'role-first': stream(roleFirst),
  'usage-null-choices': changedEvents((event) => event.replace(usageOnly, '"choices":null,')),
  'usage-no-choices': changedEvents((event) => event.replace(usageOnly, '')),
  /** Sends a running count of tokens. Only the usage at the end is correct. */
  'usage-every-chunk': stream(usageEveryChunk),
  /** Sends the first tokens as reasoning, alternating between the two field names that servers use. */
  reasoning: stream(changeTokens(nameReasoning), { after: 2 }),
  'null-fields': changedEvents((event) => event.replace('"delta":{"content":', nullFields)),
  /** Sends four tokens in a chunk. The last tokens come together with the finish reason. */
  'several-tokens': stream(severalTokens),
  'broken-event': stream(
    changeTokens((event, left) => (left === -1 ? `${event.slice(0, 40)}\n\n` : event)),
    { after: 2 },
  ),
  'finish-error': changedEvents((event) =>
    isFinish(event) ? event.replace(/"finish_reason":"\w+"/, '"finish_reason":"error"') : event,
  ),
  'no-done': changedEvents((event) => (isDone(event) ? '' : event)),
  'data-after-done': changedEvents((event) => (isDone(event) ? event + oneMore : event)),
} as const satisfies Record<string, MockFault>;

export const streamFaults = { ...framingFaults, ...contentFaults };

type EndStream = (inner: EventStream, context: FaultContext, next: string) => EventStream | void;

const lost: EventStream = { write: () => undefined, end: () => undefined };

/** Passes on at most `after` tokens. `endStream` handles all later events. */
const cutEvents =
  (endStream: EndStream): StreamFault =>
  (inner, context) => {
    let left = context.after;
    let rest: EventStream | null = null;
    const passes = (event: string): boolean => {
      if (isFinish(event) || isDone(event)) return false;
      if (!isToken(event)) return true;
      left -= 1;
      return left >= 0;
    };
    return {
      write: (events) => {
        if (rest !== null) return rest.write(events);
        const all = splitEvents(String(events));
        const end = all.findIndex((event) => !passes(event));
        writeNonEmpty(inner, (end === -1 ? all : all.slice(0, end)).join(''));
        if (end === -1) return;
        rest = endStream(inner, context, all[end] ?? '') ?? lost;
        rest.write(all.slice(end).join(''));
      },
      end: () => (rest ?? inner).end(),
    };
  };

/** Makes a fault that cuts a stream, by default after two tokens. */
const cut = (endStream: EndStream, delay = 0): MockFault =>
  stream(cutEvents(endStream), { after: 2, delay });

const withoutDone = (events: string): string =>
  splitEvents(events)
    .filter((event) => !isDone(event))
    .join('');

/** Delays all later events by `delay` ms, and then writes them at once. */
const pause: EndStream = (inner, { clock, delay }) => {
  let held: string | null = '';
  let hasEnded = false;
  clock.at(clock.now() + delay, () => {
    writeNonEmpty(inner, held ?? '');
    held = null;
    if (hasEnded) inner.end();
  });
  return {
    write: (events) => {
      if (held === null) inner.write(events);
      else held += String(events);
    },
    end: () => {
      hasEnded = true;
      if (held === null) inner.end();
    },
  };
};

/** Writes `next` repeatedly, as fast as the client reads, until the client disconnects. */
const writeForever = (
  inner: EventStream,
  { exchange, clock, delay }: FaultContext,
  next: string,
): void => {
  const { socket } = exchange.request;
  const more = (): void => {
    if (socket.destroyed) return;
    if (!socket.writableNeedDrain) inner.write(next);
    clock.at(clock.now() + delay, more);
  };
  more();
};

const failure =
  '{"error":{"message":"The model has stopped.","type":"server_error","code":"model_error"}}';
const endWith =
  (last: string): EndStream =>
  (inner) => {
    inner.write(last);
    inner.end();
  };
const manyTokens = 'data: {"choices":[{"index":0,"delta":{"content":" on"}}]}\n\n'.repeat(64);
const lineBegin = 'data: {"choices":[{"index":0,"delta":{"content":"';
const mebibyte = 1024 * 1024;

export const endingFaults = {
  'reset-before-head': { scope: 'answer', run: resetConnection },
  'fin-before-head': { scope: 'answer', run: closeConnection },
  'error-object': cut(endWith(`data: ${failure}\n\n`)),
  'error-event': cut(endWith(`event: error\ndata: ${failure}\n\n`)),
  truncated: cut((inner) => inner.end()),
  /** Sends everything except `[DONE]` and the end of the message. */
  'fin-without-done': stream((inner, context) => ({
    write: (events) => writeNonEmpty(inner, withoutDone(String(events))),
    end: () => closeConnection(context),
  })),
  'open-after-done': stream((inner) => ({
    write: (events) => inner.write(events),
    end: () => undefined,
  })),
  'reset-mid-stream': cut((_, context) => resetConnection(context), resetDelay),
  'fin-mid-stream': cut((_, context) => closeConnection(context)),
  'reset-mid-event': cut((inner, context, next) => {
    inner.write(next.slice(0, Math.ceil(next.length / 2)));
    // A reset discards bytes that have not left the machine, so the reset comes after a delay.
    context.clock.at(context.clock.now() + context.delay, () => resetConnection(context));
  }, resetDelay),
  'stall-mid-stream': cut(() => undefined),
  'pause-mid-stream': cut(pause, 500),
  'endless-stream': cut((inner, context) => writeForever(inner, context, manyTokens), 1),
  'endless-line': cut((inner, context) => {
    inner.write(lineBegin);
    writeForever(inner, context, 'on '.repeat(20_000));
  }, 1),
  /** Sends one event of 16 MiB, then a normal end. */
  'huge-event': cut((inner) => {
    inner.write(lineBegin);
    for (let n = 0; n < 16; n += 1) inner.write('x'.repeat(mebibyte));
    inner.write('"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    inner.end();
  }),
} as const satisfies Record<string, MockFault>;
