// @gate 4 s
import { describe, expect, it } from 'vitest';
import { problemsText } from './scenario-problem.ts';
import { parseScenarioText } from './yaml-document.ts';

const problemsOf = (text: string): string => problemsText(parseScenarioText(text).problems, 'f');

describe('a large document', () => {
  it('may have more values than aliases may repeat', () => {
    const items = Array.from({ length: 100_001 }, () => 'x').join(', ');
    expect(problemsOf(`a: [${items}]\n`)).toBe('');
  });

  it('is refused if its merges expand without limit', () => {
    const items = Array.from({ length: 1000 }, () => 'x').join(', ');
    const merges = Array.from({ length: 101 }, (_, n) => `m${n}: {<<: *big}`);
    expect(problemsOf([`big: &big {list: [${items}]}`, ...merges].join('\n'))).toBe(
      'f:1:1: its aliases expand to more than 100000 values',
    );
  });

  it.each([
    ['lines', '- a\n'],
    ['commas', '- [a,b,c,d]\n'],
    ['brackets', '- {a: [[[[[b]]]]]}\n'],
  ])('is refused before it is read if it has too many %s', (_, line) => {
    expect(problemsOf(line.repeat(3_000_000 / line.length))).toContain(
      'more than 500000 lines, commas and brackets: keep prompts in a file of their own',
    );
  });

  it('names the one key of a hundred thousand that is set twice', () => {
    const keys = Array.from({ length: 100_000 }, (_, n) => `  a${n}: 1\n`).join('');
    expect(problemsOf(`a:\n${keys}  a7: 1\n`)).toBe(
      'f:100002:3: this key is set twice in the same mapping; keep one of them',
    );
  });

  it('may be a long prose', () => {
    const prose = 'One of many sentences, with a comma and an end.\n'.repeat(100_000);
    expect(problemsOf(`x: |\n${prose.replaceAll(/^/gm, '  ')}`)).toBe('');
  });

  it('is refused in words if it is nested too deep', () => {
    expect(problemsOf(`a: ${'['.repeat(20_000)}`)).toContain(
      'its lists and mappings are nested too deep',
    );
  });

  it('is refused if its aliases expand without limit', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 9; n += 1) {
      lines.push(`a${n}: &a${n} [${Array.from({ length: 10 }, () => `*a${n - 1}`).join(', ')}]`);
    }
    expect(problemsOf(lines.join('\n'))).toBe(
      'f:1:1: its aliases expand to more than 100000 values',
    );
  });
});
