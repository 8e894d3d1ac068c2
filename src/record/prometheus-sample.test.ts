import { describe, expect, it } from 'vitest';
import { metricOfLine, readPrometheusSample } from './prometheus-sample.ts';

describe('a line of Prometheus’s text format', () => {
  it.each([
    ['a 1', 'a', [], 1],
    ['  a:b_c{}\t-1.5e-3 1395066363000 ', 'a:b_c', [], -0.0015],
    ['a 1 2.5', 'a', [], 1],
    ['a 1 1.7e9 # {b="c # {d}"} 0.5 2.5', 'a', [], 1],
    ['a 1 # {} 0.5', 'a', [], 1],
    ['a{b="c"} +Inf', 'a', [['b', 'c']], Infinity],
    ['{"a.b",c="d"} 4 1395066363000', 'a.b', [['c', 'd']], 4],
    ['{ "a:b" } 4', 'a:b', [], 4],
    [
      'a{z="1",b="2",} 3',
      'a',
      [
        ['b', '2'],
        ['z', '1'],
      ],
      3,
    ],
    [
      String.raw`a { b = "x\\y\"z\n}, é" , c="" } 7`,
      'a',
      [
        ['b', 'x\\y"z\n}, é'],
        ['c', ''],
      ],
      7,
    ],
  ] as const)('%s is read', (line, name, labels, value) => {
    expect(readPrometheusSample(line)).toEqual({ name, labels, value });
  });

  it('may have NaN or an infinity as its value', () => {
    expect(readPrometheusSample('a NaN')?.value).toBeNaN();
  });

  it.each([
    '',
    '# TYPE a counter',
    '<html>',
    'a',
    'a b',
    'a.5',
    'a:1e3',
    'a 0x10',
    'a 1 2 3',
    'a 1 2.5.1',
    'a 1 2.5# {}',
    'a 1 # x',
    '1a 1',
    'a{b="c" 1',
    'a{b="c"d="e"} 1',
    'a{b="c",b="d"} 1',
    'a{,} 1',
    'a{b=c} 1',
    'a{"b"="c"} 1',
    '{"a" 1',
    '{"a b"} 1',
    '{"a","b"} 1',
  ])('%j is none', (line) => {
    expect(readPrometheusSample(line)).toBeNull();
  });

  it.each([
    ['a:b_c{x="y"} 1', 'a:b_c'],
    ['  a_total 5 1395066363000', 'a_total'],
    ['# HELP a b', ''],
    ['', ''],
    ['{"a.b",c="d"} 1', 'a.b'],
    ['<html>', ''],
    ['a', ''],
  ])('%j begins with the metric %j', (line, metric) => {
    expect(metricOfLine(line)).toBe(metric);
  });
});
