import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moneyField } from './schema/fields.ts';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario, type ScenarioSource } from './read-scenario.ts';

const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';
const chat = 'traffic: [{kind: chat, model: a/b}, {kind: chat-stream, model: c}]\n';

const read = (text: string, more: Partial<ScenarioSource> = {}) =>
  readScenario({ text, name: 'f.yaml', environment: {}, ...more });

const problemsOf = (...given: Parameters<typeof read>): string => {
  const reading = read(...given);
  return reading.ok ? '' : problemsText(reading.problems, 'f.yaml');
};

const pricesOf = (text: string): unknown => {
  const reading = read(text);
  if (!reading.ok) throw new Error(problemsText(reading.problems, 'f.yaml'));
  return reading.plan.stages.map(({ traffic }) =>
    traffic.map((entry) => ('price' in entry ? entry.price : 'no place for one')),
  );
};

describe('an amount of money', () => {
  it.each([
    [0, 0],
    [0.15, 150_000],
    [0.6, 600_000],
    [0.07, 70_000],
    [1.1, 1_100_000],
    [4.35, 4_350_000],
    [0.000_001, 1],
    [75, 75_000_000],
    [999_999.999_999, 999_999_999_999],
    [1_000_000, 1_000_000_000_000],
  ])('of %d is %d millionths', (amount, micro) => {
    expect(moneyField().parse(amount)).toBe(micro);
  });

  it('is exact with up to six decimals', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999 }), fc.nat({ max: 999_999 }), (units, millionths) => {
        const written = `${units}.${String(millionths).padStart(6, '0')}`;
        expect(moneyField().parse(Number(written))).toBe(units * 1_000_000 + millionths);
      }),
    );
  });

  it.each([0.000_000_1, 0.123_456_7, -0.1, 1_000_000.1, Number.NaN, Number.POSITIVE_INFINITY, '1'])(
    'cannot be %j',
    (amount) => {
      expect(moneyField().safeParse(amount).success).toBe(false);
    },
  );
});

describe('prices', () => {
  it('apply to every chat entry of their model, in all stages, and to no other', () => {
    const stages = `stages:
  - {name: one, ${load.trim()}}
  - {name: two, ${load.trim()}, traffic: [{kind: chat, model: c}, {kind: speech, model: s}, {kind: models}]}
`;
    const prices = 'prices: {c: {input: 0.15, output: 0.60}}\n';
    expect(pricesOf(`${chat}${prices}${stages}`)).toEqual([
      [null, { input: 150_000, output: 600_000 }],
      [{ input: 150_000, output: 600_000 }, 'no place for one', 'no place for one'],
    ]);
  });

  it('are unknown if none are given, also for a model with the name of a method', () => {
    expect(pricesOf(`${chat}${load}`)).toEqual([[null, null]]);
    expect(pricesOf(`traffic: [{kind: chat, model: toString}]\n${load}`)).toEqual([[null]]);
  });

  it('may come from the environment', () => {
    const text = `${chat}prices: {c: {input: "\${env:IN}", output: 1}}\n${load}`;
    const reading = read(text, { environment: { IN: '0.15' } });
    expect(reading).toMatchObject({
      ok: true,
      plan: { stages: [{ traffic: [{}, { price: { input: 150_000, output: 1_000_000 } }] }] },
    });
  });

  it('that are invalid are refused, each at its place', () => {
    const text = `${chat}${load}prices:
  c: {input: 0.1234567, outptu: 1}
  a/b: 3
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      "f.yaml:4:14: expected an amount from 0 to 1,000,000 with at most 6 decimals, such as 0.15, got the number 0.1234567
      f.yaml:4:25: unknown key "outptu"; did you mean "output"?
      f.yaml:5:8: expected a price such as {input: 0.15, output: 0.60}, got the number 3"
    `);
    expect(problemsOf(`${chat}${load}prices: 3\n`)).toMatchInlineSnapshot(
      `"f.yaml:3:9: expected a mapping of models to prices such as {NAME: {input: 0.15, output: 0.60}}, got the number 3"`,
    );
    expect(problemsOf(`${chat}${load}prices: {c: {input: -1, output: 1000001}}\n`))
      .toMatchInlineSnapshot(`
      "f.yaml:3:21: expected an amount from 0 to 1,000,000 with at most 6 decimals, such as 0.15, got the number -1
      f.yaml:3:33: expected an amount from 0 to 1,000,000 with at most 6 decimals, such as 0.15, got the number 1000001"
    `);
  });

  it('for a model that no chat entry uses are refused', () => {
    const price = '{input: 1, output: 2}';
    const traffic =
      'traffic: [{kind: chat, model: weir/small}, {kind: chat, model: big}, {kind: speech, model: tts}]\n';
    const text = `${traffic}${load}prices:
  weir/smal: ${price}
  tts: ${price}
  other: ${price}
  bigg: ${price}
  big: ${price}
`;
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      "f.yaml:4:3: no chat entry uses "weir/smal"; did you mean "weir/small"?
      f.yaml:5:3: prices are for chat, and no chat entry uses "tts"; leave it out: the service charges speech by the character and transcription by the second
      f.yaml:6:3: no chat entry uses "other"; leave its price out, or use the model
      f.yaml:7:3: no chat entry uses "bigg"; leave its price out, or use the model"
    `);
  });

  it('do not reveal values of the environment', () => {
    const text = `traffic: [{kind: chat, model: "\${env:M}"}]\n${load}prices: {hunter23: {input: 1, output: 2}}\n`;
    const problems = problemsOf(text, { environment: { M: 'hunter22' } });
    expect(problems).toContain('no chat entry uses "hunter23"');
    expect(problems).not.toContain('hunter22');
  });

  it('belong at the top level, not in an entry', () => {
    const text = `traffic:\n  - {kind: chat, model: m, price: {input: 1, output: 2}}\n${load}`;
    expect(problemsOf(text)).toMatchInlineSnapshot(
      `"f.yaml:2:28: "price" is not a key of the kind "chat"; did you mean "prices" at the top of the scenario?"`,
    );
  });
});
