import { describe, expect, it, onTestFinished } from 'vitest';
import { type AnswerTo, oneModelList, startAnswering } from '../answering-server.fixture.ts';
import { readPlanWithFiles } from '../input/read-plan.ts';
import { type LookOptions, prepareTarget } from './prepare-target.ts';

/** A target is asked for its models before anything else is sent. */

const list = [200, oneModelList] as const;
const unauthorized = [401, '{"error":{"message":"no key"}}'] as const;

const look = async (answerTo: AnswerTo, options?: LookOptions) => {
  const asked: (readonly [string, string | undefined])[] = [];
  const server = await startAnswering((request) => {
    asked.push([request.url, request.authorization]);
    return answerTo(request);
  });
  onTestFinished(server.close);
  const value = {
    traffic: [{ kind: 'chat', model: 'm', maxTokens: 5 }],
    load: { kind: 'constant', rate: '1/s', duration: '1s' },
  };
  const url = `${server.origin}/v1`;
  const source = { scenario: undefined, value, flags: {}, set: [], target: url };
  const read = await readPlanWithFiles(source, { WEIR_API_KEY: 'sk-own' });
  const found = await prepareTarget(read, options).catch((error: unknown) => error as Error);
  return { found, asked, url };
};
const seen = async (...words: Parameters<typeof look>) => {
  const { found, asked, url } = await look(...words);
  if (found instanceof Error) throw found;
  const { notes, warnings, listing, keysWereUsed } = found;
  return { notes, warnings, listing, keysWereUsed, asked, url };
};

describe('the look at a target', () => {
  it('asks for the models once, without a key', async () => {
    const { url: _, ...rest } = await seen(() => list);
    expect(rest).toEqual({
      notes: [],
      warnings: [],
      listing: 'answered',
      keysWereUsed: false,
      asked: [['/v1/models', undefined]],
    });
  });

  it('does not happen if nobody wants it', async () => {
    const { url: _, ...rest } = await seen(() => list, { preflight: false, withKeys: true });
    expect(rest).toEqual({
      notes: [],
      warnings: [],
      listing: 'unasked',
      keysWereUsed: false,
      asked: [],
    });
  });

  it('asks with each key where one is needed, and only then has used it', async () => {
    const guarded: AnswerTo = ({ authorization }) =>
      authorization === 'Bearer sk-own' ? list : unauthorized;
    const { asked, keysWereUsed, warnings } = await seen(guarded, { withKeys: true });
    expect(asked).toEqual([
      ['/v1/models', undefined],
      ['/v1/models', 'Bearer sk-own'],
    ]);
    expect([keysWereUsed, warnings]).toEqual([true, []]);
    const open = await seen(() => list, { withKeys: true });
    expect(open.keysWereUsed).toBe(false);
    const failing = await seen(() => [503, '{}'], { withKeys: true });
    expect([failing.keysWereUsed, failing.asked.length]).toEqual([false, 1]);
    const alone = await seen(guarded);
    expect([alone.keysWereUsed, alone.asked.length]).toEqual([false, 1]);
  });

  it('goes on with a doubt if a page answers, unless the caller needs the list', async () => {
    const page: AnswerTo = () => [200, '<html>Welcome</html>'];
    const { notes, warnings, listing, keysWereUsed, url } = await seen(page, { withKeys: true });
    const doubt = `GET ${url}/models answers with an HTML page (status 200) instead of JSON: the gateway lists its models at another address, or to none`;
    expect([notes, warnings]).toEqual([[`${doubt}. That says nothing of other requests.`], notes]);
    expect([listing, keysWereUsed]).toEqual(['doubtful', false]);
    const { found, url: other } = await look(page, { needsList: true });
    expect((found as Error).message).toBe(doubt.replace(url, other));
  });

  it('notes that the list is missing at an address with a version', async () => {
    const { notes, warnings, listing, url } = await seen(() => [404, '{}']);
    expect(notes).toEqual([
      `GET ${url}/models answered 404: the gateway lacks this route, or has another address.`,
    ]);
    expect([warnings, listing]).toEqual([notes, 'answered']);
  });
});

it('a plan that names its targets has none that is the only one', async () => {
  const plan = { targets: [{ name: 'old' }, { name: 'new' }] };
  await expect(prepareTarget({ plan } as never)).rejects.toThrow(
    'targets: expected one target, and this scenario names old and new: only runs (weir run, sweep, compare, fairness) send to targets by name.',
  );
});
