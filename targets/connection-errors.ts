import type { NoAnswer, PerhapsLost } from './exchange.js';

interface Explanation {
  /** The suite refused the server's certificate, TLS failed, or nothing is at the address. */
  readonly kind?: 'certificate' | 'tls' | 'unreachable';
  readonly text: string;
  readonly todo: string;
}

const orInsecure = '; --insecure accepts any certificate';
const trust = (what: string): string =>
  `Give ${what} (PEM) as tls.ca of the profile or with --cacert, or name its file in NODE_EXTRA_CA_CERTS${orInsecure}`;
const certificate = (text: string, todo: string): Explanation => ({
  kind: 'certificate',
  text: `its certificate ${text}`,
  todo,
});
const untrusted = (text: string): Explanation =>
  certificate(text, `Have it replaced. ${trust('the certificate of its authority')}`);

const unknownAuthority = certificate(
  'comes from an authority that this machine does not know, or its chain is incomplete',
  `Have the server send the whole chain. ${trust('the certificate of the authority')}`,
);
const wantsCertificate: Explanation = {
  kind: 'tls',
  text: 'it requires a client certificate',
  todo: 'Give it as tls.cert and tls.key of the profile',
};
const noTls: Explanation = {
  text: 'the port does not speak TLS, or no common TLS version',
  todo: 'Check the port; write http:// in the base URL if it is meant to be plain',
};
const unresolved: Explanation = {
  kind: 'unreachable',
  text: 'its name cannot be resolved',
  todo: 'Check the host of the base URL, and whether a VPN is needed',
};
const noRoute: Explanation = {
  text: 'it is unreachable from this machine',
  todo: 'Check the network, a firewall or a VPN',
};

const explanations: Readonly<Record<string, Explanation>> = {
  CERT_HAS_EXPIRED: certificate('has expired', `Have it renewed${orInsecure}`),
  CERT_NOT_YET_VALID: certificate(
    'is not valid yet',
    `Check the clock of this machine, or have it replaced${orInsecure}`,
  ),
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate('is self-signed', trust('that certificate')),
  SELF_SIGNED_CERT_IN_CHAIN: certificate(
    'comes from an authority of its own, which this machine does not know',
    trust('the certificate of that authority'),
  ),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: certificate(
    'is for another name',
    `Use a name that it is for, or have it replaced${orInsecure}`,
  ),
  CERT_REVOKED: untrusted('is revoked'),
  CERT_UNTRUSTED: untrusted('is not trusted'),
  CERT_REJECTED: untrusted('is not trusted'),
  CERT_SIGNATURE_FAILURE: untrusted('has an invalid signature'),
  CERT_CHAIN_TOO_LONG: untrusted('has a chain that is too long'),
  PATH_LENGTH_EXCEEDED: untrusted('has a chain that is too long'),
  INVALID_CA: untrusted('comes from an issuer that is no certificate authority'),
  INVALID_PURPOSE: untrusted('is not for servers'),
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: wantsCertificate,
  ECONNREFUSED: {
    kind: 'unreachable',
    text: 'nothing listens there',
    todo: 'Check the host and the port of the base URL, and that the service is up',
  },
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  EHOSTUNREACH: { ...noRoute, kind: 'unreachable' },
  ENETUNREACH: { ...noRoute, kind: 'unreachable' },
  ETIMEDOUT: noRoute,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};

/** Whether the suite refused the server's certificate. */
export function isRefusedCertificate(errorCode = ''): boolean {
  return explanations[errorCode]?.kind === 'certificate';
}

/** Whether the TLS handshake failed, whichever side refused it. */
export function isWithoutTls(errorCode = ''): boolean {
  return errorCode === 'EPROTO' || errorCode.startsWith('ERR_SSL_') || isRefusedCertificate(errorCode);
}

/** Whether there is nothing at an address, or no way to it. */
export function isUnreachable(errorCode = ''): boolean {
  return explanations[errorCode]?.kind === 'unreachable';
}

/** Whether a request was never sent, since no connection came about. */
export function isNeverConnected(errorCode = ''): boolean {
  return isUnreachable(errorCode) || isWithoutTls(errorCode);
}

function isAboutTls(kind: Explanation['kind']): boolean {
  return kind === 'certificate' || kind === 'tls';
}

/** Describes a lost connection; most errors have a code. */
export function describeLostConnection(errorCode: string | undefined): NoAnswer {
  if (errorCode === undefined) return { lost: 'connection lost (unknown error)' };
  const { kind, text, todo } = explanations[errorCode] ?? {};
  if (!isAboutTls(kind)) return { lost: `${describeLoss(errorCode)} (${errorCode})`, errorCode };
  const why = kind === 'certificate' ? 'the suite refused the server' : 'TLS could not be negotiated';
  return { lost: `no connection, since ${why}: ${text} (${errorCode}). ${todo}`, errorCode };
}

function describeLoss(errorCode: string): string {
  if (errorCode.startsWith('HPE_')) return 'an answer that cannot be read as HTTP';
  return errorCode.startsWith('Z_')
    ? 'an answer that does not match its Content-Encoding'
    : 'connection lost';
}

/** How a request goes to a server. */
export interface ConnectionRoute {
  readonly isTls: boolean;
  readonly isProxied: boolean;
}

/** Explains why the first call of a control got no answer, and what to do. */
export function explainLostControl(received: PerhapsLost, way: ConnectionRoute): string {
  const { lost = 'no answer' } = received;
  const { kind, text, todo } = explainConnectionError(received, way);
  if (isAboutTls(kind)) return lost;
  const why = text === lost ? lost : `${lost}: ${text}`;
  return `${why}. ${todo.replaceAll('the base URL', 'the control URL')}`;
}

/** Explains to the owner of a profile why a request got no answer, and what to do. */
export function explainConnectionError(
  { lost = 'no answer', errorCode: code }: PerhapsLost,
  { isTls, isProxied }: ConnectionRoute,
): Explanation {
  const known = explanations[code ?? ''];
  if (isProxied && !isAboutTls(known?.kind))
    return {
      text: `${known?.text ?? lost}, on the way through the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names`,
      todo: 'Check that proxy first, or add the host to NO_PROXY to go there directly',
    };
  if (code === undefined)
    return {
      text: lost,
      todo: 'Check the host and the port, a firewall or a VPN; a longer timeout may help',
    };
  if (known !== undefined) return known;
  if (/^ERR_OSSL|^ERR_CRYPTO/.test(code))
    return { text: `a file of tls cannot be used (${code})`, todo: 'Give PEM files that belong together' };
  const hint = isTls ? '' : '; it may take https:// in the base URL';
  return {
    text: `the connection breaks before an answer arrives (${code})`,
    todo: `Check the port and what stands in front of the service${hint}`,
  };
}
