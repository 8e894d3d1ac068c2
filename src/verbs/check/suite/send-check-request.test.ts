import { expect, it } from 'vitest';
import { type Instant, instant } from '../../../model/quantity.ts';
import type { Transport } from '../../../model/observation/exchange.ts';
import { sendCheckRequest } from './send-check-request.ts';

const request = { method: 'GET', path: '/', headers: {}, body: null } as const;
const deadlines = { total: 1000, idle: 500, afterEnd: 100 };

/** Sends to a server that writes a text and then keeps its connection open; time passes in steps of 25 ms. */
const readFrom = (text: string, isStream: boolean) => {
  let now: Instant = instant(0);
  let look = (): void => undefined;
  const transport: Transport = {
    send: (_, observer) => {
      observer.onHeaders(now, 200, {});
      observer.onChunk(now, Buffer.from(text));
      return { abort: (cause, detail) => observer.onFailure(now, cause, detail) };
    },
    connectAhead: () => undefined,
    notes: () => [],
    close: async () => undefined,
  };
  const clock = {
    now: () => now,
    read: () => now,
    every: (_: number, run: () => void) => {
      look = run;
      return () => undefined;
    },
    alarm: () => ({ set: () => undefined, stop: () => undefined }),
  };
  const received = sendCheckRequest({ transport, clock }, request, deadlines, {
    isStream,
    isAudio: false,
  });
  for (let step = 1; step <= 30; step += 1) {
    now = instant(step * 25);
    look();
  }
  return received;
};

it.each(['\n\n', '\r\n\r\n', '\r\r'])(
  'a stream that stays open after its last line is whole, with lines that end in %j',
  async (end) => {
    const received = await readFrom(`data: {}${end}data: [DONE]${end}`, true);
    expect(received).toMatchObject({ failure: null, isLeftOpen: true, took: 125 });
  },
);

it('any other answer that stays open is not whole', async () => {
  for (const [text, isStream] of [
    ['data: {}\n\n', true],
    ['data: [DONE]\n\n', false],
  ] as const)
    expect(await readFrom(text, isStream)).toMatchObject({
      failure: { cause: 'deadline-idle' },
      isLeftOpen: false,
      took: 525,
    });
});
