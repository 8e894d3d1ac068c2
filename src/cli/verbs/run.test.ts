import { describe, expect, it } from 'vitest';
import { metricsExportFrom } from './run.ts';

const metricsAt = (metrics: string) => metricsExportFrom({ metrics, otlp: undefined }, {}).metrics;
const pushedTo = (otlp: string | undefined, environment: Readonly<Record<string, string>> = {}) =>
  metricsExportFrom({ metrics: undefined, otlp }, environment).otlp;

describe('the address of metrics', () => {
  it.each([
    ['9464', { host: '127.0.0.1', port: 9464 }],
    ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['65535', { host: '127.0.0.1', port: 65_535 }],
  ])('%s', (text, address) => {
    expect(metricsAt(text)).toEqual(address);
  });

  it.each(['', 'host', ':9464', '65536', '[x]:1', '-1'])('cannot be "%s"', (text) => {
    expect(() => metricsAt(text)).toThrow('expected PORT or HOST:PORT');
  });
});

describe('where metrics are pushed', () => {
  it('is nowhere without the option, even if the environment names a collector', () => {
    expect(pushedTo(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4318' })).toBeNull();
  });

  it.each([
    ['http://a:4318', {}, 'http://a:4318/v1/metrics'],
    ['https://a/otlp/', {}, 'https://a/otlp/v1/metrics'],
    ['http://a:4318/v1/metrics', {}, 'http://a:4318/v1/metrics'],
    ['http://a:4318/otlp/v1/metrics', {}, 'http://a:4318/otlp/v1/metrics'],
    ['http://a:4318/v1/metrics/of-us', {}, 'http://a:4318/v1/metrics/of-us/v1/metrics'],
    ['', {}, 'http://localhost:4318/v1/metrics'],
    ['', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b:1/x' }, 'http://b:1/x/v1/metrics'],
    ['', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://b:1/x' }, 'http://b:1/x'],
    ['http://a', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b' }, 'http://a/v1/metrics'],
  ])('%s with %j', (text, environment, url) => {
    expect(pushedTo(text, environment)).toEqual({ url, interval: 5000 });
  });

  it('has the interval that the environment sets', () => {
    for (const interval of ['100', '1000', '2147483647'])
      expect(pushedTo('', { OTEL_METRIC_EXPORT_INTERVAL: interval })?.interval).toBe(
        Number(interval),
      );
    expect(pushedTo('', { OTEL_METRIC_EXPORT_INTERVAL: '' })?.interval).toBe(5000);
    for (const interval of ['5s', '99', '100.5', '2147483648'])
      expect(() => pushedTo('', { OTEL_METRIC_EXPORT_INTERVAL: interval })).toThrow(
        `OTEL_METRIC_EXPORT_INTERVAL: expected milliseconds, at least 100, got "${interval}"`,
      );
  });

  it('is rejected with a password, which the message does not repeat', () => {
    expect(() => pushedTo('run.yaml')).toThrow('--otlp: expected http://HOST:PORT or nothing');
    expect(() => pushedTo('ftp://a')).toThrow('--otlp: expected http://HOST:PORT or nothing, got');
    for (const secret of ['http://:hush@a', 'http://me@a'])
      expect(() => pushedTo(secret)).toThrow(/^--otlp: an address must not contain a password/);
    expect(() => pushedTo('', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'hush' })).toThrow(
      'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: expected http://HOST:PORT, got something else',
    );
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hush@a' };
    expect(() => pushedTo('', environment)).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT: (?!.*hush)/);
  });
});
