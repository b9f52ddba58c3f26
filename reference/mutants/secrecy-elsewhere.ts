import { type Answer, JSON_MEDIA_TYPE } from '../answer.js';
import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Mutant } from '../mutant.js';
import { counted, keyField } from '../override.js';
import {
  anyValue,
  base64,
  deletionLeaks,
  hex,
  inFrame,
  inHeader,
  inMessage,
  leaks,
  percentEncoded,
} from './secrecy-leak.js';

/** Mutants of the area secrecy: another operation gives a stored value away, or one does now and then. */
export const secrecyElsewhereMutants: readonly Mutant[] = [
  // in other operations
  {
    id: 'secrecy.values-in-vault-list',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'A GET below /vault lists the secrets of the intern with their values',
    hardness: 'plain',
    override: {
      effects: {
        ...conforming.effects,
        'vault-other': (call) =>
          call.method === 'GET' ? listOfSecrets(call) : conforming.effects['vault-other'](call),
      },
    },
  },
  {
    id: 'secrecy.value-in-guardrail',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'A guardrail has a further member with the values that its filters look for',
    hardness: 'plain',
    override: {
      guardrailView: (call, guardrail) => {
        const value = anyValue(call);
        return value === undefined ? guardrail : { ...guardrail, redacted_values: [value] };
      },
    },
  },
  {
    id: 'secrecy.value-in-guardrail-500',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'The 500 of the guardrail read carries a stored value in a header, in base64',
    hardness: 'subtle',
    override: leaks({ operation: 'guardrail-read', status: 500 }, anyValue, (answer, text) =>
      inHeader('X-State')(answer, base64(text)),
    ),
  },
  {
    id: 'secrecy.value-in-key-label',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The label of a key ends with a stored value of its workspace',
    hardness: 'plain',
    override: keyField('label', (label, _information, call) => {
      const value = anyValue(call);
      return value === undefined ? label : `${String(label)} ${value}`;
    }),
  },
  {
    id: 'secrecy.value-in-key-read-link',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'The key read carries a Link with a stored value in its query',
    hardness: 'subtle',
    override: leaks({ operation: 'key-read', status: 200 }, anyValue, (answer, text) =>
      inHeader('Link')(answer, `</v1/key?trace=${percentEncoded(text)}>; rel="self"`),
    ),
  },
  {
    id: 'secrecy.value-in-stream-comment',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'A comment in the event stream of an inference request holds a stored value',
    hardness: 'plain',
    override: leaks(
      { operation: 'inference', status: 200 },
      anyValue,
      inFrame((text) => ({ comment: text })),
    ),
  },
  {
    id: 'secrecy.value-in-402',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The message of the 402 of an inference request holds a stored value in hex',
    hardness: 'subtle',
    override: leaks({ operation: 'inference', status: 402 }, anyValue, (answer, text) =>
      inMessage(answer, hex(text)),
    ),
  },

  // the key of another caller
  {
    id: 'secrecy.previous-key-in-errors',
    section: '1',
    turnsRed: ['secrecy.other-key-echo'],
    description: 'The message of every error names the key of the request before, whoever sent that',
    hardness: 'plain',
    override: {
      answer: (answer, call) => {
        const { memory } = call.server;
        const previous = memory.get('previous key');
        if (call.key !== undefined) memory.set('previous key', call.key.text);
        return answer.status >= 400 && typeof previous === 'string' ? inMessage(answer, previous) : answer;
      },
    },
  },

  // now and then
  {
    id: 'secrecy.every-fifth-404',
    section: '1',
    turnsRed: ['secrecy.body'],
    description:
      'The message of every fifth 404 of the vault delete holds a stored value, where there is one',
    hardness: 'intermittent',
    override: leaks(
      { operation: 'vault-delete', status: 404 },
      (call) => (counted(call, 'refusals') % 5 === 0 ? anyValue(call) : undefined),
      inMessage,
    ),
  },
  {
    id: 'secrecy.every-tenth-204',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'Every tenth 204 carries the deleted value in a header',
    hardness: 'intermittent',
    override: deletionLeaks((answer, text, call) =>
      counted(call, 'deletions') % 10 === 0 ? inHeader('X-Deleted')(answer, text) : answer,
    ),
  },
];

function listOfSecrets({ key }: Call): Answer {
  const secrets = [...(key?.world.secrets.own ?? [])].map(([name, value]) => ({ name, value }));
  return { status: 200, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body: { data: secrets } };
}
