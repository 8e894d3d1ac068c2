import { describe, expect, it } from 'vitest';
import { trueLimiters } from '../../../judge/limits/facts/true-limiters.fixture.ts';
import {
  limiterClassNames,
  type ProbePhase,
  type ProbeReply,
} from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { sampleReply } from '../judge/sample-reply.fixture.ts';
import { examineKey, type ExaminationOptions } from './examine-key.ts';
import { openVirtualWorld } from './tokens/virtual-world.fixture.ts';

const rule = { limit: 6, window: milliseconds(6000) };

type Answer = Partial<ProbeReply> | string | null;

/** Examines a key in virtual time, of which each request is answered after 20 ms as `answer` says. */
const examined = async (
  phases: readonly ProbePhase[],
  answer: (asked: {
    readonly now: number;
    readonly request: string;
    readonly count: number;
  }) => Answer,
  changes: Partial<ExaminationOptions> = {},
) => {
  const world = openVirtualWorld();
  const begun: ProbePhase[] = [];
  let count = 0;
  const client = {
    now: () => instant(world.now()),
    sleepUntil: (moment: number) => world.sleepUntil(moment),
    ask: (phase: ProbePhase, request: ProbeReply['request'], key: ProbeReply['key']) =>
      new Promise<ProbeReply | string | null>((resolve) => {
        const sent = world.now();
        count += 1;
        const answered = answer({ now: sent + 10, request, count });
        const at = instant(sent + 20);
        const times = { answered: at, ended: at };
        const isFree = answered === null;
        world.at(isFree ? sent : at, () =>
          resolve(
            isFree || typeof answered === 'string'
              ? answered
              : sampleReply(sent, { phase, request, key, ...times, ...answered }),
          ),
        );
      }),
  };
  const log = await world.run(async () => {
    await world.sleepUntil(500);
    return examineKey(client, {
      declared: { requests: rule, tokens: null, permitted: limiterClassNames },
      phases,
      hasSecondKey: false,
      sustain: 2,
      maxRequests: 500,
      stopReason: () => null,
      onPhaseStart: (phase) => begun.push(phase),
      ...changes,
    });
  });
  return { log, begun, now: world.now() };
};

const refused: Answer = { status: 429, admitted: false };

/** When each request was sent, in ms, and what came of it. */
const course = ({ log }: Awaited<ReturnType<typeof examined>>): readonly string[] =>
  log.replies.map(
    ({ phase, request, key, sent, status }) =>
      `${phase} ${request}${key === 'second' ? ' of the second key' : ''} at ${Math.round(sent)}: ${status}`,
  );

const limited = () => {
  const limiter = trueLimiters['a log']!({ ...rule, tolerance: 0, draws: [0, 0, 0] });
  return ({ now }: { readonly now: number }): Answer => (limiter(now) ? {} : refused);
};

describe('an examination of a key', () => {
  it('counts with a small chat after each other request that the target offers', async () => {
    const found = await examined(['counting'], ({ request }) =>
      request === 'speech' || request === 'transcription' ? null : {},
    );
    expect(course(found)).toMatchSnapshot();
    expect(found.begun).toEqual(['counting']);
  });

  it('asks evenly, and once more if an earlier use of the key may explain a refusal', async () => {
    expect(course(await examined(['even'], () => ({})))).toMatchSnapshot('admitted');
    const once = await examined(['even'], ({ count }) => (count === 4 ? refused : {}));
    expect(course(once)).toMatchSnapshot('refused once');
    const later = await examined(['even', 'sustained'], ({ now }) => (now > 9000 ? refused : {}));
    expect(course(later)).toMatchSnapshot('refused again');
    expect(later.begun).toEqual(['even', 'sustained']);
  });

  it('asks an exhausted key for all, and another key five times', async () => {
    const found = await examined(['provocation', 'exhausted'], limited(), { hasSecondKey: true });
    expect(course(found).filter((line) => line.startsWith('exhausted'))).toMatchSnapshot();
  });

  it('waits before each burst until the key is idle', async () => {
    const found = await examined(['provocation', 'concurrency'], limited());
    const begins = [...Map.groupBy(found.log.replies, ({ phase }) => phase)].map(
      ([phase, replies]) =>
        `${phase}: ${Math.round(replies[0]!.sent)} to ${Math.round(replies.at(-1)!.sent)}, ${replies.length}`,
    );
    expect(begins).toMatchSnapshot();
  });

  it('takes another failure as a refusal unless it came below the limit', async () => {
    const failing = (isCalm: boolean) =>
      examined(['even', 'provocation'], ({ now, count }) =>
        (isCalm && count === 2) || (now > 19_000 && count % 4 === 0) ? { status: 503 } : {},
      );
    const lengths = async (isCalm: boolean) =>
      (await failing(isCalm)).log.replies.filter(({ phase }) => phase === 'provocation').length;
    expect([await lengths(false), await lengths(true)]).toMatchSnapshot();
  });
});

describe('an examination of a key ends early', () => {
  const cut = async (...given: Parameters<typeof examined>): Promise<string> => {
    const { log } = await examined(...given);
    return `${log.replies.length} replies, ${log.unanswered.join(', ')}; ${log.cut}`;
  };

  it('if it is stopped, also while it waits', async () => {
    let asked = 0;
    const found = await examined(['even'], () => ({}), {
      stopReason: () => ((asked += 1) > 12 ? 'stopped by SIGINT' : null),
    });
    expect([found.log.cut, found.log.replies.length, found.now]).toMatchSnapshot();
  });

  it('if its budget is used up, to which what is not offered does not count', async () => {
    expect(await cut(['even'], () => ({}), { maxRequests: 3 })).toBe(
      '3 replies, ; the budget of 3 requests is used up',
    );
    const counted = await examined(
      ['counting'],
      ({ request }) => (request === 'models' ? null : {}),
      { maxRequests: 4 },
    );
    expect(counted.log.replies.map(({ request }) => request)).toEqual([
      'chat',
      'chat-stream',
      'chat',
      'speech',
    ]);
  });

  it('after three failures in a row, at once if no waiting helps', async () => {
    expect(await cut(['even'], () => 'timeout: none')).toBe(
      '0 replies, chat: timeout: none, chat: timeout: none, chat: timeout: none; 3 small chats in a row failed, the last with timeout: none',
    );
    expect(await cut(['even'], () => ({ status: 404 }))).toBe(
      '3 replies, ; 3 small chats in a row failed, the last with status 404, which an unknown address or model (`--model`) has',
    );
    for (const status of [401, 402])
      expect(await cut(['even'], ({ count }) => (count < 4 ? {} : { status }))).toBe(
        `6 replies, ; 3 small chats in a row failed, the last with status ${status}`,
      );
    expect(await cut(['even'], ({ count }) => (count % 3 === 0 ? {} : { status: 500 }))).toMatch(
      /; null$/,
    );
    expect(await cut(['even'], ({ count }) => (count % 3 === 0 ? refused : 'lost'))).toMatch(
      /; null$/,
    );
  });

  it('of failures that may be refusals only after more than two windows', async () => {
    const found = await examined(['even', 'provocation'], ({ count }) =>
      count < 8 ? {} : { status: 503 },
    );
    expect([found.log.cut, Math.round(found.now)]).toMatchSnapshot();
  });
});

it('a list of models that was asked for before is kept in the log', async () => {
  const listed = { sent: instant(1), answered: instant(9) };
  const { log } = await examined(['exhausted'], () => ({}), { listed });
  expect(log.listed).toEqual(listed);
  expect((await examined(['exhausted'], () => ({}))).log).not.toHaveProperty('listed');
});
