/** The name in a `Host` header: lower case, without port and trailing dot. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Whether a `Host` header names the regional hostname (§4.1, §5.5). */
export function isRegionalHost(host: string | undefined, regionalHost: string): boolean {
  return host !== undefined && hostName(host) === hostName(regionalHost);
}
