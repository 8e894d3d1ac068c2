import { describe, expect, it } from 'vitest';
import { a, b, examine, stream } from './asked-fairness.fixture.ts';
import type { FairnessRequest } from './fairness.ts';

/** What is said before anything is sent. */
const designOf = async (changes: object, given: Partial<FairnessRequest> = {}) => {
  const { exit, said } = examine(changes, given);
  await expect(exit).rejects.toThrow('this budget needs a confirmation');
  return said.join('\n').split('\n');
};

describe('weir fairness', () => {
  it('says what it measures and what that needs, and sends nothing without a yes', async () => {
    const [design, reach, budget] = await designOf({});
    expect(design).toBe(
      'TTFT p95 of b with and without the load of a: 3 pairs of blocks in random order; each measures 2 s, after 1 s that do not count.',
    );
    expect(reach).toBe(
      'If these times scatter like an exponential, the interval will be ±77.1 % with at most 10.0 % allowed, and “isolated” is likely to need --pairs 25 (2 min 30 s).',
    );
    // Six blocks of 3 s, in three of which a sends too: 720 + 180, and five deviations.
    expect(budget).toBe(
      'Budget: at most 1,050 requests, retries included; as planned: 900 requests, with tokens: about 900 in, at most 3,600 out; cost: about 11.700000; 18 s of load.',
    );
    // A second more if the last block has the noise, so that b can come back.
    const [, , longer] = await designOf({ seed: 6 });
    expect(longer).toContain(
      'at most 1,094 requests, retries included; as planned: 940 requests, ',
    );
    expect(longer).toContain('; 19 s of load.');
  });

  it('sends a multiple of the noise, all of it a share of users’ budget', async () => {
    const users = { kind: 'closed', users: 2, duration: '9s' };
    const [design, , budget] = await designOf(
      { populations: [b, { ...a, load: users }] },
      { times: '3', quietPopulation: 'b', noisy: 'a', figure: 'endToEnd.p50' },
    );
    expect(design).toContain('end to end p50 of b with 3 times and with once the load of a: ');
    expect(budget).toContain('Budget: at most 50,000 requests, ');
    expect(budget).toContain('as planned if an answer takes 1 s: ');
    const [, , capped] = await designOf(
      { populations: [b, { ...a, load: users }], budget: { requests: 1500 } },
      { requests: '2000' },
    );
    expect(capped).toContain('Budget: at most 1,500 requests, ');
  });

  it('measures the end to end where nothing is streamed', async () => {
    const [design] = await designOf({ traffic: [{ ...stream, kind: 'chat' }] });
    expect(design).toMatch(/^end to end p95 of b /);
    // Of both kinds of traffic the streams are compared; what the other population streams is no matter.
    const both = { traffic: [{ ...stream, kind: 'chat' }, stream] };
    expect((await designOf(both))[0]).toMatch(/^TTFT p95 of b /);
    const chats = { ...b, traffic: [{ ...stream, kind: 'chat' }] };
    expect((await designOf({ populations: [chats, a] }))[0]).toMatch(/^end to end p95 of b /);
    const others = { ...a, traffic: [{ ...stream, kind: 'chat' }] };
    expect((await designOf({ populations: [b, others] }))[0]).toMatch(/^TTFT p95 of b /);
  });

  it.each<readonly [changes: object, given: Partial<FairnessRequest>, message: string]>([
    [{}, { noisy: 'c' }, '--noisy: expected a population of the scenario (b and a); got c'],
    [{}, { quietPopulation: 'c' }, '--quiet-population: expected a population of the'],
    [{}, { quietPopulation: 'a', noisy: 'a' }, '--noisy: expected another population than the'],
    [{}, { pairs: '2' }, '--pairs: expected a whole number of at least 3; got 2'],
    [{}, { pairs: '3.5' }, '--pairs: expected a whole number of at least 3; got 3.5'],
    [{}, { times: '1' }, '--times: expected a whole number of at least 2; got 1'],
    [{}, { block: '999ms' }, '--block: expected '],
    [{}, { settle: '1' }, '--settle: expected '],
    [{}, { maxMoved: 'much' }, '--max-moved: expected '],
    [{}, { figure: 'ttft' }, '--figure: expected ttft or endToEnd with p50'],
    [{}, { figure: 'tpot.p95' }, '--figure: expected ttft or endToEnd with p50'],
    [{}, { requests: '800' }, 'requests, and at most 800 are allowed: raise --requests'],
    [{ budget: { requests: 700 } }, {}, 'requests, and at most 700 are allowed: raise --requests'],
    [
      { traffic: [{ ...stream, kind: 'chat' }] },
      { figure: 'ttft.p95' },
      'population b streams nothing, so it has no TTFT: give endToEnd.p95',
    ],
    [
      {
        populations: [
          b,
          { ...a, load: { kind: 'ramping', from: '1/s', steps: [{ to: '9/s', over: '9s' }] } },
        ],
      },
      {},
      'population a: expected a steady load, since its blocks are compared: constant, poisson, gamma or closed; got a rate that changes',
    ],
    [
      {
        populations: [
          { ...b, load: { kind: 'stairs', from: '1/s', step: '1/s', every: '3s', steps: 3 } },
          a,
        ],
      },
      {},
      'population b: expected one load, since its blocks are compared; got 3 stages',
    ],
    [{ populations: [b] }, {}, 'weir fairness needs a scenario with two populations'],
  ])('refuses %j with %j', async (changes, given, message) => {
    await expect(examine(changes, given).exit).rejects.toThrow(message);
  });
});
