import type { NoAnswer } from './exchange.js';

/** Why a connection was not used, and what to do. */
interface Explanation {
  readonly text: string;
  readonly todo: string;
}

const orInsecure = '; --insecure accepts any certificate';
const trust = (what: string): string =>
  `Give ${what} (PEM) as tls.ca of the profile or with --cacert, or name its file in NODE_EXTRA_CA_CERTS${orInsecure}`;

const unknownAuthority: Explanation = {
  text: 'its certificate comes from an authority that this machine does not know, or its chain is incomplete',
  todo: `Have the server send the whole chain. ${trust('the certificate of the authority')}`,
};
const untrusted = (text: string): Explanation => ({
  text,
  todo: `Have it replaced. ${trust('the certificate of its authority')}`,
});
const wantsCertificate: Explanation = {
  text: 'it requires a client certificate',
  todo: 'Give it as tls.cert and tls.key of the profile',
};

/** Certificates that this side refused, by the code of the error. */
const refusedCertificates: Readonly<Record<string, Explanation>> = {
  CERT_HAS_EXPIRED: { text: 'its certificate has expired', todo: `Have it renewed${orInsecure}` },
  CERT_NOT_YET_VALID: {
    text: 'its certificate is not valid yet',
    todo: `Check the clock of this machine, or have it replaced${orInsecure}`,
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
    text: 'its certificate is for another name',
    todo: `Use a name that it is for, or have it replaced${orInsecure}`,
  },
  CERT_REVOKED: untrusted('its certificate is revoked'),
  CERT_UNTRUSTED: untrusted('its certificate is not trusted'),
  CERT_REJECTED: untrusted('its certificate is not trusted'),
  CERT_SIGNATURE_FAILURE: untrusted('its certificate has an invalid signature'),
  CERT_CHAIN_TOO_LONG: untrusted('its certificate has a chain that is too long'),
  PATH_LENGTH_EXCEEDED: untrusted('its certificate has a chain that is too long'),
  INVALID_CA: untrusted('its certificate comes from an issuer that is no certificate authority'),
  INVALID_PURPOSE: untrusted('its certificate is not for servers'),
};

/** TLS that the two sides could not agree on, by the code of the error. */
const tlsFailures: Readonly<Record<string, Explanation>> = {
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: wantsCertificate,
};

const noTls: Explanation = {
  text: 'the port does not speak TLS, or no common TLS version',
  todo: 'Check the port; write http:// in target.base_url if it is meant to be plain',
};
const unresolved: Explanation = {
  text: 'its name cannot be resolved',
  todo: 'Check the host of target.base_url, and whether a VPN is needed',
};
const noRoute: Explanation = {
  text: 'it is unreachable from this machine',
  todo: 'Check the network, a firewall or a VPN',
};

/** Nothing is at the address, or there is no way to it. */
const unreachable: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: {
    text: 'nothing listens there',
    todo: 'Check the host and the port of target.base_url, and that the service is up',
  },
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
};

const otherErrors: Readonly<Record<string, Explanation>> = {
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ETIMEDOUT: noRoute,
};

/** Whether this side refused the certificate that the server showed. */
export function isRefusedCertificate(errorCode: string | undefined): boolean {
  return errorCode !== undefined && errorCode in refusedCertificates;
}

/** Whether TLS did not come about, whoever of the two refused it. */
export function isWithoutTls(errorCode: string | undefined): boolean {
  if (errorCode === undefined) return false;
  return errorCode === 'EPROTO' || errorCode.startsWith('ERR_SSL_') || isRefusedCertificate(errorCode);
}

/** Whether there is nothing at an address, or no way to it. */
export function isUnreachable(errorCode: string | undefined): boolean {
  return errorCode !== undefined && errorCode in unreachable;
}

/** Describes a connection that an error broke; most errors have a code. */
export function describeLostConnection(errorCode: string | undefined): NoAnswer {
  if (errorCode === undefined) return { lost: 'connection lost (unknown error)' };
  const explanation = refusedCertificates[errorCode] ?? tlsFailures[errorCode];
  if (explanation === undefined) return { lost: `connection lost (${errorCode})`, errorCode };
  const why = isRefusedCertificate(errorCode)
    ? 'the suite refused the server'
    : 'TLS could not be negotiated';
  const { text, todo } = explanation;
  return { lost: `no connection, since ${why}: ${text} (${errorCode}). ${todo}`, errorCode };
}

/** Explains to the owner of a profile why a request got no answer, and what to do. */
export function explainConnectionError(
  { lost = 'no answer', errorCode: code }: { readonly [K in keyof NoAnswer]?: NoAnswer[K] | undefined },
  isTls: boolean,
): Explanation {
  if (code === undefined)
    return {
      text: lost,
      todo: 'Check the host and the port, a firewall or a VPN; a longer timeout may help',
    };
  const known = refusedCertificates[code] ?? tlsFailures[code] ?? unreachable[code] ?? otherErrors[code];
  if (known !== undefined) return known;
  if (/^ERR_OSSL|^ERR_CRYPTO/.test(code))
    return { text: `a file of tls cannot be used (${code})`, todo: 'Give PEM files that belong together' };
  const hint = isTls ? '' : '; it may take https:// in target.base_url';
  return {
    text: `the connection breaks before an answer arrives (${code})`,
    todo: `Check the port and what stands in front of the service${hint}`,
  };
}
