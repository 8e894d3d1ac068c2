import {
  changedEvents,
  changeEvents,
  isDone,
  isFinish,
  isToken,
  type MockFault,
  splitEvents,
  stream,
  type StreamFault,
  writeNonEmpty,
} from './fault.ts';

/** Streams with other content, some as real servers send it, some wrong. */

const roleFirst: StreamFault = (inner) => {
  const chunk = { choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] };
  inner.write(`data: ${JSON.stringify(chunk)}\n\n`);
  return inner;
};

const usageEveryChunk: StreamFault = (inner, context) => {
  let tokens = 0;
  return changeEvents((event) => {
    if (!isToken(event)) return event;
    tokens += 1;
    const usage = { prompt_tokens: 0, completion_tokens: tokens, total_tokens: tokens };
    return event
      .replace(',"usage":null}\n\n', '}\n\n')
      .replace(/\}\n\n$/, `,"usage":${JSON.stringify(usage)}}\n\n`);
  })(inner, context);
};

/** Changes single tokens; `left` is the number of tokens that remain before the fault, negative after it. */
const changeTokens =
  (change: (event: string, left: number) => string): StreamFault =>
  (inner, context) => {
    let left = context.after;
    return changeEvents((event) => {
      if (!isToken(event)) return event;
      left -= 1;
      return change(event, left);
    })(inner, context);
  };

const nameReasoning = (event: string, left: number): string => {
  if (left < 0) return event;
  const name = left % 2 === 0 ? 'reasoning_content' : 'reasoning';
  return event.replace('"delta":{"content":', `"delta":{"content":null,"${name}":`);
};

interface TokenChunk {
  readonly choices: readonly { readonly delta: { readonly content: string } }[];
}

const tokensPerChunk = 4;

const severalTokens: StreamFault = (inner) => {
  let held: string[] = [];
  let frame = '';
  const flush = (): string => {
    if (held.length === 0) return '';
    const text = JSON.stringify(held.join(''));
    held = [];
    return frame.replace(/("content":)"(?:[^"\\]|\\.)*"/, (_, name: string) => name + text);
  };
  const mergeEvent = (event: string): string => {
    if (!isToken(event)) return flush() + event;
    frame = event;
    const chunk = JSON.parse(event.slice('data: '.length)) as TokenChunk;
    held.push(chunk.choices[0]?.delta.content ?? '');
    return held.length === tokensPerChunk ? flush() : '';
  };
  return {
    write: (events) => writeNonEmpty(inner, splitEvents(String(events)).map(mergeEvent).join('')),
    end: () => inner.end(),
  };
};

const usageOnly = '"choices":[],';
const nullFields =
  '"delta":{"role":null,"refusal":null,"tool_calls":null,"function_call":null,"reasoning_content":null,"content":';
const oneMore = 'data: {"choices":[{"index":0,"delta":{"content":" more"}}]}\n\n';

export const contentFaults = {
  /** Sends the role in its own event, long before the first token. */
  'role-first': stream(roleFirst),
  'usage-null-choices': changedEvents((event) => event.replace(usageOnly, '"choices":null,')),
  'usage-no-choices': changedEvents((event) => event.replace(usageOnly, '')),
  /** A running count of tokens, which only the usage at the end corrects. */
  'usage-every-chunk': stream(usageEveryChunk),
  /** The first tokens are reasoning, alternating between both field names that servers use. */
  reasoning: stream(changeTokens(nameReasoning), { after: 2 }),
  'null-fields': changedEvents((event) => event.replace('"delta":{"content":', nullFields)),
  /** Four tokens in a chunk; the rest comes with the end. */
  'several-tokens': stream(severalTokens),
  /** An event that is cut within its JSON. */
  'broken-event': stream(
    changeTokens((event, left) => (left === -1 ? `${event.slice(0, 40)}\n\n` : event)),
    { after: 2 },
  ),
  'finish-error': changedEvents((event) =>
    isFinish(event) ? event.replace(/"finish_reason":"\w+"/, '"finish_reason":"error"') : event,
  ),
  'no-done': changedEvents((event) => (isDone(event) ? '' : event)),
  /** A chunk after `[DONE]`. */
  'data-after-done': changedEvents((event) => (isDone(event) ? event + oneMore : event)),
} as const satisfies Record<string, MockFault>;
