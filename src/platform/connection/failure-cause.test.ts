import { describe, expect, it } from 'vitest';
import {
  connectAdvice,
  failureCause,
  failureDetail,
  isFoldedHeader,
  tlsComplaint,
} from './failure-cause.ts';

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
    ['EPIPE', connecting, 'connect-reset'],
    ['EAI_AGAIN', connecting, 'name-not-resolved'],
    ['ENETUNREACH', connecting, 'connect-unreachable'],
    ['ETIMEDOUT', connecting, 'connect-unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', connecting, 'connect-unreachable'],
    ['EODD', connecting, 'connect-unreachable'],
    ['EPROTO', connecting, 'tls'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', onNew, 'tls'],
    ['ENFILE', onReused, 'out-of-sockets'],
    ['ENOBUFS', onReused, 'out-of-sockets'],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', onNew, 'too-large'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', onReused, 'closed-early'],
    ['UND_ERR_INVALID_ARG', onNew, 'protocol'],
    ['ERR_STREAM_PREMATURE_CLOSE', onNew, 'closed-early'],
    ['ECONNRESET', { ...onReused, connection: 'ahead' }, 'closed-on-reuse'],
    ['ECONNRESET', { ...onReused, sinceSent: 1000 }, 'closed-on-reuse'],
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

  it('is a fault of Weir if nothing says what happened on an open connection', () => {
    for (const odd of [new Error('x'), 'x', null, 5])
      expect(failureCause(odd, onNew)).toBe('internal');
    expect(failureCause(null, connecting)).toBe('connect-unreachable');
  });

  it('has a detail for a value that is no error, and for the first of several errors', () => {
    expect(failureDetail('plain')).toBe('plain');
    expect(failureDetail(new AggregateError([coded('EPIPE'), coded('EACCES')]))).toBe(
      'it went wrong (EPIPE)',
    );
  });
});

describe('the advice on a target that does not answer', () => {
  const plain = { isTls: false, hasClientCertificate: false };
  const tls = { isTls: true, hasClientCertificate: false };
  const withCertificate = { isTls: true, hasClientCertificate: true };
  it.each<[string, typeof plain, RegExp | null]>([
    ['ECONNREFUSED', plain, /^nothing listens there/],
    ['ENOTFOUND', plain, /^the host name does not resolve/],
    ['EHOSTUNREACH', plain, /^the host cannot be reached/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', tls, /^the TLS handshake failed: give the server’s authority/],
    ['WEIR_PROXY', plain, /^check wire\.proxy/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', tls, /does not speak TLS: check whether http is meant/],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', tls, /does not speak TLS: check whether http is meant/],
    ['ENOENT', plain, /^there is no such socket/],
    ['ENOTSOCK', plain, /^there is no such socket/],
    ['EACCES', plain, /^this user may not write to the socket/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', tls, /^the server wants a client certificate/],
    [
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      withCertificate,
      /^the server does not accept the client cert/,
    ],
    [
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      tls,
      /cipher in common .* wants a client certificate/,
    ],
    ['ECONNRESET', tls, /^the server closed .* want a client certificate \(wire\.clientCert\)/],
    ['UND_ERR_SOCKET', withCertificate, /^the server closed .* accept another client certificate/],
    ['UND_ERR_SOCKET', plain, /does not speak HTTP: check the port, and whether https is meant/],
    ['HPE_INVALID_CONSTANT', tls, /does not speak HTTP: check the port$/],
    ['ECONNRESET', plain, null],
    ['EMFILE', plain, null],
  ])('%s, %j, is: %s', (code, target, said) => {
    const advice = connectAdvice(coded(code), target);
    if (said === null) expect(advice).toBeNull();
    else expect(advice).toMatch(said);
  });

  it.each<[number, string, typeof plain, RegExp | null]>([
    [400, 'No required SSL certificate was sent', tls, /^the server wants a client certificate/],
    [400, 'the ssl certificate error', withCertificate, /^the server does not accept/],
    [400, 'The plain HTTP request was sent to HTTPS port', plain, /write https instead of http/],
    [400, 'Client sent an HTTP request to an HTTPS server.', plain, /write https instead of http/],
    [
      400,
      'speaking plain HTTP to an SSL-enabled server port',
      plain,
      /write https instead of http/,
    ],
    [400, 'bad request', plain, null],
    [403, 'No required SSL certificate was sent', tls, null],
  ])('a %d that says “%s” is read: %j', (status, text, target, said) => {
    const complaint = tlsComplaint(status, text, target);
    if (said === null) expect(complaint).toBeNull();
    else expect(complaint).toMatch(said);
  });

  it('distinguishes a folded header from other faults of a parser', () => {
    const of = (message: string, name = 'HTTPParserError') =>
      Object.assign(new Error(message), { name });
    expect(isFoldedHeader(of('Unexpected whitespace after header value'))).toBe(true);
    expect(isFoldedHeader(of('Invalid header value char'))).toBe(true);
    expect(isFoldedHeader(of('Invalid constant'))).toBe(false);
    expect(isFoldedHeader(of('Invalid header value char', 'Error'))).toBe(false);
  });
});
