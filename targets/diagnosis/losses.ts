import type { Received } from '../client.js';
import { type Loss, tlsLoss } from '../refused-connection.js';

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
