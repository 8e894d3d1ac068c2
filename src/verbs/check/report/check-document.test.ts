import { describe, expect, it } from 'vitest';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import { checkOverview } from './check-document.ts';
import { fullCheck, sampleCheck, sampleRow, sampleRows } from './sample-check.fixture.ts';

const linesOf = (report: Parameters<typeof checkOverview>[0]): readonly string[] =>
  terminalText(checkOverview(report), { colour: false, width: 100 }).split('\n');

describe('the findings on a terminal', () => {
  it('begin with the findings, have the gravest first, and say what was not checked', () => {
    const report = sampleCheck([
      sampleRow({
        id: 'headers.models',
        section: '8',
        outcome: 'deviation',
        observed: 'missing',
        name: 'no-headers',
      }),
      sampleRow({
        id: 'chat.id',
        outcome: 'violation',
        expected: 'a string',
        observed: 'id is null',
      }),
      sampleRow({ id: 'top_p-above', outcome: 'violation', observed: 'accepted with status 200' }),
      sampleRow({ id: 'top_p-below', outcome: 'violation', observed: 'accepted with status 200' }),
      ...sampleRows('pass', 5),
      sampleRow({ id: 'speech', outcome: 'unchecked', observed: 'no model for speech is known' }),
      sampleRow({
        id: 'speech.length',
        outcome: 'unchecked',
        observed: 'no model for speech is known',
      }),
    ]);
    expect(linesOf(report).join('\n')).toMatchInlineSnapshot(`
      "Interface of https://gateway.example/v1

      ✗ 2 checks: accepted with status 200 (top_p-above, top_p-below)
      ✗ chat.id (§ 4.1): id is null; expected: a string
      ! headers.models (§ 8): no-headers: missing; expected: 200 for a chat with system, user and
      assistant messages

      §: a section of the interface, see scenarios/interface.md.
      Not checked: 2 checks (no model for speech is known).
      Models: chat a/b, speech tts, transcription c/whisper; profile spec
      67 requests in 12.3 s, 72 input and 277 output tokens, 280 characters of speech, 80 s of audio"
    `);
  });

  it('fit on a screen of thirty lines, however many there are, with the verdict and the names of files', () => {
    const [files, verdict] = [4, 2];
    const lines = linesOf(fullCheck());
    expect(lines.length + files + verdict).toBeLessThanOrEqual(30);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('are few words where nothing is wrong', () => {
    expect(linesOf(sampleCheck(sampleRows('pass', 187)))).toHaveLength(4);
    expect(linesOf(fullCheck()).length).toBeGreaterThan(15);
  });
});
