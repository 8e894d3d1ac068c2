import { describe, expect, it } from 'vitest';
import type { LimiterClass, ProbeReply } from '../../../model/limits/limit-log.ts';
import type {
  DistinguishingDecision,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import { explanationSection } from './explanation-section.ts';

const fit = (limiter: LimiterClass, wrong: number): LimiterFit => {
  const exactly = (value: number) => ({ value, least: value, most: value });
  return { limiter, limit: exactly(60), window: exactly(60_000), parameters: {}, wrong };
};

const named = fit('sliding-log', 0);
const rival = fit('token-bucket', 19);

const identification = (change: Partial<LimiterIdentification> = {}): LimiterIdentification => ({
  best: named,
  ties: [],
  runnerUp: rival,
  decisions: 240,
  ranking: [named, rival],
  likelier: [],
  ...change,
});

const decision = (place: number, change: Partial<DistinguishingDecision> = {}) => ({
  requestId: `r-${place}`,
  phase: 'provocation' as const,
  sent: 1000 * place,
  answered: 1000 * place + 40,
  observed: 'refused' as const,
  named: 'refused' as const,
  rival: 'admitted' as const,
  ...change,
});

const replies = Array.from({ length: 60 }, (_, i) => ({ requestId: `r-${i}` }) as ProbeReply);

const shown = (...args: Parameters<typeof explanationSection>): string =>
  terminalText(
    { weir: '', title: '', blocks: [explanationSection(...args)], footer: '' },
    { colour: false, width: 100 },
  ).trim();

describe('why a limiter is named and not the next', () => {
  it('lists the decisions that distinguish them; one row for neighbours of which the same is to be said', () => {
    const distinguishing = [
      decision(3),
      decision(4),
      decision(6),
      decision(7, { observed: 'admitted', named: 'admitted', rival: 'refused' }),
    ];
    const ties = [fit('fixed-from-first', 1)];
    const best = fit('sliding-log', 1);
    const explanation = { rival: fit('token-bucket', 5), distinguishing };
    expect(shown(identification({ best, ties }), explanation, replies)).toMatchInlineSnapshot(`
      "Why sliding-log and not token-bucket
        sliding-log contradicts 1 of 240 decisions, token-bucket 5, 1 of them the same. These distinguish
        the two:
        When        Requests  Observed  sliding-log  token-bucket  Phase
        3 s to 4 s         2  refused   ✓ refused    ✗ admitted    provocation
        6 s                1  refused   ✓ refused    ✗ admitted    provocation
        7 s                1  admitted  ✓ admitted   ✗ refused     provocation
        Not distinguished from sliding-log: fixed-from-first, against which no decision speaks."
    `);
  });

  it('distinguishes two limiters of one class by their limits', () => {
    const best = {
      ...fit('sliding-log', 0),
      window: { value: 12_000, least: 11_900, most: 12_100 },
    };
    const explanation = { rival: fit('sliding-log', 1), distinguishing: [decision(3)] };
    expect(shown(identification({ best }), explanation, replies)).toMatchInlineSnapshot(`
      "Why sliding-log of 60 in 12 s and not sliding-log of 60 in 60 s
        sliding-log of 60 in 12 s contradicts 0 of 240 decisions, sliding-log of 60 in 60 s 1. These
        distinguish the two:
        When  Requests  Observed  sliding-log of 60 in 12 s  sliding-log of 60 in 60 s  Phase
        3 s          1  refused   ✓ refused                  ✗ admitted                 provocation"
    `);
  });

  it('shows 15 rows on a terminal, and says how many more there are', () => {
    const distinguishing = Array.from({ length: 19 }, (_, i) => decision(2 * i));
    const text = shown(identification(), { rival, distinguishing }, replies);
    expect(text.match(/refused {2,}✓ refused/g)).toHaveLength(15);
    expect(text).toContain('… and 4 rows more, in limits.html and limits.json.');
  });

  it('says in one sentence that no class is named', () => {
    const none = identification({ best: null, runnerUp: fit('sliding-log', 12) });
    expect(shown(none, { rival: null, distinguishing: [] }, replies)).toMatchInlineSnapshot(`
      "Why this limiter
        No class is named, so there is nothing to compare with the next best: the closest, sliding-log,
        contradicts 12 of 240 decisions."
    `);
  });

  it('says in one sentence that every other class explains the log as well', () => {
    const ties = [fit('token-bucket', 0), fit('fixed-aligned', 0)];
    expect(shown(identification({ ties }), { rival: null, distinguishing: [] }, replies))
      .toMatchInlineSnapshot(`
        "Why this limiter
          Nothing distinguishes sliding-log from any other class: token-bucket, fixed-aligned, against which
          no decision speaks."
      `);
  });
});
