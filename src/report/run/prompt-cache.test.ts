import { describe, expect, it } from 'vitest';
import type { TokenSums } from '../../model/measures/counts.ts';
import { addPrefill, noPrefills, type PrefillSums } from '../../model/measures/prefill.ts';
import { emptySecond } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { markdownText } from '../document/markdown-writer.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { promptCacheSection } from './prompt-cache.ts';

const resultWith = (
  sums: Pick<TokenSums, 'cached' | 'repeated'>,
  differing: Partial<Result> = {},
): Result => {
  const sample = sampleRunResult();
  const [group] = sample.groups.filter(({ labels }) => !labels.warmUp);
  const all = { source: 'usage' as const, answers: 50, answersWithInput: 50, input: 5000 };
  return {
    ...sample,
    groups: [{ ...group!, tokens: [{ ...all, output: 10, ...sums }] }],
    ...differing,
  };
};

/** The section's lines in Markdown, without the head of its table and the explanation. */
const linesOf = (result: Result): readonly string[] => {
  const section = promptCacheSection(result);
  if (section === null) return [];
  const document = {
    weir: '1',
    title: 't',
    description: [],
    verdict: null,
    tone: 'plain',
    introduction: [],
    blocks: [section],
    footer: '',
  } as unknown as Parameters<typeof markdownText>[0];
  return markdownText(document)
    .split('\n')
    .filter((line) =>
      /^\| Expected|Reported|Inferred from|More was|Of the tokens|All tokens|worker/.test(line),
    );
};

const repeated = { answers: 50, input: 5000, tokens: 3000 };

/** Seconds of streams whose time grows with the tokens that are new to a cache that has everything. */
const prefills = (): readonly PrefillSums[] =>
  Array.from({ length: 40 }, (_, second) => {
    const sums = { ...noPrefills };
    for (let i = 0; i < 10; i += 1) {
      const [input, part] = [1000 + ((second * 37 + i * 91) % 700), i % 3 === 0 ? 0 : 600];
      addPrefill(sums, { time: 20 + 0.1 * (input - part) + (i % 4), input, repeated: part });
    }
    return sums;
  });

describe('the section on the prompt cache', () => {
  it('compares what was reported with what was expected', () => {
    const cached = { answers: 50, input: 5000, tokens: 2400 };
    expect(linesOf(resultWith({ cached, repeated }))).toMatchInlineSnapshot(`
      [
        "| Expected | 60.0 % | 3,000 of 5,000 tokens in 50 prompts |",
        "| Reported | 48.0 % | 2,400 of 5,000 tokens in 50 prompts |",
        "| Inferred from TTFT | – | too few streams, or fewer than ten seconds with any |",
        "Of the tokens that can have come from a cache, 80.0 % were reported.",
      ]
    `);
  });

  it('says that more was reported than the run repeated', () => {
    const cached = { answers: 50, input: 5000, tokens: 4000 };
    expect(linesOf(resultWith({ cached, repeated })).at(-1)).toMatchInlineSnapshot(
      `"More was reported than this run had sent before: the server’s cache held 1,000 tokens from earlier requests, or it counts otherwise."`,
    );
  });

  it('says how many answers reported nothing, and compares no different answers', () => {
    const cached = { answers: 20, input: 2000, tokens: 1000 };
    expect(linesOf(resultWith({ cached, repeated }))).toMatchInlineSnapshot(`
      [
        "| Expected | 60.0 % | 3,000 of 5,000 tokens in 50 prompts |",
        "| Reported | 50.0 % | 1,000 of 2,000 tokens in 20 prompts; 30 answers reported nothing |",
        "| Inferred from TTFT | – | too few streams, or fewer than ten seconds with any |",
      ]
    `);
  });

  it('has what the times to the first token show', () => {
    const { timeline, plan } = sampleRunResult();
    const from = Math.ceil(plan.warmUp / 1000);
    const seconds = prefills().map((prefill, i) => ({
      ...emptySecond(from + i),
      latency: {},
      prefill,
    }));
    const result = resultWith({ repeated }, { timeline: [...timeline.slice(0, from), ...seconds] });
    expect(linesOf(result)).toMatchInlineSnapshot(`
      [
        "| Expected | 60.0 % | 3,000 of 5,000 tokens in 50 prompts |",
        "| Reported | – | no answer reports cached tokens |",
        "| Inferred from TTFT | 26.8 % | 95 %: 26.6 % to 26.8 %, 400 streams |",
      ]
    `);
  });

  it('says that a worker does not know what another one sent', () => {
    const { slices } = sampleRunResult();
    const [slice] = slices;
    const two = [0, 1].map((index) => ({ ...slice!, index, count: 2 }));
    const cached = { answers: 50, input: 5000, tokens: 4000 };
    const lines = linesOf(resultWith({ cached, repeated }, { slices: two }));
    expect(lines).toMatchInlineSnapshot(`
      [
        "| Expected, at least | 60.0 % | 3,000 of 5,000 tokens in 50 prompts |",
        "| Reported | 80.0 % | 4,000 of 5,000 tokens in 50 prompts |",
        "| Inferred from TTFT | – | no slice knows what the others repeated |",
        "Each worker or slice knows only what it sent itself, so more can have come from a cache.",
      ]
    `);
  });

  it('is absent where nothing was repeated or cached', () => {
    const nothing = { answers: 50, input: 5000, tokens: 0 };
    expect(promptCacheSection(resultWith({}))).toBeNull();
    expect(promptCacheSection(resultWith({ cached: nothing, repeated: nothing }))).toBeNull();
  });
});
