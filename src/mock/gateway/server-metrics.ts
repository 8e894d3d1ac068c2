import type { ServerResponse } from 'node:http';
import type { Settings } from '../settings/settings.ts';
import { noLevels, type Serving, type ServingLevels } from '../serving/serving.ts';

type Samples = Readonly<Record<string, number>>;

/**
 * Writes a metric in Prometheus's text format. Each property name in the result of `samplesOf` has the form `suffix` or
 * `suffix,labels`: the suffix of a sample's name, and the sample's labels.
 */
const metric =
  (name: string, type: string, help: string, samplesOf: (levels: ServingLevels) => Samples) =>
  (byModel: readonly (readonly [string, ServingLevels])[]): string => {
    const fullName = type === 'counter' ? `${name}_total` : name;
    const samples = byModel.flatMap(([model, levels]) =>
      Object.entries(samplesOf(levels)).map(([key, value]) => {
        const [ending = '', ...labels] = key.split(',');
        return `${name}${ending}{${[`model_name="${labelText(model)}"`, ...labels].join(',')}} ${value}\n`;
      }),
    );
    return `# HELP ${fullName} ${help}\n# TYPE ${fullName} ${type}\n${samples.join('')}`;
  };

const gauge = (name: string, level: keyof ServingLevels, help: string) =>
  metric(`vllm:${name}`, 'gauge', help, (levels) => ({ '': levels[level] }));

const counter = (name: string, level: keyof ServingLevels, help: string) =>
  metric(`vllm:${name}`, 'counter', help, (levels) => ({ _total: levels[level] }));

const labelText = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The metrics of the reference gateway, with the names of vLLM. */
const metrics = [
  gauge('num_requests_running', 'running', 'Requests in the batch.'),
  gauge('num_requests_waiting', 'waiting', 'Requests that wait for a place in the batch.'),
  counter(
    'prefix_cache_queries',
    'prefixQueries',
    'Prompt tokens that were looked up in the prefix cache.',
  ),
  counter('prefix_cache_hits', 'prefixHits', 'Prompt tokens that were in the prefix cache.'),
  counter('prompt_tokens', 'promptTokens', 'Prompt tokens read.'),
  counter('generation_tokens', 'generatedTokens', 'Tokens generated.'),
  metric(
    'vllm:request_queue_time_seconds',
    'histogram',
    'Time in the queue.',
    ({ queueTime, queued }) => ({
      '_bucket,le="+Inf"': queued,
      _sum: queueTime / 1000,
      _count: queued,
    }),
  ),
];

export const sendServerMetrics = (
  response: ServerResponse,
  { models }: Pick<Settings, 'models'>,
  serving: Serving,
): void => {
  const levels = serving.levels();
  const byModel = models.map((model) => [model, levels.get(model) ?? noLevels] as const);
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  response.end(metrics.map((textOf) => textOf(byModel)).join(''));
};
