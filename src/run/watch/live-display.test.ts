import { describe, expect, it } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Screen } from '../../platform/screen.ts';
import { recordLiveObservation } from '../../platform/telemetry/live-series.ts';
import { sampleStream } from '../../record/sample-observations.fixture.ts';
import { openLiveDisplay } from './live-display.ts';

/** A screen that remembers what was shown on it. */
const paper = (live: boolean): Screen & { readonly shown: string[] } => {
  const shown: string[] = [];
  const show = (text: string): void => {
    shown.push(text);
  };
  return { live, width: 100, block: show, line: show, clear: () => shown.push('(cleared)'), shown };
};
const run = {
  name: 'sample',
  scheduled: milliseconds(60_000),
  stages: [{ name: 'main', begins: instant(0) }],
};
const motion = { due: 3, inFlight: 1 };

const listed: Observation = {
  requestId: 'run-0-1',
  stage: 0,
  index: 1,
  traffic: 'models',
  model: null,
  key: 'main',
  due: instant(100),
  released: instant(100),
  reserved: null,
  begun: instant(100),
  connected: instant(101),
  connection: 'new',
  sent: instant(101),
  head: null,
  ended: instant(104),
  earlier: [],
  gaveUp: null,
  outcome: {
    kind: 'completed',
    answer: { kind: 'models', firstByte: instant(103), models: 3, notes: [] },
  },
};

/** A stream that broke off after its first token. */
const brokenStream: Observation = {
  ...listed,
  traffic: 'chat-stream',
  outcome: { kind: 'broken', cause: 'reset', detail: '', partial: sampleStream([103]) },
};

describe('the live display', () => {
  it('counts the first token of a stream that failed later, as tables and live metrics do', () => {
    const screen = paper(false);
    const live = openLiveDisplay(screen, run);
    live.onObservation!(brokenStream);
    live.onTick!(instant(10_000), motion);
    expect(screen.shown.join()).toContain('chat-stream TTFT p50 ~3.00 ms');
    const counted: (readonly [string, number])[] = [];
    recordLiveObservation((series, value) => counted.push([series, value]), ['main'], brokenStream);
    expect(counted).toContainEqual(['ttft', 0.003]);
    expect(counted.map(([series]) => series)).not.toContain('endToEnd');
  });

  it('redraws a block where it can overwrite the last one', () => {
    const screen = paper(true);
    const live = openLiveDisplay(screen, run);
    for (const now of [250, 500, 750]) live.onTick!(instant(now), motion);
    expect(screen.shown).toHaveLength(3);
  });

  it('writes a plain line every ten seconds elsewhere', () => {
    const screen = paper(false);
    const live = openLiveDisplay(screen, run);
    for (let now = 250; now <= 30_000; now += 250) live.onTick!(instant(now), motion);
    expect(screen.shown.map((line) => line.split(':')[0])).toEqual([
      '10 s of 60 s',
      '20 s of 60 s',
      '30 s of 60 s',
    ]);
  });

  it('writes a line when a stage of several begins', () => {
    const screen = paper(false);
    const stages = [
      { name: 'warm', begins: instant(0) },
      { name: 'peak\u001b[2J', begins: instant(5000) },
    ];
    const live = openLiveDisplay(screen, { ...run, stages });
    for (let now = 250; now <= 9000; now += 250) live.onTick!(instant(now), motion);
    expect(screen.shown).toEqual(['0 s: stage warm begins', '5 s: stage peak␛[2J begins']);
  });

  it('says in which stage of several the load is, until it ends', () => {
    const stages = [
      { name: 'warm', begins: instant(0) },
      { name: 'peak', begins: instant(5000) },
    ];
    const screen = paper(true);
    const live = openLiveDisplay(screen, { ...run, stages });
    for (const now of [4999, 5000, 60_000]) live.onTick!(instant(now), motion);
    expect(screen.shown.map((block) => /stage .*/.exec(block)?.[0])).toEqual([
      'stage 1 of 2 (warm)',
      'stage 2 of 2 (peak)',
      undefined,
    ]);
  });

  it('counts every observation and keeps the latencies of each kind apart', () => {
    const screen = paper(true);
    const live = openLiveDisplay(screen, run);
    live.onObservation!(listed);
    live.onObservation!({
      ...listed,
      traffic: 'chat',
      outcome: { kind: 'dropped', cause: 'saturated' },
    });
    live.onTick!(instant(1000), motion);
    expect(screen.shown[0]).toContain('1 completed (1.00/s) · 1 dropped');
    expect(screen.shown[0]).toContain('models  End to end  p50 ~4.00 ms');
    expect(screen.shown[0]).not.toMatch(/^chat/m);
  });

  it('is as exact as the report', () => {
    const screen = paper(true);
    const live = openLiveDisplay(screen, run);
    for (const ended of [200, 1385.4, 2000]) {
      live.onObservation!({ ...listed, due: instant(0), ended: instant(ended) });
    }
    live.onTick!(instant(2000), motion);
    expect(screen.shown[0]).toContain('p50 ~1,385 ms');
  });

  it('shows of speech when its audio began', () => {
    const screen = paper(true);
    const live = openLiveDisplay(screen, run);
    const answer = {
      kind: 'speech',
      firstByte: instant(140),
      firstAudio: instant(150),
      bytes: 64_000,
      audioSeconds: 4,
      characters: 60,
      notes: [],
      cost: 900,
    } as const;
    live.onObservation!({
      ...listed,
      traffic: 'speech',
      ended: instant(900),
      outcome: { kind: 'completed', answer },
    });
    live.onTick!(instant(1000), motion);
    expect(screen.shown[0]).toContain('speech  First audio  p50 ~50.0 ms');
  });

  it('clears its block when the load has ended, so that the report is printed onto a clean screen', () => {
    const screen = paper(true);
    const display = openLiveDisplay(screen, run);
    display.onTick!(instant(1000), motion);
    display.onEnd!();
    expect(screen.shown).toHaveLength(2);
    expect(screen.shown.at(-1)).toBe('(cleared)');
  });
});
