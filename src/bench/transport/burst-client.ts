import { setTimeout as sleep } from 'node:timers/promises';
import { readStamps } from '../../platform/canary/stamp.ts';
import { readOptions } from '../harness/child-input.ts';
import type { BurstStream } from './burst-figures.ts';
import { machineNow, type StreamClient, streamOpener } from './stream-openers.ts';

/** Opens many streams at once, right after its start, and prints a `BurstStream` for each once all have ended. */

export interface BurstClientOptions {
  readonly url: string;
  readonly client: StreamClient;
  readonly streams: number;
  /** Of each stream. */
  readonly tokens: number;
  /** It ends after this time even if tokens are missing, in ms. */
  readonly limit: number;
}

const { url, client, streams, tokens, limit } = await readOptions<BurstClientOptions>();
const openStream = streamOpener(client, { url, certificate: null });

interface OpenedStream extends BurstStream {
  sent: number;
  readonly read: number[];
}

const due = machineNow();
const opened = Array.from({ length: streams }, (_, n): OpenedStream => ({
  requestId: `weir-bench-0-${n}`,
  due,
  sent: Number.NaN,
  read: [],
}));
let missing = streams * tokens;
const haveEnded = Promise.withResolvers<void>();
for (const stream of opened) {
  openStream(stream.requestId, {
    onSent: (at) => {
      stream.sent = at;
    },
    onRead: (at, bytes) =>
      readStamps(bytes, () => {
        stream.read.push(at);
        missing -= 1;
        if (missing === 0) haveEnded.resolve();
      }),
  });
}
await Promise.race([haveEnded.promise, sleep(limit)]);
console.log(JSON.stringify(opened));
