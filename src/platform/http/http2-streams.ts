import { subscribe } from 'node:diagnostics_channel';
import type { ClientHttp2Stream } from 'node:http2';

/**
 * The HTTP/2 streams below undici, which hides how they end: it silently resends a refused request and takes
 * a stream that is reset in its middle for a whole answer. Node publishes each stream as it is made, within the
 * call that follows undici's `onRequestStart`.
 */

type StreamListener = (stream: ClientHttp2Stream) => void;

let nextStream: StreamListener | null = null;
let isSubscribed = false;

/** Calls `listener` with the stream that this turn of the loop makes next. */
export const onNextStream = (listener: StreamListener): void => {
  if (!isSubscribed) {
    isSubscribed = true;
    subscribe('http2.client.stream.created', (message) => {
      nextStream?.((message as { readonly stream: ClientHttp2Stream }).stream);
      nextStream = null;
    });
  }
  nextStream = listener;
};

/** How the server reset a stream (RFC 9113, section 7), in a few words; `null` if it did not. */
export const resetOf = (stream: ClientHttp2Stream | null): string | null => {
  const code = stream?.rstCode ?? 0;
  if (code === 0) return null;
  return code === 7 ? 'the server refused the stream' : `the server reset the stream, code ${code}`;
};
