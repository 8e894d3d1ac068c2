import { measuredWindow } from '../../model/result/summary.ts';
import type { Result } from '../../model/result/result.ts';
import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { smallChatTraffic } from '../harness/chat-bytes.ts';
import { runWeir } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { median, sustainsRate } from '../harness/statistics.ts';

const rounds = 5;
const rate = 1000;
const duration = 9;
/** The seconds of a run that are compared: from, and until before. */
const cold = { from: 0, to: 2 } as const;
const warm = { from: 4, to: 8 } as const;

/** Microseconds of CPU of the generator's process for each chat that ended in these seconds; `NaN` if too few did. */
const costIn = (result: Result, { from, to }: { readonly from: number; readonly to: number }) => {
  const isInside = ({ second }: { readonly second: number }): boolean =>
    second >= from && second < to;
  const samples = result.slices.flatMap(({ generator }) => generator).filter(isInside);
  const seconds = measuredWindow(result)?.timeline.filter(isInside) ?? [];
  const chats = seconds.reduce((sum, { ended }) => sum + ended, 0);
  const isUsable = samples.length === to - from && sustainsRate(chats / (to - from), rate);
  return isUsable ? (samples.reduce((sum, { cpu }) => sum + cpu, 0) / chats) * 1e6 : Number.NaN;
};

/** What a chat costs in the first two seconds of a run against later ones of the same run. */
export const coldStart: BenchPart = async (say) => {
  const title = `small chats at ${rate}/s`;
  await using server = await startChatServer({ gap: 0, tokens: 0, certificate: null });
  const costs: { readonly first: number; readonly later: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const result = await runWeir({
      name: 'cold-start',
      target: server.url,
      transport: 'socket',
      wire: { proxy: 'none' },
      traffic: [{ kind: 'chat', ...smallChatTraffic }],
      load: { kind: 'constant', rate: `${rate}/s`, duration: `${duration}s` },
      warmUp: '0s',
    });
    const [first, later] = [costIn(result, cold), costIn(result, warm)];
    say(`${title}, round ${round}: ${first.toFixed(1)} µs of CPU each, later ${later.toFixed(1)}`);
    costs.push({ first, later });
  }
  // A round in which the machine could not keep the rate does not count.
  const usable = costs.filter(({ first, later }) => !Number.isNaN(first + later));
  return [
    benchRow(
      `${title}: CPU of a chat in the first ${cold.to} seconds`,
      'µs',
      median(usable.map(({ first }) => first)),
    ),
    benchRow(
      `${title}: the same against seconds ${warm.from} to ${warm.to}`,
      '×',
      median(usable.map(({ first, later }) => first / later)),
      atMost(1.3),
    ),
  ];
};
