import { describe, expect, it } from 'vitest';
import { answerNoteCounts, outcomesSection } from './outcomes.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleObservations } from '../fixtures/sample-observations.fixture.ts';

describe('finish reasons', () => {
  const sentenceOf = (counts: Readonly<Record<string, number>>): string | undefined => {
    const result = sampleRunResult();
    const finishes = Object.entries(counts).map(([reason, count]) => ({ reason, count }));
    const group = { ...result.groups.find(({ labels }) => !labels.warmUp)!, finishes };
    const section = JSON.stringify(outcomesSection({ ...result, groups: [group] }));
    return /Finish reasons[^"]*/.exec(section)?.[0];
  };
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`r${i}`, 20 - i]));

  it('are a sentence if one is unusual, the most frequent first', () => {
    expect(sentenceOf({ stop: 8, tool_calls: 2 })).toBeUndefined();
    expect(sentenceOf({ stop: 8, length: 12 })).toBe(
      'Finish reasons after the warm-up: length 12, stop 8.',
    );
  });

  it('beyond ten are counted together', () => {
    expect(sentenceOf(many)).toMatch(/: r0 20, .*, r9 11, 2 other reasons 19\.$/);
  });
});

describe('odd answers', () => {
  it('are counted for each kind over the whole run, among its completed answers', () => {
    const completed = sampleObservations().flatMap(({ outcome }) =>
      outcome.kind === 'completed' ? [outcome.answer] : [],
    );
    const found = answerNoteCounts(sampleRunResult());
    expect(found.map(({ kind, note }) => `${kind} ${note}`)).toEqual([
      'chat-stream no-done',
      'speech mislabelled',
      'transcription no-segments',
    ]);
    for (const { kind, note, count, completed: all } of found) {
      const own = completed.filter((answer) => answer.kind === kind);
      expect(all).toBe(own.length);
      expect(count).toBe(own.filter(({ notes }) => notes.includes(note)).length);
    }
  });

  it('come with the most frequent first within a kind', () => {
    const result = sampleRunResult();
    const [group] = result.groups;
    const notes = { 'no-done': 2, 'usage-zero': 5 };
    const odd = answerNoteCounts({
      ...result,
      groups: [
        { ...group!, notes },
        { ...group!, notes },
      ],
    });
    expect(odd.map(({ note, count }) => [note, count])).toEqual([
      ['usage-zero', 10],
      ['no-done', 4],
    ]);
  });
});
