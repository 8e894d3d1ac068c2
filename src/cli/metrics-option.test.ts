import { describe, expect, it } from 'vitest';
import { metricsAddress } from './metrics-option.ts';

describe('the address of metrics', () => {
  it.each([
    ['9464', { host: '127.0.0.1', port: 9464 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['[::1]:0', { host: '::1', port: 0 }],
  ])('%s', (text, address) => {
    expect(metricsAddress(text)).toEqual(address);
  });

  it.each(['', 'host', ':9464', '70000', '[x]:1', '-1'])('is not "%s"', (text) => {
    expect(() => metricsAddress(text)).toThrow('expected PORT or HOST:PORT');
  });
});
