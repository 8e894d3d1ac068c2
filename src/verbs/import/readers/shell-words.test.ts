import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from './any-character.fixture.ts';
import { quotedWord } from '../../../scenario/text/quoted-word.ts';
import { splitShell } from './shell-words.ts';

const textsOf = (script: string) =>
  splitShell(script).commands.map((words) => words.map(({ text }) => text));

const escaped = (text: string): string =>
  text.replaceAll(/[^\w\n]/g, String.raw`\$&`).replaceAll('\n', "'\n'");

describe('a command line', () => {
  it('is split into the words that were quoted', () => {
    const words = fc.array(fc.string({ unit: anyCharacter }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(words, (given) => {
        const { commands, problem } = splitShell(given.map(quotedWord).join(' '));
        expect(problem).toBeNull();
        expect(commands.map((all) => all.map(({ text }) => text))).toEqual([given]);
        expect(commands.flat().some(({ expands }) => expands)).toBe(false);
      }),
    );
  });

  it('is split into the words whose characters were escaped one by one', () => {
    const words = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(words, (given) => {
        expect(textsOf(given.map(escaped).join(' \\\n '))).toEqual([given]);
      }),
    );
  });

  it.each([
    [
      String.raw`a --data '{"x": 1}' "it's \"b\" \n"`,
      [['a', '--data', '{"x": 1}', String.raw`it's "b" \n`]],
    ],
    ['a \\\n  --b c # the end\nd', [['a', '--b', 'c'], ['d']]],
    ['a\\\r\n b\r\nc', [['a', 'b'], ['c']]],
    ['a=1 b && c | d; e &', [['a=1', 'b'], ['c'], ['d'], ['e']]],
    ['a > out.txt 2>&1 b <in', [['a', 'b']]],
    ["a'b'\"c\"d ''", [['abcd', '']]],
    ['a#b #c', [['a#b']]],
    ['# only\n\n', []],
  ])('%j', (script, expected) => {
    expect(textsOf(script)).toEqual(expected);
  });

  it('knows its lines, and what the shell would replace', () => {
    const [words] = splitShell('a \\\n --url "$URL" \\\n  \'$NOT\' \\$5 ${X} `date`').commands;
    expect(words!.map(({ text, line, expands }) => [text, line, expands])).toEqual([
      ['a', 1, false],
      ['--url', 2, false],
      ['$URL', 2, true],
      ['$NOT', 3, false],
      ['$5', 3, false],
      ['${X}', 3, true],
      ['`date`', 3, true],
    ]);
  });

  it.each(["a 'b", 'a\n"b', 'a \\'])('%j has no end', (script) => {
    expect(splitShell(script).problem).toContain('has no end');
  });
});
