import type { Received } from './client.js';

/** Why a connection was not used, and what to do. */
export interface Loss {
  readonly text: string;
  readonly todo: string;
}

const orTrustBlindly = '; --insecure accepts any certificate';
const trust = (what: string): string =>
  `Give ${what} (PEM) as tls.ca of the profile or with --cacert, or name its file in NODE_EXTRA_CA_CERTS${orTrustBlindly}`;

const unknownAuthority: Loss = {
  text: 'its certificate comes from an authority that this machine does not know, or its chain is incomplete',
  todo: `Have the server send the whole chain. ${trust('the certificate of the authority')}`,
};
const untrusted = `Have it replaced. ${trust('the certificate of its authority')}`;
const wantsCertificate: Loss = {
  text: 'it asks for a certificate of the client',
  todo: 'Give it as tls.cert and tls.key of the profile',
};

/** Certificates that the client refused, by the code of its error. */
const refusedCertificates: Readonly<Record<string, Loss>> = {
  CERT_HAS_EXPIRED: { text: 'its certificate has expired', todo: `Have it renewed${orTrustBlindly}` },
  CERT_NOT_YET_VALID: {
    text: 'its certificate is not valid yet',
    todo: `Check the clock of this machine, or have it replaced${orTrustBlindly}`,
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    text: 'its certificate is self-signed',
    todo: trust('that certificate'),
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    text: 'its certificate comes from an authority of its own, which this machine does not know',
    todo: trust('the certificate of that authority'),
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    text: 'its certificate is made out for another name',
    todo: `Use a name that it is made out for, or have it replaced${orTrustBlindly}`,
  },
  CERT_REVOKED: { text: 'its certificate is revoked', todo: untrusted },
  CERT_UNTRUSTED: { text: 'its certificate is not trusted', todo: untrusted },
  CERT_REJECTED: { text: 'its certificate is not trusted', todo: untrusted },
  CERT_SIGNATURE_FAILURE: { text: 'its certificate has a signature that is wrong', todo: untrusted },
  CERT_CHAIN_TOO_LONG: { text: 'its certificate has a chain that is too long', todo: untrusted },
  PATH_LENGTH_EXCEEDED: { text: 'its certificate has a chain that is too long', todo: untrusted },
  INVALID_CA: { text: 'its certificate comes from one that may sign none', todo: untrusted },
  INVALID_PURPOSE: { text: 'its certificate is not made out for a server', todo: untrusted },
};

/** TLS that the two sides could not agree on, by the code of the error. */
const noAgreement: Readonly<Record<string, Loss>> = {
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: wantsCertificate,
};

/** What is wrong with TLS where an error is about it; undefined for any other error. */
export function tlsLoss(errorCode: string | undefined): Loss | undefined {
  return errorCode === undefined ? undefined : (refusedCertificates[errorCode] ?? noAgreement[errorCode]);
}

/** Whether it was this side that refused, because of the certificate that the server showed. */
export function isRefusedCertificate(errorCode: string | undefined): boolean {
  return errorCode !== undefined && refusedCertificates[errorCode] !== undefined;
}

/** Whether TLS did not come about, whoever of the two refused it. */
export function isWithoutTls(errorCode: string | undefined): boolean {
  if (errorCode === undefined) return false;
  return errorCode === 'EPROTO' || errorCode.startsWith('ERR_SSL_') || isRefusedCertificate(errorCode);
}

const unreachable: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/** Whether there is nothing at an address, or no way to it. */
export function isUnreachable(errorCode: string | undefined): boolean {
  return errorCode !== undefined && unreachable.includes(errorCode);
}

const noTls: Loss = {
  text: 'it speaks no TLS at that port, or none that this machine speaks',
  todo: 'Check the port; write http:// in target.base_url if it is meant to be plain',
};
const noName: Loss = {
  text: 'its name cannot be resolved',
  todo: 'Check the host of target.base_url, and whether a VPN is needed',
};
const noWay: Loss = {
  text: 'there is no way to it from this machine',
  todo: 'Check the network, a firewall or a VPN',
};

/** By the code of the error. */
const byCode: Readonly<Record<string, Loss>> = {
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ECONNREFUSED: {
    text: 'nothing listens there',
    todo: 'Check the host and the port of target.base_url, and that the service is up',
  },
  ENOTFOUND: noName,
  EAI_AGAIN: noName,
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  ETIMEDOUT: noWay,
};

/** Says what a lost answer means, and what to do. */
export function lossOf({ lost = 'no answer', errorCode: code }: Received, isTls: boolean): Loss {
  // What TLS says first, for it is what people meet.
  const known = tlsLoss(code) ?? (code === undefined ? undefined : byCode[code]);
  if (known !== undefined) return known;
  if (code === undefined)
    return {
      text: lost,
      todo: 'Check the host and the port, a firewall or a VPN; --timeout gives it more time',
    };
  if (/^ERR_OSSL|^ERR_CRYPTO/.test(code))
    return { text: `a file of tls cannot be used (${code})`, todo: 'Give PEM files that belong together' };
  const hint = isTls ? '' : '; it may take https:// in target.base_url';
  return {
    text: `the connection breaks before an answer comes (${code})`,
    todo: `Check the port and what stands in front of the service${hint}`,
  };
}
