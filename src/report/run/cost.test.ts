import type { Answer } from '../../model/observation/outcome.ts';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../model/result/result.ts';
import {
  runTotalsOf,
  audioRates,
  audioRatesText,
  costSentence,
  costText,
  hasAudio,
} from './cost.ts';
import { sampleReportPlan } from '../fixtures/sample-plan.fixture.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleObservations } from '../fixtures/sample-observations.fixture.ts';

const result = sampleRunResult();
const only = (...kinds: readonly string[]): Result => ({
  ...result,
  groups: result.groups.filter(({ labels }) => kinds.includes(labels.traffic)),
});

const answersOf = <K extends Answer['kind']>(kind: K, from = 0): Extract<Answer, { kind: K }>[] =>
  sampleObservations()
    .filter(({ due }) => due >= from)
    .flatMap(({ outcome }) => (outcome.kind === 'completed' ? [outcome.answer] : []))
    .filter((answer): answer is Extract<Answer, { kind: K }> => answer.kind === kind);
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe('the accounts of a run', () => {
  it('cover every completed answer, warm-up included, to the micro-unit', () => {
    const accounts = runTotalsOf(result)!;
    const costs = (['chat-stream', 'chat', 'speech', 'transcription'] as const).map((kind) => ({
      kind,
      total: sum(answersOf(kind).map(({ cost }) => cost ?? 0)),
      unknown: answersOf(kind).filter(({ cost }) => cost === null).length,
    }));
    expect(
      accounts.rows.map(({ kind, cost: { total, unknown } }) => ({ kind, total, unknown })),
    ).toEqual(costs);
    expect(accounts.all.cost).toEqual({
      known: sum(accounts.rows.map(({ cost }) => cost.known)),
      total: sum(costs.map(({ total }) => total)),
      unknown: sum(costs.map(({ unknown }) => unknown)),
    });
  });

  it('sum audio and characters of the kinds that have them, and count unknown lengths', () => {
    const { received, sent, characters } = runTotalsOf(result)!.all;
    const [spoken, heard] = [answersOf('speech'), answersOf('transcription')];
    const lengths = heard.flatMap(({ audioSeconds }) => audioSeconds ?? []);
    expect(received.total).toBeCloseTo(sum(spoken.map(({ audioSeconds }) => audioSeconds)), 6);
    expect(sent.total).toBeCloseTo(sum(lengths), 1);
    expect(characters.total).toBe(sum(spoken.map((answer) => answer.characters)));
    expect([received.unknown, sent.unknown]).toEqual([0, heard.length - lengths.length]);
    expect(runTotalsOf(only('chat'))!.all.characters).toEqual({ known: 0, total: 0, unknown: 0 });
  });

  it('separate models, also those of one kind', () => {
    const [group] = only('speech').groups;
    const other = { ...group!, labels: { ...group!.labels, model: 'm-other' } };
    expect(
      runTotalsOf({ ...result, groups: [group!, other] })!.rows.map(({ model }) => model),
    ).toEqual(['m-voice', 'm-other']);
  });

  it('are absent if nothing has a price', () => {
    expect(runTotalsOf(only('models'))).toBeNull();
    expect(runTotalsOf({ ...result, groups: [] })).toBeNull();
  });

  it('know whether there was audio', () => {
    expect(hasAudio(runTotalsOf(only('chat', 'transcription'))!)).toBe(true);
    expect(hasAudio(runTotalsOf(only('chat'))!)).toBe(false);
  });
});

describe('a total cost', () => {
  it.each([
    [{ known: 3, total: 12_340, unknown: 0 }, '0.012340'],
    [{ known: 3, total: 12_340, unknown: 1 }, 'at least 0.012340'],
    [{ known: 0, total: 0, unknown: 4 }, 'unknown'],
    [{ known: 0, total: 0, unknown: 0 }, '–'],
  ])('of %j reads %s', (cost, text) => {
    expect(costText(cost)).toBe(text);
  });

  it('always says what is missing from it', () => {
    const sentences = [result, only('speech'), only('chat')].map((each) =>
      costSentence(runTotalsOf(each)!),
    );
    expect(sentences).toMatchInlineSnapshot(`
      [
        "1,096 completed answers cost at least 0.107747 currency units; the cost of 136 of them is unknown.",
        "36 completed answers cost 0.063930 currency units.",
        "The cost of 123 completed answers is unknown: set a price in the scenario, and make the server report usage.",
      ]
    `);
  });
});

describe('audio per second', () => {
  it('covers the answers that ended in the measured window', () => {
    const rates = audioRates(result)!;
    const spoken = sampleObservations()
      .filter(({ ended }) => ended >= sampleReportPlan.warmUp && ended < 60_000)
      .flatMap(({ outcome }) =>
        outcome.kind === 'completed' && outcome.answer.kind === 'speech' ? [outcome.answer] : [],
      );
    expect(rates.seconds).toBe(50);
    expect(rates.received).toBeCloseTo(sum(spoken.map((each) => each.audioSeconds)) / 50, 6);
    expect(rates.characters).toBeCloseTo(sum(spoken.map((each) => each.characters)) / 50, 9);
    expect(audioRatesText(rates)).toMatchInlineSnapshot(
      `"Per second of the 50 s measured: 4.95 s of audio received, 2.10 s of audio sent, 71.8 characters spoken."`,
    );
  });

  it('names only what occurred', () => {
    expect(audioRatesText(audioRates(only('transcription'))!)).toMatchInlineSnapshot(
      `"Per second of the 50 s measured: 2.10 s of audio sent."`,
    );
    expect(audioRates(only('chat'))).toBeNull();
    expect(audioRates({ ...result, scheduled: result.plan.warmUp })).toBeNull();
  });
});
