import type { Depth } from '../../judge/plan.js';
import type { Behaviour, Call } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { refusal, wrongFor } from './name-property.js';

/** A server that is wrong where no listed check looks. */
export interface SubtleServer {
  readonly what: string;
  readonly behaviour: Partial<Behaviour>;
  /** What is violated, by the one row or the other. */
  readonly violates: RegExp;
  /** The property that shows it. */
  readonly shownBy: string;
  /** The depth at which it does; standard where absent. */
  readonly depth?: Depth;
}

const nameOf = ({ parameters }: Call): string => parameters.name ?? '';

/** Servers that are wrong where no listed check looks. */
export const subtleServers: readonly SubtleServer[] = [
  {
    what: 'refuses names of exactly 97 characters',
    behaviour: { isSecretName: (name) => name.length !== 97 && conforming.isSecretName(name) },
    violates: /^secret-name\.accepts\./,
    shownBy: 'legal-signs',
  },
  {
    what: 'loses the scope check when the name holds a digit',
    behaviour: {
      findSecret: (call) => {
        const name = nameOf(call);
        const isElsewhere = /\d/.test(name) && call.key?.world.secrets.sibling.has(name) === true;
        return conforming.findSecret(call) ?? (isElsewhere ? { scope: 'sibling', name } : undefined);
      },
      gates: {
        ...conforming.gates,
        'vault-delete': conforming.gates['vault-delete'].filter(({ name }) => name !== 'intern-in-workspace'),
      },
    },
    violates: /^vault-delete\.404\./,
    shownBy: 'vault-pairs',
  },
  {
    what: 'answers 503 to a key without programme where the name is longer than 20',
    behaviour: {
      answer: (answer, call) =>
        answer.status === 404 && call.key?.role === 'outsider' && nameOf(call).length > 20
          ? refusal(503)
          : answer,
    },
    violates: /^vault-delete\.404\.outside-programme$/,
    shownBy: 'vault-pairs',
  },
  {
    what: 'drops the message when the name is longer than 64',
    behaviour: {
      envelope: (call, given) =>
        nameOf(call).length > 64 ? { error: { code: given.status } } : conforming.envelope(call, given),
    },
    violates: /^envelope\.error\.message$/,
    shownBy: 'valid-names',
  },
  {
    what: 'keeps the secret when its name ends in 0',
    behaviour: {
      removeSecret: (call, place) => {
        if (!place.name.endsWith('0')) conforming.removeSecret(call, place);
      },
    },
    violates: /^vault-delete\.204\.takes-effect$/,
    shownBy: 'valid-names',
  },
  {
    what: 'answers 404 where the second underscore stands',
    behaviour: wrongFor((name) => name.split('_').length > 2),
    violates: /^secret-name\.accepts\.|^vault-delete\.204\.deleted$/,
    shownBy: 'valid-names',
  },
  {
    what: 'answers 204 to a provisioning key on a sibling intern',
    behaviour: {
      answer: (answer, call) =>
        call.operation === 'vault-delete' &&
        call.key?.role === 'provisioning' &&
        call.parameters.internId === call.key.world.interns.sibling
          ? { ...answer, status: 204, headers: {}, body: undefined }
          : answer,
    },
    violates: /^vault-delete\.401\.provisioning-key$/,
    shownBy: 'vault-pairs',
  },
  {
    what: 'lets a key without a scope in on the regional hostname while the vault is down, three things wrong',
    behaviour: {
      answer: (answer, call) =>
        call.operation === 'vault-delete' &&
        call.key?.role === 'unscoped' &&
        call.key.world.faults.includes('vault_unreachable') &&
        conforming.isRegionalHost(call.headers.host, call.server.regionalHost)
          ? { ...answer, status: 204, headers: {}, body: undefined }
          : answer,
    },
    violates: /^vault-delete\.403\.no-scope$/,
    shownBy: 'vault-triples',
    depth: 'deep',
  },
  {
    what: 'takes a tilde at the end of a plain word for a part of its name',
    behaviour: { isSecretName: (name) => conforming.isSecretName(name.replace(/^([a-z]{4,})~$/, '$1')) },
    violates: /^secret-name\.refuses\.punctuation$/,
    shownBy: 'invalid-names',
  },
  {
    what: 'refuses a name where a digit stands between underscores after a long word',
    behaviour: { isSecretName: (name) => !/[a-z]{3}_\d_/.test(name) && conforming.isSecretName(name) },
    violates: /^secret-name\.accepts\.|^vault-delete\./,
    shownBy: 'valid-names',
    depth: 'deep',
  },
  {
    what: 'answers 401 to a key without a scope where the name is longer than 20',
    behaviour: {
      answer: (answer, call) =>
        answer.status === 403 && call.key?.role === 'unscoped' && nameOf(call).length > 20
          ? refusal(401)
          : answer,
    },
    violates: /^vault-delete\.403\.no-scope$/,
    shownBy: 'vault-pairs',
  },
  {
    what: 'rounds weekly usage on own keys to quarters',
    behaviour: {
      keyInformation: (call, key) => {
        const information = conforming.keyInformation(call, key);
        const { byok_usage_weekly: weekly } = information;
        return {
          ...information,
          byok_usage_weekly: typeof weekly === 'number' ? Math.round(weekly * 4) / 4 : null,
        };
      },
    },
    violates: /^key-info\.200\.values$/,
    shownBy: 'key-values',
  },
  {
    what: 'takes a along where a longer name that begins with it is deleted',
    behaviour: {
      removeSecret: (call, place) => {
        conforming.removeSecret(call, place);
        if (/^a./.test(place.name)) call.key?.world.secrets[place.scope].delete('a');
      },
    },
    violates: /^vault-delete\.204\.only-the-named$/,
    shownBy: 'sequences',
  },
];
