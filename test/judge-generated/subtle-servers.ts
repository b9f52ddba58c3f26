import type { Behaviour, Call } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';

export interface SubtleServer {
  readonly what: string;
  readonly behaviour: Partial<Behaviour>;
  /** The requirements that may report the violation. */
  readonly violates: RegExp;
  readonly shownBy: string;
}

const nameOf = ({ parameters }: Call): string => parameters.name ?? '';

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
    what: 'drops the message when the name is longer than 64',
    behaviour: {
      envelope: (call, given) =>
        nameOf(call).length > 64 ? { error: { code: given.status } } : conforming.envelope(call, given),
    },
    violates: /^envelope\.error\.message$/,
    shownBy: 'valid-names',
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
