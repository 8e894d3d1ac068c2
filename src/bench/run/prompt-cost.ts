import { routes } from '../../contract/routes.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { readPromptWords } from '../../platform/files/file-contents.ts';
import { startClock } from '../../platform/host/clock.ts';
import { undiciTransport } from '../../platform/http/undici-transport.ts';
import { unpackWords, vocabularyOf } from '../../workload/single-token-words.ts';
import { ignoreExchange } from '../harness/bare-client.ts';
import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { startPinned } from '../harness/processes.ts';
import { median } from '../harness/statistics.ts';

const million = 1_000_000;
const rounds = 7;
const inFlight = 8;

/** CPU time of this process during the work, in ms. */
const cpuDuring = async (work: () => Promise<void> | void): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const headers = { 'content-type': 'application/json' };

const send = (transport: Transport, prompt: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const chat = { model: 'm', messages: [{ role: 'user', content: prompt }] };
    const body = Buffer.from(JSON.stringify(chat));
    transport.send(
      { ...routes.chat, headers, body },
      {
        ...ignoreExchange,
        onEnd: () => resolve(),
        onFailure: (_, cause, detail) => reject(new Error(`${cause}: ${detail}`)),
      },
    );
  });

/** CPU time for a million tokens in prompts of one size: to make them, and to send them. */
const measure = async (transport: Transport, tokens: number) => {
  const vocabulary = vocabularyOf({
    words: unpackWords(readPromptWords()),
    keepsLeadingSpace: true,
  });
  const makingTimes: number[] = [];
  const sendingTimes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const prompts: string[] = [];
    const make = (): void => {
      for (let index = 0; index < million / tokens; index += 1) {
        const prompt = vocabulary.text(tokens, drawFrom(round, 0, index));
        // Joins the words now; otherwise the engine does so while sending.
        Buffer.from(prompt);
        prompts.push(prompt);
      }
    };
    const sendAll = async (): Promise<void> => {
      const waiting = prompts.values();
      const lanes = Array.from({ length: inFlight }, async () => {
        for (const prompt of waiting) await send(transport, prompt);
      });
      await Promise.all(lanes);
    };
    makingTimes.push(await cpuDuring(make));
    sendingTimes.push(await cpuDuring(sendAll));
  }
  return { making: median(makingTimes), sending: median(sendingTimes) };
};

/** Whether made-up prompts cost less CPU to make than to send. */
export const measurePromptCost: BenchPart = async (say) => {
  await using bare = await startPinned(0, ['bench/harness/bare-server.ts'], '{}');
  const url = `http://127.0.0.1:${bare.line}/v1`;
  const transport = undiciTransport({ url, wire: directWire, certificates: null }, startClock());
  const small = await measure(transport, 1000);
  const large = await measure(transport, 100_000);
  await transport.close();
  for (const [size, { making, sending }] of Object.entries({ small, large })) {
    say(`${size}: ${making.toFixed(1)} ms of CPU to make, ${sending.toFixed(1)} ms to send`);
  }
  const ratio = ({ making, sending }: typeof small): number => making / sending;
  const what = 'making a million tokens in prompts of 1,000, against sending them';
  return [
    benchRow(what, '×', ratio(small), atMost(1)),
    benchRow('the same in prompts of 100,000', '×', ratio(large), atMost(1)),
    benchRow('tokens made per second of CPU', '/s', (million / small.making) * 1000),
  ];
};
