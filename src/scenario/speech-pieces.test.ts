import { describe, expect, it } from 'vitest';
import { readScenario } from './read-scenario.ts';
import { trafficEntryReaders } from './sample-entries.fixture.ts';

const chapter = 'The gate is open. The river is calm.\nThe keeper sleeps.\n';
const unread = (file: string) => ({ ok: false, problem: `${file} is missing` }) as const;

const read = (entry: string) =>
  readScenario({
    text: `traffic:\n  - {kind: speech, model: tts, ${entry}}\nload: {kind: constant, rate: 1/s, duration: 9s}\n`,
    name: 'f.yaml',
    environment: {},
    workload: {
      prices: unread,
      findings: unread,
      text: (file) => (file === 'c.txt' ? { ok: true, value: chapter } : unread(file)),
      media: unread,
      dataset: unread,
      tokenizer: unread,
      trace: ({ file }) => unread(file),
    },
  });

const { entryOf, problemsOf } = trafficEntryReaders(read);

describe('texts for speech', () => {
  it('are in pieces if they are to be split, also those of a file', () => {
    expect(entryOf('texts: [One. Two., {file: c.txt}], split: {characters: 40}')).toMatchObject({
      texts: ['One. Two.', 'The gate is open. The river is calm.', 'The keeper sleeps.'],
      split: { characters: 40 },
    });
  });

  it('are whole otherwise, and the plan has no pieces', () => {
    expect(entryOf('text: {file: c.txt}')).toMatchObject({ texts: [chapter] });
    expect(entryOf('text: {file: c.txt}')).not.toHaveProperty('split');
  });

  it('are refused at their places if they cannot be read or cut', () => {
    const faulty = [
      'text: d.txt',
      'text: {file: d.txt}',
      'text: {}',
      'texts: [One. Two., {file: c.txt}], split: {characters: 17}',
      'text: A longer sentence., split: {characters: 5}',
      'text: "  ", split: {characters: 5}',
      'text: One., split: 400',
      'text: One., split: {characters: 0}',
    ];
    expect(faulty.map(problemsOf).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:2:38: the name of a file, "d.txt", would be sent as the text itself; write {file: d.txt}
      f.yaml:2:45: d.txt is missing
      f.yaml:2:32: "file" is missing: expected text
      f.yaml:2:58: the sentence that begins in line 1 of the text has 18 characters; a piece may have at most 17; raise "characters" of "split", or end a sentence earlier
      f.yaml:2:38: the sentence that begins in line 1 of the text has 18 characters; a piece may have at most 5; raise "characters" of "split", or end a sentence earlier
      f.yaml:2:38: expected a text with at least one word to split
      f.yaml:2:51: expected a mapping such as {characters: 4000}, got the number 400
      f.yaml:2:64: expected a whole number from 1 to 1,000,000, got the number 0"
    `);
  });
});
