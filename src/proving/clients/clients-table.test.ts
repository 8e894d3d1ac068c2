import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { roomFile } from '../harness/installed.ts';
import { expectedClients, expectedOf, type Feature, features } from './expectations.fixture.ts';

const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');

const cell = (client: (typeof expectedClients)[number], feature: Feature): string => {
  const difference = client.differences[feature];
  if (difference === undefined) return 'as promised';
  if ('lacks' in difference) return difference.lacks;
  return `\`${JSON.stringify(expectedOf(client, feature))}\`: ${difference.because}`;
};

/** One row for each client and answer, with the features that have it. */
const rows = expectedClients.flatMap((client) => {
  const byCell = Map.groupBy(features, (feature) => cell(client, feature));
  return [...byCell].map(
    ([text, named]) =>
      `| ${client.name} | ${named.map((name) => `\`${name}\``).join(', ')} | ${text} |`,
  );
});

it('the README has a row for each client and what it sees', () => {
  const missing = rows.filter((row) => !readme.includes(row));
  expect(missing.join('\n')).toBe('');
  const table = readme.split('\n').filter((line) => /^\| [a-z]+\S* .*\d+\.\d+\.\d+ \|/.test(line));
  expect(table.filter((line) => !rows.includes(line))).toEqual([]);
});

it.for(expectedClients)('$name is the version that is installed', ({ name, requirements }) => {
  const [, client, version] = /^(\S+).* (\S+)$/.exec(name)!;
  const pins = readFileSync(roomFile(`clients/drivers/${requirements ?? 'manifest.json'}`), 'utf8');
  const pin = requirements === null ? `"${client}": "${version}"` : `${client}==${version}`;
  expect(pins.split(/,?\n\s*/)).toContain(pin);
});
