import type { Clock } from '../../../model/clock.ts';
import type { Exchange, Transport, WireRequest } from '../../../model/observation/exchange.ts';
import type { HeldStream } from '../reading/hang-up-facts.ts';

const maxText = 512 * 1024;

/** Counts the events that carry a part of an answer. */
const eventsIn = (text: string): number =>
  text.match(/^data:.*"(?:content|reasoning|reasoning_content)"\s*:\s*"[^"]/gm)?.length ?? 0;

/** Sends a chat. The returned stream shows what has arrived so far, until the chat ends or the caller hangs up. */
export const openStream = (
  transport: Transport,
  clock: Clock,
  request: WireRequest,
): HeldStream => {
  let [rest, exchange]: [string, Exchange | null] = ['', null];
  const stream = {
    begun: clock.now() as number,
    status: null as number | null,
    headers: {} as Readonly<Record<string, string>>,
    events: 0,
    hasEnded: false,
    text: '',
    hangUp: () => exchange?.abort('aborted', 'the client hung up'),
  };
  const end = (): void => {
    stream.hasEnded = true;
  };
  exchange = transport.send(request, {
    onConnected: () => undefined,
    onReconnect: () => undefined,
    onSent: () => undefined,
    onHeaders: (_, status, headers) => {
      stream.status = status;
      stream.headers = headers;
    },
    onChunk: (_, bytes) => {
      const text = Buffer.from(bytes).toString('latin1');
      const lines = rest + text;
      const whole = lines.lastIndexOf('\n') + 1;
      stream.events += eventsIn(lines.slice(0, whole));
      rest = lines.slice(whole);
      if (stream.text.length < maxText) stream.text += text;
    },
    onEnd: end,
    onFailure: end,
  });
  return stream;
};
