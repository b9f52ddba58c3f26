import { type Answer, type Call, JSON_MEDIA_TYPE } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { counted, keyField } from '../mutation.js';
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
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.values-in-vault-list': {
      plain: 'A GET below /vault lists the secrets of the intern with their values',
      override: {
        effects: {
          ...conforming.effects,
          'vault-other': (call) =>
            call.method === 'GET' ? listOfSecrets(call) : conforming.effects['vault-other'](call),
        },
      },
    },
    'secrecy.value-in-guardrail': {
      plain: 'A guardrail has a further member with the values that its filters look for',
      override: {
        guardrailView: (call, guardrail) => {
          const value = anyValue(call);
          return value === undefined ? guardrail : { ...guardrail, redacted_values: [value] };
        },
      },
    },
  }),
  ...makeMutants('1', ['secrecy.header'], {
    'secrecy.value-in-guardrail-500': {
      subtle: 'The 500 of the guardrail read carries a stored value in a header, in base64',
      override: leaks({ operation: 'guardrail-read', status: 500 }, anyValue, (answer, text) =>
        inHeader('X-State')(answer, base64(text)),
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.value-in-key-label': {
      plain: 'The label of a key ends with a stored value of its workspace',
      override: keyField('label', (label, _information, call) => {
        const value = anyValue(call);
        return value === undefined ? label : `${String(label)} ${value}`;
      }),
    },
  }),
  ...makeMutants('1', ['secrecy.header'], {
    'secrecy.value-in-key-read-link': {
      subtle: 'The key read carries a Link with a stored value in its query',
      override: leaks({ operation: 'key-read', status: 200 }, anyValue, (answer, text) =>
        inHeader('Link')(answer, `</v1/key?trace=${percentEncoded(text)}>; rel="self"`),
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.value-in-stream-comment': {
      plain: 'A comment in the event stream of an inference request holds a stored value',
      override: leaks(
        { operation: 'inference', status: 200 },
        anyValue,
        inFrame((text) => ({ comment: text })),
      ),
    },
    'secrecy.value-in-402': {
      subtle: 'The message of the 402 of an inference request holds a stored value in hex',
      override: leaks({ operation: 'inference', status: 402 }, anyValue, (answer, text) =>
        inMessage(answer, hex(text)),
      ),
    },
  }),

  // the key of another caller
  ...makeMutants('1', ['secrecy.other-key-echo'], {
    'secrecy.previous-key-in-errors': {
      everydayPlain: 'The message of every error names the key of the request before, whoever sent that',
      alsoRed: ['secrecy.key-echo'],
      override: {
        answer: (answer, call) => {
          const { memory } = call.server;
          const previous = memory.get('previous key');
          if (call.key !== undefined) memory.set('previous key', call.key.text);
          return answer.status >= 400 && typeof previous === 'string' ? inMessage(answer, previous) : answer;
        },
      },
    },
  }),

  // now and then
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.every-fifth-404': {
      everydayIntermittent:
        'The message of every fifth 404 of the vault delete holds a stored value, where there is one',
      override: leaks(
        { operation: 'vault-delete', status: 404 },
        (call) => (counted(call, 'refusals') % 5 === 0 ? anyValue(call) : undefined),
        inMessage,
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.header'], {
    'secrecy.every-tenth-204': {
      everydayIntermittent: 'Every tenth 204 carries the deleted value in a header',
      override: deletionLeaks((answer, text, call) =>
        counted(call, 'deletions') % 10 === 0 ? inHeader('X-Deleted')(answer, text) : answer,
      ),
    },
  }),
];

function listOfSecrets({ key }: Call): Answer {
  const secrets = [...(key?.world.secrets.own ?? [])].map(([name, value]) => ({ name, value }));
  return { status: 200, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body: { data: secrets } };
}
