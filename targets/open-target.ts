import { readFileBytes } from '../spec/read-file.js';
import { Agents, type TlsOptions, trimSlashes } from './agents.js';
import { CleanUpTime } from './clean-up-time.js';
import { Client } from './client.js';
import { assertUsableToken, type Capabilities, ControlClient, ControlError } from './control-client.js';
import { ControlledTarget, parseOfferedUrl } from './controlled-target.js';
import { mostTlsBytes, type Profile, publicAddresses, registerProfileSecrets } from './profile/profile.js';
import { ProfiledTarget } from './profiled-target.js';
import { Redactor } from './redaction.js';
import type { Target, TargetAddress } from './target.js';

/**
 * Opens a target: reads what its control protocol offers. Throws ControlError where that fails, UnusableControl where
 * the offer, or the token, cannot be used.
 */
export async function openTarget(address: TargetAddress): Promise<Target> {
  const { profile, permissions = { destructive: false, inference: false } } = address;
  assertUsableToken(address.control?.token);
  const client = await makeClient(address);
  const time = new CleanUpTime(address.signal);
  if (address.control === undefined) {
    if (profile === undefined) throw new TypeError('A target has a control protocol or a profile.');
    const target = { ...profile.target, base_url: address.baseUrl ?? profile.target.base_url };
    return new ProfiledTarget({ ...profile, target }, client, permissions, time);
  }
  const redactor = new Redactor();
  redactor.addPublic([address.control.url, ...publicAddresses(address.baseUrl ?? '')]);
  if (profile !== undefined) registerProfileSecrets(redactor, profile);
  if (address.control.token !== undefined)
    redactor.register(address.control.token, '$PLUMBLINE_CONTROL_TOKEN');
  const control = new ControlClient(client, address.control, time);
  try {
    const capabilities = await control.capabilities();
    const baseUrl =
      address.baseUrl ??
      profile?.target.base_url ??
      parseOfferedUrl(chooseBaseUrl(capabilities, address.origin), 'base_url');
    return new ControlledTarget({
      ...{ client, redactor, control, capabilities, permissions, time },
      baseUrl: trimSlashes(baseUrl),
      headers: profile?.headers ?? {},
    });
  } catch (error) {
    time.release();
    client.close();
    // The message may contain the token.
    throw error instanceof ControlError
      ? new ControlError(redactor.redactBeginning(error.message, messageKept))
      : error;
  }
}

// Texts of the control may be of any length.
const messageKept = 1_000;

async function makeClient({ profile, control, baseUrl, origin: _, tls, ...options }: TargetAddress) {
  const addresses = [baseUrl, control?.url, profile?.target.base_url, profile?.target.regional_base_url];
  const agents = await Agents.for(
    addresses.filter((address) => address !== undefined),
    { ...(profile === undefined ? {} : await readTlsFiles(profile.tls)), ...tls },
  );
  return new Client({ ...options, agents });
}

async function readTlsFiles({ ca, cert, key, insecure }: Profile['tls']): Promise<TlsOptions> {
  const read = (path?: string) => (path === undefined ? undefined : readFileBytes(path, mostTlsBytes));
  return { ca: await read(ca), cert: await read(cert), key: await read(key), insecure };
}

/** Returns the base URL that the control protocol gives, moved to the known origin where there is one. */
function chooseBaseUrl({ base_url }: Capabilities, origin: string | undefined): string {
  if (origin === undefined || !URL.canParse(base_url, origin)) return base_url;
  return `${origin}${new URL(base_url, origin).pathname}`;
}
