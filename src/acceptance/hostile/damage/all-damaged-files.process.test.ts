// @full 1500 s: every form, and many more copies of each
import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../../harness/weir-process.fixture.ts';
import { expectSentences, formsIn, soundFiles } from './damaged-files.fixture.ts';

cleanUpAfterEach();

it(
  '5,000 damaged files of every form give a report or a sentence each',
  { timeout: 7_200_000 },
  async () => {
    const sound = await soundFiles(false);
    const forms = formsIn(sound);
    const results = forms.filter((name) => name.startsWith('result-'));
    const others = forms.filter((name) => !results.includes(name));
    const [ofResults, ofOthers] = await Promise.all([
      Promise.all(results.map((name) => expectSentences(sound, [name], [0, 300]))),
      expectSentences(sound, others, [0, 80]),
    ]);
    const all = [...ofResults, ofOthers];
    expect(all.reduce((sum, { files }) => sum + files, 0)).toBeGreaterThan(5000);
    // Neither too gentle nor too rough to reach what comes after the schema.
    expect(ofResults.every(({ reports, readings }) => reports > readings / 20)).toBe(true);
    expect(ofResults.every(({ sentences, readings }) => sentences > readings / 20)).toBe(true);
  },
);
