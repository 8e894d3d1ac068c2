import { generate } from 'selfsigned';

/** A certificate that signed itself, and its key; PEM texts. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** For 127.0.0.1. */
export const makeCertificate = async (): Promise<Certificate> => {
  const altNames = [{ type: 7, ip: '127.0.0.1' }] as const;
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [...altNames] }],
  });
  return { key, cert };
};
