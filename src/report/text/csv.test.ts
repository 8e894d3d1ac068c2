import { describe, expect, it } from 'vitest';
import { bareChangeText, changeText, sideValueText } from '../summary/metric-text.ts';
import { serverValueText } from '../summary/server-value.ts';
import { failed, junitFile, passed, skipped } from '../junit/junit-file.ts';
import { csvCell } from './csv.ts';
import { present, textIf } from './present.ts';

describe('a cell of a CSV file', () => {
  it('is quoted where it must be, and empty where nothing is', () => {
    expect(
      ['a b', 'a,b', 'a"b', 'a\nb', 'a\rb', 5, true, null, undefined, ''].map(csvCell),
    ).toEqual(['a b', '"a,b"', '"a""b"', '"a\nb"', '"a\rb"', '5', 'true', '', '', '']);
  });

  it('is no formula, but may be a negative number', () => {
    expect(['=1+1', '+1', '-1', '@x', '\tx', '＝x', 'a=1', -1].map(csvCell)).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@x",
      "'\tx",
      "'＝x",
      'a=1',
      '-1',
    ]);
  });
});

it('what does not apply is left out', () => {
  expect(present(['a', null, false, '', 'b'])).toEqual(['a', '', 'b']);
  expect([textIf(true, 'x'), textIf(false, 'x')]).toEqual(['x', '']);
});

describe('a change between two sides', () => {
  const [ratio, difference] = [{ scale: 'ratio' }, { scale: 'difference' }] as const;

  it('is in per cent of the base, or in points of a share', () => {
    expect([1.1, 0.95, 1, 1.0001, 2.5, 12].map((value) => bareChangeText(ratio, value))).toEqual([
      '+10.0',
      '−5.0',
      '±0.0',
      '±0.0',
      '+150',
      '+1,100',
    ]);
    expect([0.012, -0.5, 0].map((value) => changeText(difference, value))).toEqual([
      '+1.2 pt',
      '−50.0 pt',
      '±0.0 pt',
    ]);
    expect(changeText(ratio, 1.1)).toBe('+10.0 %');
  });

  it('has values in their own unit, or in per cent', () => {
    expect(sideValueText({ ...difference, unit: '%' }, 0.01234)).toBe('1.23');
    expect(sideValueText({ ...ratio, unit: 'ms' }, null)).toBe('–');
    expect(sideValueText({ ...ratio, unit: 'ms' }, 12)).toBe('12.0');
  });
});

it('a figure of a server has its unit', () => {
  const names = ['running', 'outputTokens', 'cacheUse', 'queueTime', 'of-a-scenario'];
  expect(names.map((name) => serverValueText(name, 5))).toEqual([
    '5.00',
    '5.00/s',
    '5.00 %',
    '5.00 ms',
    '5.00',
  ]);
});

describe('a JUnit file', () => {
  const file = junitFile({
    name: 'a & b',
    startedAt: '2026-07-01T10:20:30.123Z',
    duration: 61_234,
    properties: { target: 'http://h/v1?a="b"' },
    cases: [
      { classname: 'objectives', name: 'p95 < 1s', outcome: passed },
      { classname: 'objectives', name: 'p50', outcome: failed('broken', 'is 2', 'a <long> text') },
      { classname: 'objectives', name: 'p10', outcome: failed('broken', 'is 3') },
      { classname: 'limits', name: 'kept', outcome: skipped('not judged') },
    ],
    output: ['one', 'two & three'],
  });

  it('counts its tests, in a form that every service reads', () => {
    expect(file).toContain(
      '<testsuite name="a &amp; b" timestamp="2026-07-01T10:20:30" hostname="localhost" tests="4" failures="2" errors="0" skipped="1" time="61.234">',
    );
    expect(file).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/);
    expect(file).toContain('<property name="target" value="http://h/v1?a=&quot;b&quot;"/>');
    expect(file).toContain('<system-out>one\ntwo &amp; three\n</system-out>');
  });

  it('says of each test what came out', () => {
    expect(file).toContain(
      '<testcase classname="objectives" name="p95 &lt; 1s" time="0"></testcase>',
    );
    expect(file).toContain(
      '<failure message="is 2" type="broken">a &lt;long&gt; text</failure></testcase>',
    );
    expect(file).toContain('<failure message="is 3" type="broken">is 3</failure>');
    expect(file).toContain('<skipped message="not judged"/></testcase>');
  });
});
