import { z } from 'zod';
import { mockNodeFlags } from '../platform/mock-process.ts';
import type { Row } from './bench.ts';
import { type Lateness, latenessOf, type Token } from './lateness.ts';
import { median } from './median.ts';
import { gap, load, type Load, portOf, stream, ttft, withMock } from './mock-load.ts';
import { startOn } from './processes.ts';
import type { Calm } from './slow-spells.ts';
import { watched } from './witness.ts';

/** How late the mock's tokens are, beside those of a process that only writes them. */

/** By turns, since what else the machine does comes and goes. */
const rounds = 5;
/** In percent: what must have been due at the processor's usual speed, of a round's tokens, for it to count. */
const leastCalm = 50;
const { streams, tokens } = load;

const truthSchema = z.looseObject({
  lines: z.array(z.looseObject({ due: z.array(z.number()), sent: z.array(z.number()) })),
});

type Truth = z.infer<typeof truthSchema>;

const tokensOf = (lines: Truth['lines']): readonly Token[] =>
  lines.flatMap(({ due, sent }) => due.map((instant, i) => ({ due: instant, sent: sent[i]! })));

/** How late the tokens of one load were. */
interface Turn {
  /** Of those that were due while all streams ran. */
  readonly steady: Lateness;
  /** Of these, those that were due while the processor kept its speed; how many of them in percent. */
  readonly calm: Lateness;
  readonly calmShare: number;
  /** Of all tokens, those that were sent before they were due. */
  readonly early: number;
}

const turnOf = (answer: unknown, speed: Calm): Turn => {
  const { lines } = truthSchema.parse(answer);
  const all = tokensOf(lines);
  if (all.length !== streams * tokens) throw new Error(`${all.length} tokens were told`);
  const begun = Math.max(...lines.map(({ due }) => due[0]!));
  const ended = Math.min(...lines.map(({ due }) => due.at(-1)!));
  const steady = all.filter(({ due }) => due >= begun && due <= ended);
  const calm = steady.filter(({ due }) => speed.isCalm(due));
  return {
    ...{ steady: latenessOf(steady), calm: latenessOf(calm) },
    calmShare: (calm.length / steady.length) * 100,
    early: latenessOf(all).early,
  };
};

/**
 * What makes the mock's code warm, as a user's first seconds do: until it is compiled, the compiler's threads
 * take the one core for some milliseconds at a time.
 */
const warmUp: Load = { streams, tokens: 60 };

/** By a process that only writes the tokens. */
const byBare = async (): Promise<Turn> => {
  const bare = await startOn(0, ['bare-streams.ts'], {
    input: JSON.stringify({ loads: [warmUp, load], gap, ttft }),
    flags: mockNodeFlags,
  });
  try {
    await stream(Number(bare.line), warmUp);
    await bare.next();
    const calm = await watched(() => stream(Number(bare.line), load));
    return turnOf(JSON.parse(await bare.next()), calm);
  } finally {
    await bare.stop();
  }
};

const byMock = (): Promise<Turn> =>
  withMock({ truth: { file: null, keep: streams } }, async ({ url, control }) => {
    await stream(portOf(url), warmUp);
    const calm = await watched(() => stream(portOf(url), load));
    return turnOf(await (await fetch(`${control}/truth`)).json(), calm);
  });

interface Round {
  readonly bare: Turn;
  readonly mock: Turn;
}

const told = ({ steady, calm, calmShare }: Turn): string =>
  `p50 ${steady.p50.toFixed(2)}, p99 ${steady.p99.toFixed(2)}, at the processor's usual speed (${Math.round(calmShare)} %) ${calm.p99.toFixed(2)} ms`;

const lateByTurns = async (say: (text: string) => void): Promise<readonly Round[]> => {
  const taken: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const bare = await byBare();
    const mock = await byMock();
    taken.push({ bare, mock });
    say(`tokens, round ${round}: the mock ${told(mock)}; bare ${told(bare)}`);
  }
  return taken;
};

const counting = (turns: readonly Turn[]): readonly Turn[] =>
  turns.filter(({ calmShare }) => calmShare >= leastCalm);

/** The round in which the tokens at the processor's usual speed came best; what else runs on the machine only adds. */
const bestOf = (turns: readonly Turn[]): Turn | undefined =>
  counting(turns).toSorted((one, other) => one.calm.p99 - other.calm.p99)[0];

type Figure = (turns: readonly Turn[]) => number;

const medianOf =
  (of: (turn: Turn) => number): Figure =>
  (turns) =>
    median(turns.map(of));

const ofBest =
  (of: (turn: Turn) => number): Figure =>
  (turns) => {
    const best = bestOf(turns);
    return best === undefined ? Number.NaN : of(best);
  };

/** Of the 99th percentile of a token's lateness, in ms. */
const atMostLate = { kind: 'at most', value: 2 } as const;
const title = `lateness of tokens, ${streams} streams × ${1000 / gap}/s`;
const calmly = 'the same while the processor kept its speed';

const latenessRows = (taken: readonly Round[]): readonly Row[] => {
  const mocks = taken.map(({ mock }) => mock);
  const bares = taken.map(({ bare }) => bare);
  const row = (what: string, figure: Figure, bound: Row['bound'] = null): Row => ({
    ...{ what, unit: 'ms', bound },
    value: figure(mocks),
    ruler: figure(bares),
  });
  const share = ofBest(({ calmShare }) => calmShare);
  return [
    row(
      `${title}: p50, median of ${rounds} rounds`,
      medianOf(({ steady }) => steady.p50),
    ),
    row(
      'the same, p99',
      medianOf(({ steady }) => steady.p99),
      atMostLate,
    ),
    row(
      'the same, the latest',
      medianOf(({ steady }) => steady.latest),
    ),
    row(
      `${calmly}, p99 of the best round`,
      ofBest(({ calm }) => calm.p99),
      atMostLate,
    ),
    { ...row('in that round, tokens that were due then', share), unit: '%' },
    row(`${calmly}, p99, median of the ${counting(mocks).length} rounds that count`, (turns) =>
      median(counting(turns).map(({ calm }) => calm.p99)),
    ),
    {
      what: 'tokens sent before they were due',
      value: mocks.reduce((sum, { early }) => sum + early, 0),
      unit: '',
      bound: { kind: 'at most', value: 0 },
    },
  ];
};

export const benchLateness = async (say: (text: string) => void): Promise<readonly Row[]> =>
  latenessRows(await lateByTurns(say));
