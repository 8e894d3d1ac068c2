import { describe, expect, it } from 'vitest';
import { oddAnswers } from './odd-answers.ts';
import { sampleResult } from './sample-result.ts';
import { sampleObservations } from './sample-run.ts';

describe('odd answers', () => {
  it('are counted for each kind over the whole run, among its completed answers', () => {
    const completed = sampleObservations().flatMap(({ outcome }) =>
      outcome.kind === 'completed' ? [outcome.answer] : [],
    );
    const found = oddAnswers(sampleResult());
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
    const result = sampleResult();
    const [group] = result.groups;
    const notes = { 'no-done': 2, 'usage-zero': 5 };
    const odd = oddAnswers({
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
