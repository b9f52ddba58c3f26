import { type Mutant, makeMutants } from '../mutant.js';
import { answers, counted } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';

/** Mutants of the area guardrail-read: the 200 is another status, or its body is no guardrail in `data`. */
export const guardrailReadMutants: readonly Mutant[] = [
  ...makeMutants('2.1', ['guardrail-read.field.limit_usd'], {
    'guardrail-read.limit-as-string': {
      plain: 'limit_usd is a string',
      override: {
        guardrailView: (_call, guardrail) => ({ ...guardrail, limit_usd: String(guardrail.limit_usd) }),
      },
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.200.data'], {
    'guardrail-read.data-missing': {
      everydayPlain: 'The guardrail is in a member named guardrail, and there is no data',
      override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        body: isJsonObject(answer.body) ? { guardrail: answer.body.data } : answer.body,
      })),
    },
    'guardrail-read.data-array': {
      plain: 'data is an array with the guardrail in it',
      override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        body: isJsonObject(answer.body) ? { data: [answer.body.data] } : answer.body,
      })),
    },
    'guardrail-read.data-null': {
      plain: 'data is null',
      override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        body: { data: null },
      })),
    },
    'guardrail-read.data-null-now-and-then': {
      intermittent: 'data is null on every sixth read that is served',
      override: answers(
        {
          operation: 'guardrail-read',
          status: 200,
          when: (call) => counted(call, 'guardrails served') % 6 === 0,
        },
        (answer) => ({ ...answer, body: { data: null } }),
      ),
    },
    'guardrail-read.data-unwrapped': {
      plain: 'The body is the guardrail itself',
      override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        body: isJsonObject(answer.body) && isJsonObject(answer.body.data) ? answer.body.data : answer.body,
      })),
    },
    'guardrail-read.data-as-text': {
      plain: 'data is a string that holds the guardrail as JSON',
      override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        body: isJsonObject(answer.body) ? { data: JSON.stringify(answer.body.data) } : answer.body,
      })),
    },
    'guardrail-read.body-empty': {
      plain: 'The 200 has no body',
      override: answers({ operation: 'guardrail-read', status: 200 }, () => ({ status: 200, headers: {} })),
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.200.read'], {
    'guardrail-read.read-201': {
      plain: 'A read gets 201',
      override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        status: 201,
      })),
    },
    'guardrail-read.read-204': {
      everydayPlain: 'A read gets 204 and no body',
      alsoRed: ['guardrail-read.status-documented'],
      override: answers({ operation: 'guardrail-read', status: 200 }, () => ({ status: 204, headers: {} })),
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.200.data'], {
    'guardrail-read.media-type-plain': {
      plain: 'The guardrail comes as text/plain',
      override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'text/plain; charset=utf-8' },
      })),
    },
  }),
];
