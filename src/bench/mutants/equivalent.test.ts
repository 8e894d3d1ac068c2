import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import equivalents from './equivalent.json' with { type: 'json' };

const root = new URL('../../../', import.meta.url);

/** Finds whole lines, wherever they break. */
const linesOf = (text: string): RegExp => {
  const words = text
    .split(' ')
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(String.raw`^\s*${words.join(String.raw`\s+`)}\s*$`, 'gm');
};

it('a change that changes nothing is listed with the one place that it means', () => {
  const places = equivalents.map(({ path, before }) => {
    const source = readFileSync(new URL(path, root), 'utf8');
    return [`${path}: ${before}`, source.match(linesOf(before))?.length ?? 0];
  });
  expect(places.filter(([, count]) => count !== 1)).toEqual([]);
});
