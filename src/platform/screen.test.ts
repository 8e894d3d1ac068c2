import { describe, expect, it } from 'vitest';
import { screenOn, wantsColour, visible } from './screen.ts';

const terminal = { isTTY: true, columns: 80, write: () => true };
const pipe = { ...terminal, isTTY: false };

describe('the live display is redrawn', () => {
  it.each([
    ['on a terminal', terminal, {}, true],
    ['not on a pipe', pipe, {}, false],
    ['not on a dumb terminal', terminal, { TERM: 'dumb' }, false],
    ['not in CI', terminal, { CI: 'true' }, false],
    ['with CI=false', terminal, { CI: 'false' }, true],
  ])('%s', (_, stream, environment, live) => {
    expect(screenOn(stream, environment).live).toBe(live);
  });
});

describe('colours are used', () => {
  it.each([
    ['on a terminal', terminal, {}, true],
    ['not on a pipe', pipe, {}, false],
    ['not on a dumb terminal', terminal, { TERM: 'dumb' }, false],
    ['not with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
    ['on a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
    ['not with both', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('%s', (_, stream, environment, wanted) => {
    expect(wantsColour(stream, environment)).toBe(wanted);
  });
});

it('foreign control characters are shown, and colours, tabs and line ends stay', () => {
  const text = 'a\u001b[2Jb\u0007c\u009bd\re\u202ef';
  expect(visible(text)).toBe('a\\u001b[2Jb\\u0007c\\u009bd\\u000de\\u202ef');
  const styled = '\u001b[1m\u001b[32mgood\u001b[39m\u001b[22m\tand\nmore';
  expect(visible(styled)).toBe(styled);
  expect(visible('\u001b[8mhidden')).toBe('\\u001b[8mhidden');
});

describe('a screen', () => {
  const screen = (isTTY: boolean, environment: NodeJS.ProcessEnv = {}) => {
    const written: string[] = [];
    const stream = { isTTY, columns: 64, write: (text: string) => written.push(text) };
    return {
      written,
      screen: screenOn(stream, environment),
    };
  };
  const erase = (rows: number): string => `\u001b[${rows}A\r\u001b[J`;

  it('redraws a block in its place, and a line takes the place of the block', () => {
    const { screen: shown, written } = screen(true);
    shown.block('one\ntwo\u0007');
    shown.block('three');
    shown.line('said');
    shown.line('more');
    shown.block('four');
    shown.clear();
    shown.clear();
    expect(written).toEqual([
      'one\ntwo\\u0007\n',
      `${erase(2)}three\n`,
      `${erase(1)}said\n`,
      'more\n',
      'four\n',
      erase(1),
      '',
    ]);
    expect(shown.width).toBe(64);
  });

  it('that is no terminal has lines only', () => {
    const { screen: shown, written } = screen(false);
    shown.block('never');
    shown.line('said');
    shown.clear();
    expect(written).toEqual(['said\n', '']);
    expect(shown.width).toBe(100);
  });
});
