import type { ServerResponse } from 'node:http';
import type { Settings } from '../settings/settings.ts';
import { type Serving, noLevels, type ServingLevels } from '../serving/serving.ts';

/** Writes the metrics of the reference gateway in Prometheus's text format, by the names of vLLM. */

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  /** Returns samples by the ending of their name. */
  readonly of: (levels: ServingLevels) => Readonly<Record<string, number>>;
}

const metrics: readonly Metric[] = [
  {
    name: 'vllm:num_requests_running',
    type: 'gauge',
    help: 'Requests in the batch.',
    of: ({ running }) => ({ '': running }),
  },
  {
    name: 'vllm:num_requests_waiting',
    type: 'gauge',
    help: 'Requests that wait for a place in the batch.',
    of: ({ waiting }) => ({ '': waiting }),
  },
  {
    name: 'vllm:prefix_cache_queries',
    type: 'counter',
    help: 'Prompt tokens that were looked up in the prefix cache.',
    of: ({ prefixQueries }) => ({ _total: prefixQueries }),
  },
  {
    name: 'vllm:prefix_cache_hits',
    type: 'counter',
    help: 'Prompt tokens that were in the prefix cache.',
    of: ({ prefixHits }) => ({ _total: prefixHits }),
  },
  {
    name: 'vllm:prompt_tokens',
    type: 'counter',
    help: 'Prompt tokens read.',
    of: ({ promptTokens }) => ({ _total: promptTokens }),
  },
  {
    name: 'vllm:generation_tokens',
    type: 'counter',
    help: 'Tokens generated.',
    of: ({ generatedTokens }) => ({ _total: generatedTokens }),
  },
  {
    name: 'vllm:request_queue_time_seconds',
    type: 'histogram',
    help: 'Time in the queue.',
    of: ({ queueTime, queued }) => ({
      '_bucket,le="+Inf"': queued,
      _sum: queueTime / 1000,
      _count: queued,
    }),
  },
];

const labelText = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const textOf = (byModel: readonly (readonly [string, ServingLevels])[]): string =>
  metrics
    .map(({ name, type, help, of }) => {
      const fullName = type === 'counter' ? `${name}_total` : name;
      const samples = byModel.flatMap(([model, levels]) =>
        Object.entries(of(levels)).map(([key, value]) => {
          const [ending = '', label] = key.split(',');
          const labels = [
            `model_name="${labelText(model)}"`,
            ...(label === undefined ? [] : [label]),
          ];
          return `${name}${ending}{${labels.join(',')}} ${value}\n`;
        }),
      );
      return `# HELP ${fullName} ${help}\n# TYPE ${fullName} ${type}\n${samples.join('')}`;
    })
    .join('');

/** Answers `GET /metrics`, also for models that nobody has asked for yet. */
export const sendServerMetrics = (
  response: ServerResponse,
  { models }: Pick<Settings, 'models'>,
  serving: Serving,
): void => {
  const levels = serving.levels();
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  response.end(textOf(models.map((model) => [model, levels.get(model) ?? noLevels])));
};
