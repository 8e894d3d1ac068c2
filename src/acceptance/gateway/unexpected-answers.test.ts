import { expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { resultSchema } from '../../model/result/result.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Traffic } from '../../model/workload/traffic.ts';
import { groupRecorder } from '../../record/groups.ts';
import { sampleObservation } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation } from '../../record/tally.ts';
import { readSrt } from '../../traffic/kinds/captions.ts';
import { replay } from '../../traffic/kinds/replay.fixture.ts';
import {
  riffChunk,
  oggPage,
  opusHeaders,
  opusPacket,
  riff,
} from '../../traffic/audio/sample-audio.fixture.ts';
import { sampleTraffic } from '../../traffic/sample-traffic.fixture.ts';
import {
  doneData,
  sseEvents,
  stopChunk,
  textChunk,
} from '../../traffic/kinds/stream-bodies.fixture.ts';

/** An absurd answer must not break the run: any answer ends in an outcome that can be recorded. */

const price = { input: 600_000_000, output: 600_000_000 };
const chat = { ...sampleTraffic.chat, price };
const stream = { ...sampleTraffic['chat-stream'], price };
const opus: Traffic = { ...sampleTraffic.speech, format: 'opus' };

const usage = (output: number, input = 1): object => ({
  prompt_tokens: input,
  completion_tokens: output,
});
const chatBody = (counted: object): string =>
  JSON.stringify({
    choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }],
    usage: counted,
  });
const streamBody = (counted: object): string =>
  sseEvents(
    { ...textChunk('a'), usage: counted },
    textChunk('b'),
    stopChunk,
    { choices: [], usage: counted },
    doneData,
  );

const granule = (position: bigint): Buffer => {
  const page = oggPage([opusPacket], { last: true });
  page.writeBigInt64LE(position, 6);
  return Buffer.concat([opusHeaders(0), oggPage([opusPacket], { position: 960 }), page]);
};
/** PCM of one byte for each block, or ADPCM of so many samples in each. */
const wav = (rate: number, samplesPerBlock = 1): Buffer => {
  const format = Buffer.alloc(20);
  format.writeUInt16LE(samplesPerBlock === 1 ? 1 : 2, 0);
  format.writeUInt32LE(rate, 4);
  format.writeUInt16LE(1, 12);
  format.writeUInt16LE(samplesPerBlock, 18);
  return riff(riffChunk('fmt ', format), riffChunk('data', Buffer.alloc(200_000)));
};

/** The outcome of an answer, after all its figures were recorded and stored. */
const recorded = (entry: Traffic, body: string | Buffer): object => {
  const outcome = replay(entry, [Buffer.from(body as string)], {
    headers: { 'content-type': entry.kind === 'chat-stream' ? 'text/event-stream' : '' },
  });
  const plan = samplePlan();
  const tally = emptyTally(plan);
  const [began, ended] = [instant(1000), instant(600_000)];
  const times = { due: began, released: began, begun: began, sent: began, ended };
  const observation = sampleObservation({ ...times, traffic: entry.kind, outcome });
  recordObservation(tally, observation);
  const groups = groupRecorder(plan);
  expect(resultSchema.shape.groups.safeParse(groups.store(tally.groups)).error).toBeUndefined();
  if (outcome.kind === 'malformed') return { issue: outcome.issue };
  if (outcome.kind !== 'completed') return outcome;
  const { answer } = outcome;
  return { notes: answer.notes, ...('cost' in answer ? { cost: answer.cost } : {}) };
};

it.each([
  ['a position of 2^62', opus, granule(2n ** 62n), 'audio-container'],
  ['a position below zero', opus, granule(-(2n ** 62n)), 'audio-container'],
  ['a position that falls', opus, granule(959n), 'audio-container'],
  ['a position a day later', opus, granule(48_000n * 86_401n), 'audio-container'],
  ['a rate of 2^32 − 1', sampleTraffic.speech, wav(2 ** 32 - 1), 'audio-container'],
  ['a rate of 1', sampleTraffic.speech, wav(1), 'audio-container'],
  ['blocks of 65,535 samples', sampleTraffic.speech, wav(1, 65_535), 'audio-container'],
] as const)('audio with %s is malformed', (_, entry, body, issue) => {
  expect(recorded(entry, body)).toEqual({ issue });
});

it.each([
  ['chat', chat, chatBody],
  ['a stream', stream, streamBody],
] as const)('a usage that is impossibly high is noted and not counted: %s', (_, entry, bodyOf) => {
  for (const counted of [usage(9e12), usage(1, 9e12), usage(1e9 + 1)]) {
    expect(recorded(entry, bodyOf(counted))).toMatchObject({ cost: null });
    expect(recorded(entry, bodyOf(counted))).toHaveProperty(
      'notes',
      expect.arrayContaining(['usage-unreadable']),
    );
  }
  expect(recorded(entry, bodyOf(usage(1e9, 1e9)))).toEqual({
    notes: [],
    cost: 1_200_000_000_000,
  });
});

it.each([
  ['chat', chat, chatBody],
  ['a stream', stream, streamBody],
] as const)('a cost that is too high to be stored is unknown: %s', (_, entry, bodyOf) => {
  const dear = { ...entry, price: { input: 9e15, output: 9e15 } };
  expect(recorded(dear, bodyOf(usage(1e9)))).toMatchObject({ cost: null });
});

it.each([
  ['<', '<'],
  ['{\\', '{\\'],
  ['&', '&'],
  ['\n ', ''],
])('captions with 100,000 times %j are read in linear time', (opened, kept) => {
  const cue = '1\n00:00:00,000 --> 00:00:01,000\n';
  const before = process.cpuUsage();
  expect(readSrt(cue + opened.repeat(100_000))).toBe(kept.repeat(100_000));
  // CPU time in µs, of which linear time takes milliseconds and quadratic time about ten seconds.
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});
