import { nkeys } from '@nats-io/transport-node';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNatsServer } from './nats-server.fixture.ts';
import { openRendezvous } from './open-rendezvous.ts';
import { rendezvousSuite, silentClockTest } from './rendezvous-suite.fixture.ts';

const openNats = async () => {
  const { url } = await startNatsServer();
  return () => openRendezvous(url, {});
};
rendezvousSuite('NATS', openNats);
silentClockTest('NATS', openNats);

const opened = async (...given: Parameters<typeof openRendezvous>) => {
  const rendezvous = await openRendezvous(...given);
  onTestFinished(() => rendezvous.close());
  return rendezvous;
};

describe('NATS', () => {
  it('keeps what was written over its restart, and is used again without a word', async () => {
    const server = await startNatsServer();
    const rendezvous = await opened(server.url, {});
    await rendezvous.create('claim', 'mine');
    const digest = await rendezvous.store('plan', new Uint8Array(5000));
    await server.stop();
    await expect(rendezvous.put('beat', '1')).rejects.toThrow(/cannot be reached/);
    await server.start();
    await expect
      .poll(() => rendezvous.get('claim').catch(() => ''), { timeout: 10_000 })
      .toBe('mine');
    expect(await rendezvous.create('claim', 'other')).toBe(false);
    expect(await rendezvous.load('plan', digest)).toHaveLength(5000);
    await rendezvous.put('beat', '2');
    expect(await rendezvous.get('beat')).toBe('2');
  }, 30_000);

  it('has separate buckets for the paths of its address', async () => {
    const { url } = await startNatsServer();
    const [one, two] = [await opened(`${url}/one`, {}), await opened(`${url}/two`, {})];
    await one.put('beat', '1');
    expect(await two.get('beat')).toBeNull();
    await two.clear();
    expect(await one.get('beat')).toBe('1');
  });

  it('takes a token, from the environment or the address, and shows none in its messages', async () => {
    const { url } = await startNatsServer('authorization { token: "s3cret-token" }');
    await opened(url, { WEIR_NATS_TOKEN: 's3cret-token' });
    const named = await opened(url.replace('://', '://s3cret-token@'), {});
    expect(named.name).not.toContain('s3cret');
    const wrong = openRendezvous(url, { WEIR_NATS_TOKEN: 'wr0ng-token' });
    await expect(wrong).rejects.toThrow(/cannot be reached: .*uthorization.*WEIR_NATS_TOKEN/);
    await expect(wrong).rejects.not.toThrow(/wr0ng/);
  });

  it('takes an nkey', async () => {
    const user = nkeys.createUser();
    const seed = new TextDecoder().decode(user.getSeed());
    const { url } = await startNatsServer(
      `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    );
    const rendezvous = await opened(url, { WEIR_NATS_NKEY: seed });
    expect(await rendezvous.create('claim', 'mine')).toBe(true);
    await expect(openRendezvous(url, {})).rejects.toThrow('cannot be reached');
  });

  it('is reached over TLS, and its certificate must be trusted explicitly', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const server = await startNatsServer();
    await server.stop();
    const file = (name: string): string => join(server.folder, name);
    await writeFile(file('key.pem'), key);
    await writeFile(file('cert.pem'), cert);
    const secured = await startNatsServer(
      `tls { cert_file: "${file('cert.pem')}", key_file: "${file('key.pem')}" }`,
    );
    const rendezvous = await opened(secured.url.replace('nats:', 'tls:'), {
      WEIR_NATS_CA: file('cert.pem'),
    });
    expect(await rendezvous.create('claim', 'mine')).toBe(true);
    await expect(openRendezvous(secured.url, {})).rejects.toThrow(/cannot be reached: .*cert/);
  });

  it('that is not there, or has no JetStream, is named', async () => {
    await expect(openRendezvous('nats://127.0.0.1:1', {})).rejects.toThrow(
      /the rendezvous nats:\/\/127\.0\.0\.1:1 cannot be reached: .*nats-server -js/,
    );
  });
});
