/** Whether a URL names this machine itself. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(hostname)
  );
}

/** Whether the host of a URL is a name, which has an upper case, and not an address. */
export function hasHostName(url: string): boolean {
  return /^[^[]*[a-z]/i.test(new URL(url).hostname);
}
