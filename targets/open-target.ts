import { fileBytes } from '../spec/file-text.js';
import { type Need, unlocks } from '../spec/need.js';
import { Agents, type TlsOptions } from './agents.js';
import { RefusedNeeds } from './capabilities.js';
import { Client } from './client.js';
import { assertUsableToken, type Capabilities, ControlClient, ControlError } from './control-client.js';
import { addressed, ControlledTarget, trimmed } from './controlled-target.js';
import { Canaries, noKeys } from './leak-detection.js';
import { type Profile, publicAddresses, registerProfileSecrets } from './profile/profile.js';
import { mostTlsBytes } from './profile/profile-rules.js';
import { ProfiledTarget } from './profiled-target.js';
import { Redactor } from './redaction.js';
import { CleanUpTime } from './run-limits.js';
import type { Removal, Target, TargetAddress } from './target.js';
import { BareWorld, type World } from './world.js';

/**
 * Opens a target: reads what its control protocol offers. Throws ControlError where that cannot be had, UnusableControl
 * where it, or the token given for it, cannot be used.
 */
export async function openTarget(address: TargetAddress): Promise<Target> {
  const { profile, permissions = { destructive: false, inference: false } } = address;
  assertUsableToken(address.control?.token);
  const client = await clientOf(address);
  if (address.control === undefined) {
    if (profile === undefined) return new BareTarget(trimmed(address.baseUrl ?? ''), client);
    const time = new CleanUpTime(address.signal);
    return new ProfiledTarget(withBaseUrl(profile, address.baseUrl), client, permissions, time);
  }
  const time = new CleanUpTime(address.signal);
  const redactor = new Redactor();
  redactor.addPublic([address.control.url, ...publicAddresses(address.baseUrl ?? '')]);
  if (profile !== undefined) registerProfileSecrets(redactor, profile);
  if (address.control.token !== undefined)
    redactor.register(address.control.token, '$PLUMBLINE_CONTROL_TOKEN');
  const control = new ControlClient(client, address.control, time);
  try {
    const capabilities = await control.capabilities();
    return new ControlledTarget(
      trimmed(
        address.baseUrl ??
          profile?.target.base_url ??
          addressed(offeredUrl(capabilities, address.origin), 'base_url'),
      ),
      client,
      redactor,
      control,
      capabilities,
      permissions,
      profile?.headers ?? {},
      time,
    );
  } catch (error) {
    time.release();
    client.close();
    // What the control said may hold the token.
    throw error instanceof ControlError
      ? new ControlError(redactor.redactBeginning(error.message, messageKept))
      : error;
  }
}

// The control may put any text into what it says.
const messageKept = 1_000;

/** The client of an address. */
async function clientOf({
  profile,
  control,
  baseUrl,
  origin: _,
  tls = {},
  ...options
}: TargetAddress): Promise<Client> {
  const addresses = [baseUrl, control?.url, profile?.target.base_url, profile?.target.regional_base_url];
  const agents = await Agents.for(
    addresses.filter((address) => address !== undefined),
    { ...(profile === undefined ? {} : await tlsOf(profile.tls)), ...tls },
  );
  return new Client({ ...options, agents });
}

async function tlsOf({ ca, cert, key, insecure }: Profile['tls']): Promise<TlsOptions> {
  return {
    ...(ca === undefined ? {} : { ca: await fileBytes(ca, mostTlsBytes) }),
    ...(cert === undefined ? {} : { cert: await fileBytes(cert, mostTlsBytes) }),
    ...(key === undefined ? {} : { key: await fileBytes(key, mostTlsBytes) }),
    insecure,
  };
}

function withBaseUrl(profile: Profile, baseUrl: string | undefined): Profile {
  return baseUrl === undefined ? profile : { ...profile, target: { ...profile.target, base_url: baseUrl } };
}

/** The base URL that the control protocol names; on the origin that is known better, where one is. */
function offeredUrl({ base_url }: Capabilities, origin: string | undefined): string {
  if (origin === undefined || !URL.canParse(base_url, origin)) return base_url;
  return `${origin}${new URL(base_url, origin).pathname}`;
}

/** A target of which nothing is known but its address: no key, no means. */
class BareTarget implements Target {
  readonly controlled = false;
  readonly canaries = new Canaries();
  readonly redactor = new Redactor();
  readonly keys = noKeys;
  readonly regional = {};
  readonly inference = undefined;
  readonly headers = {};
  readonly refused = new RefusedNeeds();
  readonly leftBehind = [];
  onLeftover: Target['onLeftover'] = () => undefined;

  constructor(
    readonly baseUrl: string,
    readonly client: Client,
  ) {}

  lacks(need: Need): string {
    return unlocks(need);
  }

  openWorld(): Promise<World> {
    return Promise.resolve(new BareWorld());
  }

  remove(): Promise<Removal> {
    return Promise.resolve({ why: 'nothing is known of the target but its address' });
  }

  seen(): void {
    // It stores nothing.
  }

  async close(): Promise<void> {
    this.client.close();
  }
}
