import { expect, it } from 'vitest';
import { planHash } from '../../model/plan/plan-hash.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import type { RendezvousRun } from './model/records.ts';
import { receivePlan } from './hand-over-plan.ts';

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
