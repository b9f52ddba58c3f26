import { resolve } from 'node:path';
import type { Profile } from '../targets/profile/profile.js';
import { readProfile } from '../targets/profile/read-profile.js';
import type { TargetAddress } from '../targets/target.js';
import { type Listening, listening } from './in-process.js';
import { controlUrl, type TargetControl, type TargetDescription } from './judged-target.js';

/** A target that can be opened. */
export interface ReachedTarget {
  readonly address: Pick<TargetAddress, 'baseUrl' | 'origin' | 'control' | 'profile'>;
  readonly profilePath: string | undefined;
  /** What to try where the control protocol does not answer. */
  readonly hint: string;
  /** Ends what was started for the run. */
  close(): Promise<void>;
}

const usualControl = '/control';

/** Makes a target reachable. Rejects with what is wrong with its profile, or why its server cannot listen. */
export async function reached(description: TargetDescription): Promise<ReachedTarget> {
  const { app, profile: profilePath } = description;
  const profile =
    profilePath === undefined ? undefined : await readProfile(resolve(profilePath), process.env);
  const own = app === undefined ? undefined : await listening(app);
  return {
    address: {
      ...(own === undefined ? elsewhere(description) : inProcess(description, own, profile)),
      ...(profile === undefined ? {} : { profile }),
    },
    profilePath,
    hint:
      own !== undefined && description.control === undefined
        ? ` Mount the control protocol at ${usualControl}, or say where it is: { app, control: '/…' }.`
        : '',
    close: async () => own?.close(),
  };
}

function elsewhere({ baseUrl, control }: TargetDescription): ReachedTarget['address'] {
  return {
    ...(baseUrl === undefined ? {} : { baseUrl: String(baseUrl) }),
    ...(control === undefined ? {} : { control: controlAt(control, undefined) }),
  };
}

/** The addresses of a server in this process: only the paths of them are known beforehand. */
function inProcess(
  { baseUrl, control }: TargetDescription,
  { origin }: Listening,
  profile: Profile | undefined,
): ReachedTarget['address'] {
  const path = baseUrl ?? (profile === undefined ? undefined : new URL(profile.target.base_url).pathname);
  const spoken = control ?? (profile === undefined ? usualControl : undefined);
  return {
    origin,
    ...(path === undefined ? {} : { baseUrl: new URL(path, origin).href }),
    ...(spoken === undefined ? {} : { control: controlAt(spoken, origin) }),
  };
}

function controlAt(control: string | URL | TargetControl, origin: string | undefined) {
  const url = new URL(controlUrl(control), origin).href;
  const token = typeof control === 'string' || control instanceof URL ? undefined : control.token;
  return token === undefined ? { url } : { url, token };
}
