import { expect, it } from 'vitest';
import { planHash } from '../../model/plan/plan-hash.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { RendezvousRun } from './model/records.ts';
import { dividedPlan, namesCommand, receivePlan, storePlan } from './hand-over-plan.ts';
import { memoryRendezvous, sampleRun } from './memory-rendezvous.fixture.ts';

/** Receives a plan with these keys as a worker does. */
const receiveWith = (...templates: readonly string[]) => {
  const keys = templates.map((template, i) => ({ name: `key-${i}`, weight: 1, template }));
  const plan = samplePlan({ keys });
  const rendezvous = {
    name: 'here',
    load: async () => new TextEncoder().encode(JSON.stringify(plan)),
  } as unknown as Rendezvous;
  const run = {
    id: 'r',
    weir: weirVersion(),
    planDigest: '',
    planHash: planHash(plan),
  } as unknown as RendezvousRun;
  const place = { folder: import.meta.dirname, allowFiles: false, environment: {} };
  return receivePlan(rendezvous, run, place);
};

it.each([
  [['${command:gcloud auth print-access-token; lifetime=50m}']],
  [['${env:WEIR_API_KEY}', '${command:touch /tmp/owned}']],
  [['Bearer ${command:date}']],
])('a worker refuses a plan with the keys %j before anything runs', async (templates) => {
  await expect(receiveWith(...templates)).rejects.toThrow(
    'a worker runs no command that comes from another machine',
  );
});

it('a worker takes a plan whose keys are in its environment', async () => {
  const { plan } = await receiveWith('${env:WEIR_API_KEY}');
  expect(plan.keys).toHaveLength(1);
});

it('a plan is divided as it is, but for a number of workers that each machine would choose', () => {
  const plan = samplePlan({ workers: 3 });
  expect(dividedPlan(plan, 2)).toEqual(plan);
  expect(dividedPlan(samplePlan({ workers: 'auto' }), 2).workers).toBe(1);
});

it('a load that saturates is not divided', () => {
  const [stage] = samplePlan().stages;
  const stages = [{ ...stage!, load: { kind: 'saturate', connections: 2 } }];
  expect(() => dividedPlan(samplePlan({ stages } as unknown as Plan), 2)).toThrow(
    'a load of the kind "saturate" has no slices',
  );
});

it('a load that lasts until it has decided is not divided, unless one machine has all of it', () => {
  const plan = samplePlan({ until: 'decided' });
  expect(() => dividedPlan(plan, 2)).toThrow(/^until: decided: /);
  expect(dividedPlan(plan, 1)).toBe(plan);
});

/** Stores a plan, and receives it as a worker in an empty folder does. */
const handOver = async (plan: Plan, changes: Partial<RendezvousRun> = {}) => {
  const { rendezvous } = memoryRendezvous();
  const planDigest = await storePlan(rendezvous, 'r', plan);
  const right = { weir: weirVersion(), planHash: planHash(plan), planDigest };
  const place = { folder: import.meta.dirname, allowFiles: false, environment: { A: 'b' } };
  return receivePlan(rendezvous, sampleRun({ ...right, ...changes }), place);
};

it('a worker receives the plan that the coordinator has stored', async () => {
  const plan = samplePlan();
  expect(await handOver(plan)).toMatchObject({
    plan,
    folder: import.meta.dirname,
    environment: { A: 'b' },
  });
});

it.each([
  [{ weir: '0.0.0' }, /^the coordinator is Weir 0.0.0, and this worker is .*same version/],
  [{ planHash: '0123456789abcdef' }, /is not the one that the coordinator named \(0123456789ab…\)/],
])('a worker refuses a plan of another version or content: %j', async (changes, message) => {
  await expect(handOver(samplePlan(), changes)).rejects.toThrow(message);
});

const remote = { kind: 'url', url: 'https://gateway.example/v1' } as Plan['target'];
const keyIn = (path: string): Partial<Plan> => ({
  target: remote,
  keys: [{ name: 'key', weight: 1, template: `\${secret:${path}}` }],
});

it.each([
  ['a secret outside its folder', keyIn('/etc/hostname'), /\/etc\/hostname/],
  ['a secret that is missing', keyIn('no-such-key'), /no-such-key.* A worker needs the scenario’s/],
  [
    'certificates outside its folder',
    { target: remote, wire: { ...samplePlan().wire, caFile: '/etc/hostname' } },
    /\/etc\/hostname/,
  ],
  [
    'a client’s certificate that is missing',
    { target: remote, wire: { ...samplePlan().wire, clientCert: 'no-such-cert' } },
    /no-such-cert.*--folder/,
  ],
])('a worker refuses a plan that names %s', async (_, changes, message) => {
  await expect(handOver(samplePlan(changes))).rejects.toThrow(message);
});

it('a worker of the bundled gateway needs no secret of the plan', async () => {
  const { keys } = keyIn('no-such-key');
  expect((await handOver(samplePlan({ keys: keys! }))).plan.keys).toEqual(keys);
});

it('a plan names a command in any of its keys, or none', () => {
  expect(namesCommand(samplePlan())).toBe(false);
  const command = { name: 'c', weight: 1, template: '${command:date}' };
  expect(namesCommand(samplePlan({ keys: [...samplePlan().keys, command] }))).toBe(true);
});
