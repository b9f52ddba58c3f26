import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { changedMember, envelopes, type Override } from '../mutation.js';

/** Mutants of the area envelope: a member of the envelope is missing or is not what §2.4 says. */
export const envelopeMutants: readonly Mutant[] = [
  ...makeMutants('2.4', ['envelope.error.message'], {
    'envelope.vault-404-without-message': {
      everydayPlain: 'The 404 of the vault has no error.message',
      override: {
        envelope: (call, refusal) =>
          call.operation.startsWith('vault-') && refusal.status === 404
            ? { error: { code: refusal.status } }
            : conforming.envelope(call, refusal),
      },
    },
  }),

  // error
  ...makeMutants('2.4', ['envelope.error'], {
    'envelope.vault-408-error-as-string': {
      everydayPlain: 'error is a string on the 408 of the vault delete',
      override: member({ operation: 'vault-delete', status: 408 }, 'error', 'The request timed out'),
    },
    'envelope.inference-401-error-as-array': {
      plain: 'error is an array of one error on the 401 of an inference request',
      override: envelopes({ operation: 'inference', status: 401 }, (body) => ({ error: [body.error] })),
    },
    'envelope.key-401-flat': {
      plain: 'The 401 of the key read has code and message at the top, without error around them',
      override: envelopes({ operation: 'key-read', status: 401 }, (body) => body.error),
    },
    'envelope.guardrail-500-error-null': {
      plain: 'error is null on the 500 of the guardrail read',
      override: member({ operation: 'guardrail-read', status: 500 }, 'error', null),
    },
    'envelope.stalled-body-as-errors': {
      subtle: 'The 408 of a stalled request body has a list errors in place of error',
      override: envelopes(
        { operation: 'vault-delete', status: 408, when: ({ body }) => body.state === 'stalled' },
        (body) => ({ errors: [body.error] }),
      ),
    },
  }),

  // error.code
  ...makeMutants('2.4', ['envelope.error.code'], {
    'envelope.vault-400-code-as-string': {
      everydayPlain: 'error.code is a string on the 400 of the vault delete',
      override: errorMember({ operation: 'vault-delete', status: 400 }, 'code', '400'),
    },
    'envelope.vault-403-without-code': {
      plain: 'The 403 of the vault delete has no error.code',
      override: errorMember({ operation: 'vault-delete', status: 403 }, 'code', undefined),
    },
    'envelope.guardrail-401-code-null': {
      plain: 'error.code is null on the 401 of the guardrail read',
      override: errorMember({ operation: 'guardrail-read', status: 401 }, 'code', null),
    },
    'envelope.key-401-code-fraction': {
      plain: 'error.code is 401.1 on the 401 of the key read',
      override: errorMember({ operation: 'key-read', status: 401 }, 'code', 401.1),
    },
    'envelope.inference-402-code-as-word': {
      plain: 'error.code is a word on the 402 of an inference request',
      override: errorMember({ operation: 'inference', status: 402 }, 'code', 'insufficient_credits'),
    },
    'envelope.too-long-name-code-as-string': {
      subtle: 'error.code is a string on the 400 of a secret name of more than 300 characters',
      override: envelopes(
        {
          operation: 'vault-delete',
          status: 400,
          when: ({ parameters }) => (parameters.name ?? '').length > 300,
        },
        (body) => ({ ...body, error: { ...body.error, code: 'too_long' } }),
      ),
    },
  }),

  // error.code and the status
  ...makeMutants('2.4', ['envelope.error.code-is-status'], {
    'envelope.vault-401-code-403': {
      everydayPlain: 'error.code is 403 on the 401 of the vault delete',
      override: errorMember({ operation: 'vault-delete', status: 401 }, 'code', 403),
    },
    'envelope.guardrail-404-code-4040': {
      plain: "error.code is a number of the service's own on the 404 of the guardrail read",
      override: errorMember({ operation: 'guardrail-read', status: 404 }, 'code', 4040),
    },
    'envelope.inference-503-code-502': {
      plain: 'error.code is 502 on the 503 of an inference request',
      override: errorMember({ operation: 'inference', status: 503 }, 'code', 502),
    },
    'envelope.writes-disabled-code-403': {
      subtle: 'error.code is 403 on the 503 of a caller whose vault writes are disabled',
      override: errorMember(
        { operation: 'vault-delete', status: 503, when: ({ key }) => key?.traits.vaultWrites === false },
        'code',
        403,
      ),
    },
    'envelope.programme-404-code-403': {
      subtle: 'error.code is 403 on the 404 of a caller outside the intern programme',
      override: errorMember(
        { operation: 'vault-delete', status: 404, when: ({ key }) => key?.traits.inProgramme === false },
        'code',
        403,
      ),
    },
  }),

  // error.message
  ...makeMutants('2.4', ['envelope.error.message'], {
    'envelope.vault-429-message-null': {
      plain: 'error.message is null on the 429 of the vault delete',
      override: errorMember({ operation: 'vault-delete', status: 429 }, 'message', null),
    },
    'envelope.guardrail-403-message-as-number': {
      plain: 'error.message is a number on the 403 of the guardrail read',
      override: errorMember({ operation: 'guardrail-read', status: 403 }, 'message', 403),
    },
    'envelope.inference-429-message-as-object': {
      plain: 'error.message is an object of languages on the 429 of an inference request',
      override: errorMember({ operation: 'inference', status: 429 }, 'message', {
        en: 'Rate limit exceeded',
      }),
    },
    'envelope.known-key-400-without-message': {
      subtle: 'The 400 of the vault delete has no error.message for authenticated callers',
      override: errorMember(
        { operation: 'vault-delete', status: 400, when: ({ key }) => key !== undefined },
        'message',
        undefined,
      ),
    },
    'envelope.encoded-name-400-message-as-list': {
      subtle: 'error.message is a list on the 400 of a path with a percent-encoding in it',
      override: errorMember(
        { operation: 'vault-delete', status: 400, when: ({ path }) => path.includes('%') },
        'message',
        ['name is not a valid secret name'],
      ),
    },
    'envelope.long-name-404-without-message': {
      subtle: 'The 404 of a secret whose legal name has more than 100 characters has no error.message',
      override: errorMember(
        {
          operation: 'vault-delete',
          status: 404,
          when: ({ parameters }) => (parameters.name ?? '').length > 100,
        },
        'message',
        undefined,
      ),
    },
  }),

  // what is optional
  ...makeMutants('2.4', ['envelope.error.metadata'], {
    'envelope.vault-502-metadata-as-string': {
      everydayPlain: 'error.metadata is a string on the 502 of the vault delete',
      override: errorMember({ operation: 'vault-delete', status: 502 }, 'metadata', 'vault'),
    },
    'envelope.inference-502-metadata-as-array': {
      plain: 'error.metadata is an empty array on the 502 of an inference request',
      override: errorMember({ operation: 'inference', status: 502 }, 'metadata', []),
    },
    'envelope.key-401-metadata-false': {
      plain: 'error.metadata is false on the 401 of the key read',
      override: errorMember({ operation: 'key-read', status: 401 }, 'metadata', false),
    },
  }),
  ...makeMutants('2.4', ['envelope.service_metadata'], {
    'envelope.vault-504-service-metadata-as-string': {
      everydayPlain: 'service_metadata is a string on the 504 of the vault delete',
      override: member({ operation: 'vault-delete', status: 504 }, 'service_metadata', 'vault-eu-1'),
    },
    'envelope.guardrail-404-service-metadata-as-array': {
      plain: 'service_metadata is an array on the 404 of the guardrail read',
      override: member({ operation: 'guardrail-read', status: 404 }, 'service_metadata', []),
    },
  }),
  ...makeMutants('2.4', ['envelope.user_id'], {
    'envelope.vault-500-user-id-as-number': {
      everydayPlain: 'user_id is a number on the 500 of the vault delete',
      override: member({ operation: 'vault-delete', status: 500 }, 'user_id', 4711),
    },
    'envelope.inference-402-user-id-as-object': {
      plain: 'user_id is an object on the 402 of an inference request',
      override: member({ operation: 'inference', status: 402 }, 'user_id', { id: 'user_1' }),
    },
    'envelope.disabled-key-user-id-false': {
      subtle: 'user_id is false on the 401 of a disabled key',
      override: member({ status: 401, when: ({ key }) => key?.traits.enabled === false }, 'user_id', false),
    },
  }),
];

type Errors = Parameters<typeof envelopes>[0];

/** One member of the envelope of some errors is another value; undefined leaves it out. */
function member(errors: Errors, field: string, value: unknown): Override {
  return envelopes(errors, (body) => changedMember(body, field, value));
}

/** One member of the error object of some errors is another value; undefined leaves it out. */
function errorMember(errors: Errors, field: string, value: unknown): Override {
  return envelopes(errors, (body) => ({ ...body, error: changedMember(body.error, field, value) }));
}
