import { describe, expect, it } from 'vitest';
import { answerNoteCounts } from './outcomes.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleObservations } from '../fixtures/sample-observations.fixture.ts';

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
