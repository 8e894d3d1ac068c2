import { expect, it } from 'vitest';
import { doctorVerb } from './doctor.ts';

it('a key without a target is refused, since nothing would be asked with it', async () => {
  const given = { key: 'K', target: undefined, scenario: undefined, set: [], allowFiles: false };
  await expect(doctorVerb.run(given as never)).rejects.toThrow(
    '--key: nothing is asked without a target: add --target https://host/v1',
  );
});
