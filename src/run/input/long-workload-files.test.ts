// @gate 1 s
import { readPromptWords } from '../../platform/files/file-contents.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackWords } from '../../workload/single-token-words.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { textsOfContent } from '../../model/workload/message.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { drawTokenCount } from '../../model/workload/token-count.ts';
import { instant } from '../../model/quantity.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { workloadFiles } from './workload-files.ts';

const list = unpackWords(readPromptWords());
const all = list.trim().split(/\s+/);
/** The vocabulary has every second word as a token, and single letters for the others. */
const known = all.filter((_, index) => index % 2 === 0);

const letters = [...new Set(all.join(''))].toSorted();
const merges = [
  ...new Map(
    known.flatMap((word) =>
      Array.from({ length: word.length }, (_, end): [string, [string, string]] => {
        const pair: [string, string] = [`▁${word.slice(0, end)}`, word[end]!];
        return [pair.join(' '), pair];
      }),
    ),
  ).values(),
];
/** As in SentencePiece models, a mark precedes every word, including the first. */
const sentencePiece = (ranks: readonly (readonly [string, string])[]) => {
  const pieces = [...new Set(['<unk>', '▁', ...letters, ...ranks.map((pair) => pair.join(''))])];
  return {
    version: '1.0',
    added_tokens: [],
    normalizer: { type: 'Prepend', prepend: '▁' },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'never', split: true },
    post_processor: null,
    decoder: null,
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      merges: ranks,
    },
  };
};

/** Byte-pair encoding by its definition: the pair of the lowest rank is merged until none is left. */
const ranks = new Map(merges.map((pair, rank) => [pair.join(' '), rank]));
const piecesOf = (word: string): number => {
  const parts = ['▁', ...word];
  for (;;) {
    let best = -1;
    let rank = Infinity;
    for (let at = 0; at + 1 < parts.length; at += 1) {
      const found = ranks.get(`${parts[at]} ${parts[at + 1]}`) ?? Infinity;
      if (found < rank) [best, rank] = [at, found];
    }
    if (best < 0) return parts.length;
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`);
  }
};
const counted = new Map(['', ...all].map((word) => [word, piecesOf(word)]));
const countAnew = (text: string): number =>
  text.split(' ').reduce((sum, word) => sum + counted.get(word)!, 0);

const folder = mkdtempSync(join(tmpdir(), 'weir-tokenizers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const placed = (name: string, content: unknown): void =>
  writeFileSync(join(folder, name), JSON.stringify(content));
placed('tokenizer.json', sentencePiece(merges));
placed('letters.json', sentencePiece([]));
placed('other.json', { hello: 'there' });

describe('a tokenizer.json that a scenario names', () => {
  const shelf = workloadFiles(folder);
  const found = shelf.files.tokenizer('tokenizer.json');

  it('makes prompts of exactly the drawn tokens, by an independent byte-pair encoding: 1,000 of a lognormal mix', () => {
    if (!found.ok) throw new Error(found.problem);
    expect(found.value.words).toBe(all.filter((word) => counted.get(word) === 1).length);
    expect(found.value.words).toBeLessThan(all.length);
    const tokens = { kind: 'lognormal', median: 150, sigma: 1, min: 1, max: 20_000 } as const;
    const source = {
      kind: 'synthetic',
      system: null,
      tokens,
      turns: null,
      prefix: { tokens: 20, pool: 3 },
      cache: 'avoid',
      tokenizer: found.value,
    } as const;
    const [stage] = samplePlan().stages;
    const chat = { kind: 'chat', weight: 1, model: 'm', maxTokens: null, body: {}, price: null };
    const traffic = [{ ...chat, kind: 'chat' as const, conversations: source }];
    const plan = { ...samplePlan(), stages: [{ ...stage!, traffic }] };
    const workload = shelf.open(plan);
    const wrong = Array.from({ length: 1000 }, (_, index) => {
      const arrival = { stage: 0, index, due: instant(0) };
      const { messages } = workload.chatContentFor(source, arrival, drawFrom(1, 0, index));
      return (
        countAnew(textsOfContent(messages[0]!.content).join('')) -
        drawTokenCount(tokens, drawFrom(1, 0, index))
      );
    }).filter((difference) => difference !== 0);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['letters.json', 'words are one token'],
    ['other.json', 'other.json: expected a tokenizer.json as Hugging Face publishes it'],
    ['absent.json', 'absent.json cannot be read'],
  ])('is an error with an explanation if it is unusable: %s', (name, problem) => {
    const unfit = shelf.files.tokenizer(name);
    expect(unfit.ok ? '' : unfit.problem).toContain(problem);
  });
});

it.each(['o200k_base', 'r50k_base'])('%s has every word of the list as one token', (name) => {
  const found = workloadFiles(folder).files.tokenizer(name);
  expect(found).toEqual({ ok: true, value: { name, sha256: null, words: all.length } });
});
