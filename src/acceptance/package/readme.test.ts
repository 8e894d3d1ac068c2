import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../run/output/exit-codes.ts';
import { measures } from '../../model/measures/measures.ts';
import { counts, rates, shares } from '../../model/measures/run-figures.ts';
import { readScenario } from '../../scenario/read-scenario.ts';

const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');

describe('the README tells the truth', () => {
  it('about every measure', () => {
    const rows = Object.entries(measures).map(
      ([name, { label, unit, definition }]) =>
        `| \`${name}\` | ${label} | ${unit} | ${definition} |`,
    );
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  });

  it('about every figure of a run', () => {
    const units = { arrivals: counts, '%': shares, 'per second': rates };
    const rows = Object.entries(units).flatMap(([unit, figures]) =>
      Object.entries(figures).map(
        ([name, { definition }]) => `| \`${name}\` | ${unit} | ${definition} |`,
      ),
    );
    expect(rows).toHaveLength(18);
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  });

  it('with objectives that are sound', () => {
    const [, text = ''] = /```yaml\n(perRequest:.*?)```/s.exec(readme) ?? [];
    const around = `traffic: [{kind: chat-stream, model: publisher/model}, {kind: chat, model: m}]
stages: [{name: users, load: {kind: constant, rate: 1/s, duration: 9s}}]
`;
    const reading = readScenario({ text: around + text, name: 'gate.yaml', environment: {} });
    expect(reading).toMatchObject({ ok: true });
  });

  it('about every exit code', () => {
    const rows = exitCodes.map(({ code, meaning }) => `| ${code} | ${meaning} |`);
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  });

  it('with a scenario that is valid', () => {
    const [, text = ''] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
    const reading = readScenario({
      text,
      name: 'evening.yaml',
      environment: { BLUE_KEY: 'k' },
    });
    expect(reading).toMatchObject({ ok: true, plan: { name: 'evening' } });
  });
});
