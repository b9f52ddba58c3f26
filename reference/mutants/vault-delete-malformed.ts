import { conforming } from '../behaviour.js';
import type { Effect } from '../effects.js';
import type { Mutant, Override } from '../mutant.js';
import { gateStatus, noGate } from '../override.js';
import { all, gateStatusWhen, refusal, refuses, withBody, withQuery } from './vault-delete-builders.js';

const UUID_AND_MORE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Mutants of the vault delete whose 400 is another status, or no refusal (§7.1). */
export const vaultDeleteMalformedMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.intern-id-404',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'An internId that is no UUID answers 404',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'intern-id', 404),
  },
  {
    id: 'vault-delete.intern-id-422',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id', 'vault-delete.status-documented'],
    description: 'An internId that is no UUID answers 422',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'intern-id', 422),
  },
  {
    id: 'vault-delete.intern-id-500',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'An internId that is no UUID answers 500',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'intern-id', 500),
  },
  {
    id: 'vault-delete.intern-id-not-looked-at',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'An internId of any shape is looked for, and answers 404 where there is none',
    hardness: 'plain',
    override: noGate('vault-delete', 'intern-id'),
  },
  {
    id: 'vault-delete.intern-id-36-characters',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'Any 36 characters pass for a UUID',
    hardness: 'subtle',
    override: { isInternId: (text) => text.length === 36 },
  },
  {
    id: 'vault-delete.intern-id-any-letter',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'A letter that is no hex digit passes in a UUID',
    hardness: 'subtle',
    override: { isInternId: (text) => /^[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}$/i.test(text) },
  },
  {
    id: 'vault-delete.intern-id-open-end',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'A UUID with more behind it passes for a UUID',
    hardness: 'subtle',
    override: { isInternId: (text) => UUID_AND_MORE.test(text) },
  },
  {
    id: 'vault-delete.intern-id-without-dashes',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'An internId without its dashes is read as the UUID, and the secret is deleted',
    hardness: 'subtle',
    override: readsInternId((text) => text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')),
  },
  {
    id: 'vault-delete.intern-id-in-braces',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'An internId in braces is read as the UUID, and the secret is deleted',
    hardness: 'subtle',
    override: readsInternId((text) => text.replace(/^\{(.*)\}$/, '$1')),
  },
  {
    id: 'vault-delete.intern-id-as-urn',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'An internId written as a URN is read as the UUID, and the secret is deleted',
    hardness: 'subtle',
    override: readsInternId((text) => text.replace(/^urn:uuid:/, '')),
  },
  {
    id: 'vault-delete.intern-id-trimmed',
    section: '7.1',
    turnsRed: ['vault-delete.400.intern-id'],
    description: 'White space around an internId is dropped, and the secret is deleted',
    hardness: 'subtle',
    override: readsInternId((text) => text.trim()),
  },
  {
    id: 'vault-delete.malformed-encoding-404',
    section: '7.1',
    turnsRed: ['vault-delete.400.percent-encoding'],
    description: 'A malformed percent-encoding in the path answers 404',
    hardness: 'plain',
    override: malformedTarget(404),
  },
  {
    id: 'vault-delete.malformed-encoding-dropped',
    section: '7.1',
    turnsRed: ['vault-delete.400.percent-encoding'],
    description: 'A per cent sign that encodes nothing is dropped, and the secret is deleted',
    hardness: 'subtle',
    override: { rewriteTarget: (target) => target.replace(/%(?![0-9a-f]{2})/gi, '') },
  },
  {
    id: 'vault-delete.percent-u-decoded',
    section: '7.1',
    turnsRed: ['vault-delete.400.percent-encoding'],
    description: 'The encoding %u0061, which URIs do not know, is decoded',
    hardness: 'subtle',
    override: {
      rewriteTarget: (target) => target.replace(/%u00([0-9a-f]{2})/gi, (_, hex: string) => `%${hex}`),
    },
  },
  {
    id: 'vault-delete.query-404',
    section: '7.1',
    turnsRed: ['vault-delete.400.query'],
    description: 'A delete with a query string answers 404',
    hardness: 'subtle',
    override: refuses(404, withQuery),
  },
  {
    id: 'vault-delete.query-422',
    section: '7.1',
    turnsRed: ['vault-delete.400.query', 'vault-delete.status-documented'],
    description: 'A delete with a query string answers 422',
    hardness: 'subtle',
    override: refuses(422, withQuery),
  },
  {
    id: 'vault-delete.body-415',
    section: '7.1',
    turnsRed: ['vault-delete.400.body', 'vault-delete.status-documented'],
    description: 'A delete with a body answers 415',
    hardness: 'subtle',
    override: refuses(415, withBody),
  },
  {
    id: 'vault-delete.malformed-body-500',
    section: '7.1',
    turnsRed: ['vault-delete.400.body'],
    description: 'A body that is no JSON answers 500',
    hardness: 'subtle',
    override: gateStatusWhen('request-body', 500, withBody),
  },
  {
    id: 'vault-delete.text-body-415',
    section: '7.1',
    turnsRed: ['vault-delete.400.body', 'vault-delete.status-documented'],
    description: 'A body of plain text answers 415',
    hardness: 'subtle',
    override: refuses(
      415,
      all(withBody, ({ headers }) => headers['content-type']?.startsWith('text/plain') === true),
    ),
  },
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
