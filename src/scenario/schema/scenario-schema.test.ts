import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { problemsText } from '../text/scenario-problem.ts';
import { readScenario } from '../read-scenario.ts';
import { scenarioJsonSchema } from './scenario-schema.ts';
import { trafficEntrySchema } from './traffic-schema.ts';
import { isMapping } from '../text/scenario-tree.ts';

const folder = new URL('../../../scenarios/', import.meta.url);
const fileText = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

/**
 * Returns every property of a schema with its path. Properties of a condition are excluded, since they only name a
 * value.
 */
const propertiesIn = (schema: unknown, path: string): { path: string; property: unknown }[] => {
  if (Array.isArray(schema)) return schema.flatMap((part: unknown) => propertiesIn(part, path));
  if (!isMapping(schema)) return [];
  return Object.entries(schema).flatMap(([key, inner]) =>
    key === 'if'
      ? []
      : key === 'properties' && isMapping(inner)
        ? Object.entries(inner).flatMap(([name, property]) => [
            { path: `${path}.${name}`, property },
            ...propertiesIn(property, `${path}.${name}`),
          ])
        : propertiesIn(inner, path),
  );
};

describe('the JSON Schema of scenarios', () => {
  it('equals scenarios/schema.json (`npm run schema` writes it)', () => {
    expect(JSON.parse(fileText('schema.json'))).toEqual(scenarioJsonSchema());
  });

  it('describes every field', () => {
    const schema = scenarioJsonSchema();
    const definitions = schema['definitions'] as Readonly<Record<string, unknown>>;
    const describes = (property: unknown): boolean => {
      if (!isMapping(property)) return false;
      if (typeof property['description'] === 'string') return true;
      const [, name = ''] = /^#\/definitions\/(.+)$/.exec(String(property['$ref'])) ?? [];
      return describes(definitions[name]);
    };
    const properties = propertiesIn(schema, '');
    const silent = properties.filter(({ property }) => !describes(property));
    expect(properties.length).toBeGreaterThan(80);
    expect(silent.map(({ path }) => path)).toEqual([]);
  });
});

describe('the traffic of a scenario', () => {
  it('can be of every kind', () => {
    expect(trafficEntrySchema.options.map(({ shape }) => shape.kind.value)).toEqual(trafficKinds);
  });
});

describe('the bundled scenarios', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

  const unread = (file: string) => ({ ok: false as const, problem: `${file} is not read here` });
  /** The images and clips that come with Weir, which `platform` reads. No bundled scenario names another file. */
  const workload: WorkloadFiles = {
    media: (reference) => {
      const [, name = ''] = /^bundled:(.*)$/.exec(reference) ?? [];
      const kind = /\.(png|jpg)$/.test(name) ? 'image' : 'audio';
      const fixture = new URL(
        `../fixtures/${kind === 'image' ? 'images' : 'speech'}/${name}`,
        folder,
      );
      const value = { kind, contentType: 'a/b', format: 'b', base64: 'QQ==' } as const;
      return existsSync(fixture) ? { ok: true, value } : unread(reference);
    },
    prices: unread,
    findings: unread,
    text: unread,
    dataset: unread,
    tokenizer: unread,
    trace: ({ file }) => unread(file),
  };

  const planOf = (name: string): Plan => {
    const reading = readScenario({ text: fileText(name), name, environment: {}, workload });
    if (!reading.ok) throw new Error(problemsText(reading.problems, name));
    return reading.plan;
  };

  /** Counts the first requests of the only stage by kind. */
  const drawnFrom = ({ seed, stages }: Plan, requests: number): Record<string, number> => {
    const kinds = Array.from({ length: requests }, (_, index) => {
      const traffic = stages[0]?.traffic ?? [];
      return drawFrom(seed, 0, index).pick(traffic, ({ weight }) => weight).kind;
    });
    return Object.fromEntries(
      trafficKinds.map((kind) => [kind, kinds.filter((drawn) => drawn === kind).length]),
    );
  };

  it('include one for each kind, and some more advanced ones', () => {
    expect(names).toEqual(
      expect.arrayContaining([
        ...trafficKinds.map((kind) => `${kind}.yaml`),
        'quickstart.yaml',
        'mixed.yaml',
        'ci-gate.yaml',
      ]),
    );
  });

  it.each(names)('%s has no problems, and names its schema for editors', (name) => {
    expect(planOf(name)).toMatchObject({
      name: name.replace('.yaml', ''),
      target: { kind: 'mock' },
    });
    expect(fileText(name)).toMatch(/^# yaml-language-server: \$schema=\.\/schema\.json\n/);
  });

  it.each(names)('%s says how to run it', (name) => {
    expect(fileText(name)).toMatch(new RegExp(`weir (run|recovery) scenarios/${name}`));
  });

  it.each(trafficKinds)('%s.yaml has only this kind', (kind) => {
    const { stages } = planOf(`${kind}.yaml`);
    expect(new Set(stages.flatMap(({ traffic }) => traffic.map((entry) => entry.kind)))).toEqual(
      new Set([kind]),
    );
  });

  it('quickstart.yaml makes 75 requests in 25 seconds, more than one key’s limit of 60', () => {
    expect(planOf('quickstart.yaml')).toMatchObject({
      target: { kind: 'mock' },
      warmUp: 0,
      limits: { requestsPerMinute: 60 },
      mock: { limits: { requestsPerMinute: 60 } },
      stages: [{ load: { curve: [{ from: 3, to: 3, duration: 25_000 }] } }],
    });
  });

  it('quickstart.yaml has all kinds among the requests below that limit', () => {
    expect(drawnFrom(planOf('quickstart.yaml'), 60)).toMatchInlineSnapshot(`
      {
        "chat": 11,
        "chat-stream": 26,
        "models": 8,
        "speech": 8,
        "transcription": 7,
      }
    `);
  });

  it('ci-gate.yaml draws the lengths that it describes', () => {
    const drawn = drawnFrom(planOf('ci-gate.yaml'), 24);
    expect(Object.values(drawn)).toEqual([6, 6, 3, 4, 5]);
    expect(fileText('ci-gate.yaml').replaceAll('\n#', '')).toContain(
      'with this one 6 streams, 6 whole answers, 3 speech requests, 4 transcriptions and 5 model lists',
    );
  });

  it('mixed.yaml has all kinds at once, after stages of some of them', () => {
    const kinds = planOf('mixed.yaml').stages.map(({ name, traffic }) => [
      name,
      traffic.map(({ kind }) => kind).toSorted(),
    ]);
    expect(Object.fromEntries(kinds)).toEqual({
      typing: ['chat', 'chat-stream'],
      talking: ['chat-stream', 'speech', 'transcription'],
      everything: trafficKinds.toSorted(),
    });
  });
});
