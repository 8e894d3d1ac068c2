import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeProblems } from './problem.ts';
import { readScenario } from './read.ts';
import { scenarioJsonSchema } from './schema.ts';
import { isMapping } from './tree.ts';

const folder = new URL('../../scenarios/', import.meta.url);
const fileText = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

/** Every property in a schema, with the path that leads to it. */
const propertiesIn = (schema: unknown, path: string): { path: string; property: unknown }[] => {
  if (Array.isArray(schema)) return schema.flatMap((part: unknown) => propertiesIn(part, path));
  if (!isMapping(schema)) return [];
  return Object.entries(schema).flatMap(([key, inner]) =>
    key === 'properties' && isMapping(inner)
      ? Object.entries(inner).flatMap(([name, property]) => [
          { path: `${path}.${name}`, property },
          ...propertiesIn(property, `${path}.${name}`),
        ])
      : propertiesIn(inner, path),
  );
};

describe('the JSON Schema of scenarios', () => {
  it('is what scenarios/schema.json holds (`npm run schema` writes it anew)', () => {
    const expected = `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`;
    expect(fileText('schema.json')).toBe(expected);
  });

  it('describes every field', () => {
    const properties = propertiesIn(scenarioJsonSchema(), '');
    const silent = properties.filter(
      ({ property }) => !isMapping(property) || typeof property['description'] !== 'string',
    );
    expect(properties.length).toBeGreaterThan(80);
    expect(silent.map(({ path }) => path)).toEqual([]);
  });
});

describe('the scenarios that come with Weir', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

  it('are there', () => {
    expect(names).toContain('quickstart.yaml');
  });

  it.each(names)('%s has no problems, and tells editors its schema', (name) => {
    const text = fileText(name);
    const reading = readScenario({ text, name, environment: {} });
    expect(reading.ok ? '' : describeProblems(reading.problems, name)).toBe('');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/schema\.json\n/);
  });

  it('quickstart.yaml makes 75 requests in 25 seconds, more than one key’s limit of 60', () => {
    const reading = readScenario({
      text: fileText('quickstart.yaml'),
      name: 'quickstart.yaml',
      environment: {},
    });
    expect(reading).toMatchObject({
      ok: true,
      plan: {
        target: { kind: 'mock' },
        warmUp: 0,
        limits: { requestsPerMinute: 60 },
        mock: { limits: { requestsPerMinute: 60 } },
        stages: [{ load: { curve: [{ from: 3, to: 3, duration: 25_000 }] } }],
      },
    });
  });
});
