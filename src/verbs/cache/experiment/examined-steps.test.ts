import { describe, expect, it } from 'vitest';
import type { CacheReply } from '../judge/cache-hits.ts';
import { serveCache } from './caching-server.fixture.ts';
import { type CachePorts, examineCache, mostChats, waitUntil } from './examine-cache.ts';
import { examine } from './examined-cache.fixture.ts';

const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' ? Number(each.toPrecision(7)) : each,
    ),
  );

describe('the whole of what an examination saw', () => {
  it.each([
    ['reports its cached tokens', { keeps: 30_000, size: 40_000, shortest: 300 }],
    ['holds few prompts', { keeps: 30_000, size: 5000 }],
    ['reports none', { reports: false, keeps: 20_000, share: 0.9, jitter: 4 }],
    ['loses prompts by chance', { keeps: 60_000, misses: 0.2 }],
    ['has no cache', { keeps: 0 }],
    ['has words of several tokens', { keeps: 3000, perWord: 3, slow: 40 }],
  ])('of a server that %s', async (_, server) => {
    expect(rounded(await examine(server))).toMatchSnapshot();
  });
});

/** Sends to a cache that keeps everything, and collects each prompt with the instant at which it was sent. */
const collecting = (
  change: (reply: CacheReply, count: number) => CacheReply | string = (reply) => reply,
) => {
  const sent: string[] = [];
  const { ports } = serveCache({ keeps: 1e9 });
  const ask: CachePorts['ask'] = async (prompt) => {
    sent.push(prompt);
    const reply = await ports.ask(prompt);
    return typeof reply === 'string' ? reply : change(reply, sent.length);
  };
  return { sent, ports: { ...ports, ask } };
};

describe('the prompts', () => {
  it('begin with two of known lengths, then five rounds of a short, a new and a repeated one', async () => {
    const { sent, ports } = collecting((reply, count) => (count === 17 ? 'enough' : reply));
    const { stopped, spent } = await examineCache(ports, { tokens: 1e9, longest: 120_000 });
    expect(stopped).toBe('enough');
    expect(spent.requests).toBe(17);
    const words = sent.map((prompt) => prompt.split(' time').length - 1);
    const round = [1, 1024, 1024];
    expect(words).toEqual([1, 65, ...round, ...round, ...round, ...round, ...round]);
    expect(sent[0]).toBe('Note 1-1000. time That was note 1. Say yes.');
    const numbers = sent.map((prompt) => /^Note (\d+)-1000\./.exec(prompt)?.[1]);
    // The beginning of a repeated prompt is made before the short one of its round.
    expect(numbers.slice(0, 8)).toEqual(['1', '2', '4', '3', '3', '6', '5', '5']);
    expect(sent.map((prompt) => / note (\d+)\. Say/.exec(prompt)?.[1])).toEqual(
      sent.map((_, place) => String(place + 1)),
    );
  });

  it('cost what is reported and one token of the answer, or else their words and 40', async () => {
    const spentOf = async (change: (reply: CacheReply) => CacheReply) => {
      const { ports } = collecting((reply, count) => (count === 2 ? 'enough' : change(reply)));
      return (await examineCache(ports, { tokens: 1e9, longest: 120_000 })).spent;
    };
    expect(await spentOf((reply) => ({ ...reply, tokens: 100 }))).toEqual({
      requests: 2,
      tokens: 101,
    });
    // “Note 1-1000. time That was note 1. Say yes.” has nine words.
    expect(await spentOf((reply) => ({ ...reply, tokens: null }))).toEqual({
      requests: 2,
      tokens: 49,
    });
  });

  it('end as soon as the budget would not hold the next', async () => {
    const requestsOf = async (tokens: number) => {
      const { ports } = collecting((reply) => ({ ...reply, tokens: null }));
      const { spent, stopped } = await examineCache(ports, { tokens, longest: 120_000 });
      return [spent.requests, stopped];
    };
    const why = 'the budget of tokens is spent';
    expect(await requestsOf(48)).toEqual([0, why]);
    expect(await requestsOf(49)).toEqual([1, why]);
    // The second has 64 words more.
    expect(await requestsOf(49 + 112)).toEqual([1, why]);
    expect(await requestsOf(49 + 113)).toEqual([2, why]);
    const { ports } = collecting();
    const stopped = await examineCache(
      { ...ports, isStopped: () => true },
      { tokens: 1, longest: 2000 },
    );
    expect(stopped).toMatchObject({
      spent: { requests: 0, tokens: 0 },
      stopped: 'stopped by the user',
    });
  });

  it('are never more than 312', () => {
    expect(mostChats).toBe(312);
  });
});

it('a wait looks every half second whether it was stopped, and ends at its moment', async () => {
  const waitsUntil = async (moment: number, stop = Infinity) => {
    let now = 1000;
    const slept: number[] = [];
    const sleep = async (length: number) => {
      slept.push(length);
      now += length;
    };
    await waitUntil({ now: () => now, sleep, isStopped: () => now >= stop }, moment);
    return slept;
  };
  expect(await waitsUntil(1000)).toEqual([]);
  expect(await waitsUntil(1001)).toEqual([1]);
  expect(await waitsUntil(2200)).toEqual([500, 500, 200]);
  expect(await waitsUntil(9000, 1600)).toEqual([500, 500]);
});
