import {
  changeEvents,
  splitEvents,
  isDone,
  isFinish,
  isToken,
  writeNonEmpty,
} from './stream-events.ts';
import type { StreamFault } from './fault.ts';

/** Streams with other content, some as real servers send it, some wrong. */

/** Sends the role in its own event, long before the first token. */
export const roleFirst: StreamFault = (stream) => {
  const chunk = { choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] };
  stream.write(`data: ${JSON.stringify(chunk)}\n\n`);
  return stream;
};

const usageOnly = '"choices":[],';
export const usageNullChoices = changeEvents((event) =>
  event.replace(usageOnly, '"choices":null,'),
);
export const usageNoChoices = changeEvents((event) => event.replace(usageOnly, ''));

/** A running count of tokens, which only the usage at the end corrects. */
export const usageEveryChunk: StreamFault = (stream, context) => {
  let tokens = 0;
  return changeEvents((event) => {
    if (isToken(event)) tokens += 1;
    const usage = { prompt_tokens: 0, completion_tokens: tokens, total_tokens: tokens };
    const withoutUsage = event.replace(',"usage":null}\n\n', '}\n\n');
    return isToken(event)
      ? withoutUsage.replace(/\}\n\n$/, `,"usage":${JSON.stringify(usage)}}\n\n`)
      : event;
  })(stream, context);
};

/** The first tokens are reasoning, alternating between both field names that servers use. */
export const reasoning: StreamFault = (stream, context) => {
  let left = context.after;
  return changeEvents((event) => {
    if (!isToken(event)) return event;
    left -= 1;
    if (left < 0) return event;
    const name = left % 2 === 0 ? 'reasoning_content' : 'reasoning';
    return event.replace('"delta":{"content":', `"delta":{"content":null,"${name}":`);
  })(stream, context);
};

export const nullFields = changeEvents((event) =>
  event.replace(
    '"delta":{"content":',
    '"delta":{"role":null,"refusal":null,"tool_calls":null,"function_call":null,"reasoning_content":null,"content":',
  ),
);

interface TokenChunk {
  readonly choices: readonly { readonly delta: { readonly content: string } }[];
}

const tokensPerChunk = 4;

/** Four tokens in a chunk; the rest comes with the end. */
export const severalTokens: StreamFault = (stream) => {
  let text = '';
  let heldTokens = 0;
  let frame = '';
  const flush = (): string => {
    const chunk =
      heldTokens === 0
        ? ''
        : frame.replace(
            /("content":)"(?:[^"\\]|\\.)*"/,
            (_, name: string) => name + JSON.stringify(text),
          );
    text = '';
    heldTokens = 0;
    return chunk;
  };
  const mergeEvent = (event: string): string => {
    if (!isToken(event)) return flush() + event;
    frame = event;
    const chunk = JSON.parse(event.slice('data: '.length)) as TokenChunk;
    text += chunk.choices[0]?.delta.content ?? '';
    heldTokens += 1;
    return heldTokens === tokensPerChunk ? flush() : '';
  };
  return {
    write: (events) => writeNonEmpty(stream, splitEvents(String(events)).map(mergeEvent).join('')),
    end: () => stream.end(),
  };
};

export const brokenEvent: StreamFault = (stream, context) => {
  let left = context.after;
  return changeEvents((event) => {
    if (isToken(event)) left -= 1;
    return isToken(event) && left === -1 ? `${event.slice(0, 40)}\n\n` : event;
  })(stream, context);
};

export const finishError = changeEvents((event) =>
  isFinish(event) ? event.replace(/"finish_reason":"\w+"/, '"finish_reason":"error"') : event,
);

export const noDone = changeEvents((event) => (isDone(event) ? '' : event));

export const dataAfterDone = changeEvents((event) =>
  isDone(event) ? `${event}data: {"choices":[{"index":0,"delta":{"content":" more"}}]}\n\n` : event,
);
