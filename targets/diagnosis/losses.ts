import type { Received } from '../client.js';

/** Why no answer came, and what to do. */
interface Loss {
  readonly text: string;
  readonly todo: string;
}

const trustIt = 'Have it replaced, or give the certificate of its authority (PEM) as tls.ca';

const unknownAuthority: Loss = {
  text: 'its certificate comes from an authority that this machine does not know, or its chain is incomplete',
  todo: 'Give the certificate of the authority (PEM) as tls.ca, or have the server send the whole chain',
};
const noTls: Loss = {
  text: 'it speaks no TLS at that port, or none that this machine speaks',
  todo: 'Check the port; write http:// in target.base_url if it is meant to be plain',
};
const wantsCertificate: Loss = {
  text: 'it asks for a certificate of the client',
  todo: 'Give it as tls.cert and tls.key',
};
const noName: Loss = {
  text: 'its name cannot be resolved',
  todo: 'Check the host of target.base_url, and whether a VPN is needed',
};
const noWay: Loss = {
  text: 'there is no way to it from this machine',
  todo: 'Check the network, a firewall or a VPN',
};

/** By the code of the error; what TLS says first, for it is what people meet. */
const byCode: Readonly<Record<string, Loss>> = {
  CERT_HAS_EXPIRED: { text: 'its certificate has expired', todo: 'Have it renewed' },
  CERT_NOT_YET_VALID: {
    text: 'its certificate is not valid yet',
    todo: 'Check the clock of this machine, or have it replaced',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    text: 'its certificate is self-signed',
    todo: 'Give that certificate (PEM) as tls.ca',
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    text: 'its certificate comes from an authority of its own, which this machine does not know',
    todo: 'Give the certificate of that authority (PEM) as tls.ca',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    text: 'its certificate is made out for another name',
    todo: 'Write the name that it is made out for in target.base_url, or have it replaced',
  },
  CERT_REVOKED: { text: 'its certificate is revoked', todo: trustIt },
  CERT_UNTRUSTED: { text: 'its certificate is not trusted', todo: trustIt },
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: wantsCertificate,
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
  const known = code === undefined ? undefined : byCode[code];
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
