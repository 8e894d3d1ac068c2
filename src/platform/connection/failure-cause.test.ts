import { describe, expect, it } from 'vitest';
import { failureCause, failureDetail } from './failure-cause.ts';

const coded = (code: string, name = 'Error'): Error =>
  Object.assign(new Error('it went wrong'), { code, name });
const connecting = { connection: null, sinceSent: null, hasResponse: false } as const;
const onNew = { connection: 'new', sinceSent: 5, hasResponse: false } as const;
const onReused = { connection: 'reused', sinceSent: 5, hasResponse: false } as const;
const longAfter = { connection: 'reused', sinceSent: 1001, hasResponse: false } as const;
const inAnswer = { connection: 'reused', sinceSent: 5, hasResponse: true } as const;

describe('the cause of a failure', () => {
  it.each([
    ['ECONNREFUSED', connecting, 'connect-refused'],
    ['ECONNRESET', connecting, 'connect-reset'],
    ['ENOTFOUND', connecting, 'name-not-resolved'],
    ['EHOSTUNREACH', connecting, 'connect-unreachable'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', connecting, 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', connecting, 'tls'],
    ['EMFILE', connecting, 'out-of-sockets'],
    ['EADDRNOTAVAIL', connecting, 'out-of-sockets'],
    ['WEIR_PROXY', connecting, 'proxy'],
    ['ECONNRESET', onNew, 'reset'],
    ['ECONNRESET', onReused, 'closed-on-reuse'],
    ['EPIPE', { ...onReused, sinceSent: null }, 'closed-on-reuse'],
    ['ECONNRESET', inAnswer, 'reset'],
    ['ECONNRESET', longAfter, 'reset'],
    ['UND_ERR_SOCKET', longAfter, 'closed-early'],
    ['ETIMEDOUT', onReused, 'closed-early'],
    ['UND_ERR_SOCKET', onNew, 'closed-early'],
    ['UND_ERR_SOCKET', onReused, 'closed-on-reuse'],
    ['HPE_INVALID_CONSTANT', onNew, 'protocol'],
    ['UND_ERR_HEADERS_OVERFLOW', onNew, 'too-large'],
  ] as const)('%s at this stage is %o: %s', (code, progress, cause) => {
    expect(failureCause(coded(code), progress)).toBe(cause);
  });

  it('looks through an aggregate of attempts and through a wrapped cause', () => {
    const aggregate = new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]);
    expect(failureCause(aggregate, connecting)).toBe('connect-refused');
    const wrapped = Object.assign(new Error('other side closed', { cause: coded('ECONNRESET') }), {
      code: 'UND_ERR_SOCKET',
    });
    expect(failureCause(wrapped, onNew)).toBe('reset');
  });

  it('uses the message of a parser error that has no code', () => {
    const complaint = Object.assign(new Error('bad'), { name: 'HTTPParserError' });
    expect(failureCause(complaint, onNew)).toBe('protocol');
  });

  it('is written as a sentence with its code', () => {
    expect(failureDetail(coded('EPIPE'))).toBe('it went wrong (EPIPE)');
    const message = '40F7:error:0A00010B:SSL routines:f:wrong version number:../tls_meth.c:77:\n';
    const openssl = { code: 'ERR_SSL_WRONG_VERSION_NUMBER', reason: 'wrong version number' };
    expect(
      failureDetail(Object.assign(new Error(message), openssl, { library: 'SSL routines' })),
    ).toBe('wrong version number (ERR_SSL_WRONG_VERSION_NUMBER)');
  });
});
