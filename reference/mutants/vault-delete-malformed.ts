import type { Effect } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { gateStatus, noGate, type Override } from '../mutation.js';
import { all, gateStatusWhen, refusal, refuses, withBody, withQuery } from './vault-delete-builders.js';

const UUID_AND_MORE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Mutants of the vault delete whose 400 is another status, or no refusal (§7.1). */
export const vaultDeleteMalformedMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.400.intern-id'], {
    'vault-delete.intern-id-404': {
      plain: 'An internId that is no UUID answers 404',
      override: gateStatus('vault-delete', 'intern-id', 404),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.intern-id', 'vault-delete.status-documented'], {
    'vault-delete.intern-id-422': {
      plain: 'An internId that is no UUID answers 422',
      override: gateStatus('vault-delete', 'intern-id', 422),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.intern-id'], {
    'vault-delete.intern-id-500': {
      plain: 'An internId that is no UUID answers 500',
      override: gateStatus('vault-delete', 'intern-id', 500),
    },
    'vault-delete.intern-id-not-looked-at': {
      everydayPlain: 'An internId of any shape is looked for, and answers 404 where there is none',
      override: noGate('vault-delete', 'intern-id'),
    },
    'vault-delete.intern-id-36-characters': {
      everydaySubtle: 'Any 36 characters pass for a UUID',
      override: { isInternId: (text) => text.length === 36 },
    },
    'vault-delete.intern-id-any-letter': {
      subtle: 'A letter that is no hex digit passes in a UUID',
      override: { isInternId: (text) => /^[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}$/i.test(text) },
    },
    'vault-delete.intern-id-open-end': {
      subtle: 'A UUID with more behind it passes for a UUID',
      override: { isInternId: (text) => UUID_AND_MORE.test(text) },
    },
    'vault-delete.intern-id-without-dashes': {
      subtle: 'An internId without its dashes is read as the UUID, and the secret is deleted',
      override: readsInternId((text) => text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')),
    },
    'vault-delete.intern-id-in-braces': {
      subtle: 'An internId in braces is read as the UUID, and the secret is deleted',
      override: readsInternId((text) => text.replace(/^\{(.*)\}$/, '$1')),
    },
    'vault-delete.intern-id-as-urn': {
      subtle: 'An internId written as a URN is read as the UUID, and the secret is deleted',
      override: readsInternId((text) => text.replace(/^urn:uuid:/, '')),
    },
    'vault-delete.intern-id-trimmed': {
      subtle: 'White space around an internId is dropped, and the secret is deleted',
      override: readsInternId((text) => text.trim()),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.percent-encoding'], {
    'vault-delete.malformed-encoding-404': {
      plain: 'A malformed percent-encoding in the path answers 404',
      override: malformedTarget(404),
    },
    'vault-delete.malformed-encoding-dropped': {
      everydaySubtle: 'A per cent sign that encodes nothing is dropped, and the secret is deleted',
      alsoRed: ['secret-name.identity'],
      override: { rewriteTarget: (target) => target.replace(/%(?![0-9a-f]{2})/gi, '') },
    },
    'vault-delete.percent-u-decoded': {
      everydaySubtle: 'The encoding %u0061, which URIs do not know, is decoded',
      alsoRed: ['secret-name.identity'],
      override: {
        rewriteTarget: (target) => target.replace(/%u00([0-9a-f]{2})/gi, (_, hex: string) => `%${hex}`),
      },
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.query'], {
    'vault-delete.query-404': {
      subtle: 'A delete with a query string answers 404',
      override: refuses(404, withQuery),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.query', 'vault-delete.status-documented'], {
    'vault-delete.query-422': {
      subtle: 'A delete with a query string answers 422',
      override: refuses(422, withQuery),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.body', 'vault-delete.status-documented'], {
    'vault-delete.body-415': { subtle: 'A delete with a body answers 415', override: refuses(415, withBody) },
  }),
  ...makeMutants('7.1', ['vault-delete.400.body'], {
    'vault-delete.malformed-body-500': {
      everydaySubtle: 'A body that is no JSON answers 500',
      override: gateStatusWhen('request-body', 500, withBody),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.body', 'vault-delete.status-documented'], {
    'vault-delete.text-body-415': {
      subtle: 'A body of plain text answers 415',
      override: refuses(
        415,
        all(withBody, ({ headers }) => headers['content-type']?.startsWith('text/plain') === true),
      ),
    },
  }),
];

/** An internId is read leniently. */
function readsInternId(read: (text: string) => string): Override {
  return {
    isInternId: (text) => conforming.isInternId(read(text)),
    findIntern: (world, id) => conforming.findIntern(world, read(id)),
  };
}

/** A target that cannot be decoded gets this status. */
function malformedTarget(status: number): Override {
  const effect: Effect = (call) => call.behaviour.refuse(call, refusal(status));
  return { effects: { ...conforming.effects, 'malformed-target': effect } };
}
