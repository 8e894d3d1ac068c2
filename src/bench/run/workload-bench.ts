import { readPromptWords } from '../../platform/files/file-contents.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { ExchangeObserver, Transport } from '../../model/observation/exchange.ts';
import { routes } from '../../contract/routes.ts';
import { startClock } from '../../platform/host/clock.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { undiciTransport } from '../../platform/http/undici-transport.ts';
import { vocabularyOf } from '../../workload/vocabulary.ts';
import type { Bench } from '../harness/bench.ts';
import { median } from '../harness/median.ts';
import { startPinned } from '../harness/pinned-processes.ts';

/** Whether made-up prompts cost less CPU than sending them does. */

const million = 1_000_000;
const rounds = 7;
const inFlight = 8;

/** CPU of this process that the work took, in ms. */
const cpuOf = async (work: () => Promise<void> | void): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const send = (transport: Transport, body: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    const observer: ExchangeObserver = {
      onConnected: () => undefined,
      onSent: () => undefined,
      onHeaders: () => undefined,
      onChunk: () => undefined,
      onEnd: () => resolve(),
      onFailure: (_, cause, detail) => reject(new Error(`${cause}: ${detail}`)),
    };
    const headers = { 'content-type': 'application/json' };
    transport.send({ ...routes.chat, headers, body }, observer);
  });

const sendAll = async (transport: Transport, bodies: readonly Uint8Array[]): Promise<void> => {
  const waiting = bodies.values();
  const lanes = Array.from({ length: inFlight }, async () => {
    for (const body of waiting) await send(transport, body);
  });
  await Promise.all(lanes);
};

/** A million tokens of prompts of one size: what making them costs, and what sending them does. */
const measure = async (transport: Transport, tokens: number) => {
  const vocabulary = vocabularyOf({ words: readPromptWords(), keepsLeadingSpace: true });
  const makingTimes: number[] = [];
  const sendingTimes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const prompts: string[] = [];
    const making = await cpuOf(() => {
      for (let index = 0; index < million / tokens; index += 1) {
        const prompt = vocabulary.text(tokens, drawFrom(round, 0, index));
        // Joins the words now: left to itself, the engine does that in mid-sending.
        Buffer.from(prompt);
        prompts.push(prompt);
      }
    });
    const sending = await cpuOf(async () => {
      const bodies = prompts.map((content) =>
        Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] })),
      );
      await sendAll(transport, bodies);
    });
    makingTimes.push(making);
    sendingTimes.push(sending);
  }
  return { making: median(makingTimes), sending: median(sendingTimes) };
};

export const workloadBench: Bench = {
  name: 'workload',
  about: 'whether prompts cost less to make than to send',
  run: async (say) => {
    const bare = await startPinned(0, ['bare-server.ts'], { input: '{}' });
    const { url } = JSON.parse(bare.line) as { url: string };
    const transport = undiciTransport({ url, wire: directWire, certificates: null }, startClock());
    try {
      const small = await measure(transport, 1000);
      const large = await measure(transport, 100_000);
      for (const [size, { making, sending }] of Object.entries({ small, large })) {
        say(`${size}: ${making.toFixed(1)} ms of CPU to make, ${sending.toFixed(1)} ms to send`);
      }
      return [
        {
          what: 'making a million tokens in prompts of 1,000, to sending them',
          value: small.making / small.sending,
          unit: '×',
          bound: { kind: 'at most', value: 1 },
        },
        {
          what: 'the same in prompts of 100,000',
          value: large.making / large.sending,
          unit: '×',
          bound: { kind: 'at most', value: 1 },
        },
        {
          what: 'tokens made in a second of CPU',
          value: (million / small.making) * 1000,
          unit: '/s',
          bound: null,
        },
      ];
    } finally {
      await transport.close();
      await bare.stop();
    }
  },
};
