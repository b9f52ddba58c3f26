import { type Behaviour, conforming } from '../../reference/behaviour.js';
import type { Call } from '../../reference/call.js';
import { refusal, wrongFor } from './name-property.js';

/** A server that is wrong where no listed check looks. */
export interface SubtleServer {
  readonly what: string;
  readonly behaviour: Partial<Behaviour>;
  /** What is violated, by the one row or the other. */
  readonly violates: RegExp;
  /** The property that shows it. */
  readonly shownBy: string;
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
    shownBy: 'vault-one-wrong',
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
    shownBy: 'vault-one-wrong',
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
    shownBy: 'vault-one-wrong',
  },
];
