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
  ])('%s', (text, address) => {
    expect(metricsAt(text)).toEqual(address);
  });

  it.each(['', 'host', ':9464', '70000', '[x]:1', '-1'])('cannot be "%s"', (text) => {
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
    expect(pushedTo('', { OTEL_METRIC_EXPORT_INTERVAL: '1000' })?.interval).toBe(1000);
    expect(() => pushedTo('', { OTEL_METRIC_EXPORT_INTERVAL: '5s' })).toThrow(
      'OTEL_METRIC_EXPORT_INTERVAL: expected milliseconds, at least 100, got "5s"',
    );
  });

  it('is rejected with a password, which the message does not repeat', () => {
    expect(() => pushedTo('run.yaml')).toThrow('--otlp: expected http://HOST:PORT or nothing');
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hush@a' };
    expect(() => pushedTo('', environment)).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT: (?!.*hush)/);
  });
});
