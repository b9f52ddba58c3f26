import { type Mutant, makeMutants } from '../mutant.js';
import { counted, guardrailField, type Override } from '../mutation.js';

/** Mutants of the area guardrail-read: a field that is no list has another type than §2.1 says. */
export const guardrailReadFieldMutants: readonly Mutant[] = [
  ...makeMutants('2.1', ['guardrail-read.field.id'], {
    'guardrail-read.id-without-hyphens': {
      everydayPlain: 'id is written without hyphens',
      override: guardrailField('id', (id) => String(id).replaceAll('-', '')),
    },
    'guardrail-read.id-as-urn': {
      plain: 'id is a URN, urn:uuid: and the UUID',
      override: guardrailField('id', (id) => `urn:uuid:${String(id)}`),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.workspace_id'], {
    'guardrail-read.workspace-id-as-slug': {
      everydayPlain: 'workspace_id is the name of the workspace and no UUID',
      override: guardrailField('workspace_id', () => 'production'),
    },
    'guardrail-read.workspace-id-null': {
      plain: 'workspace_id is null',
      override: guardrailField('workspace_id', () => null),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.name'], {
    'guardrail-read.name-by-language': {
      everydayPlain: 'name is an object with one name for each language',
      override: guardrailField('name', (name) => ({ en: name })),
    },
    'guardrail-read.name-null-now-and-then': {
      intermittent: 'name is null on every seventh read',
      override: guardrailField('name', (name, _guardrail, call) =>
        counted(call, 'guardrail names told') % 7 === 0 ? null : name,
      ),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.description'], {
    'guardrail-read.description-null-when-empty': {
      everydaySubtle: 'An empty description is told as null',
      alsoRed: ['guardrail-read.200.values'],
      override: guardrailField('description', (description) => (description === '' ? null : description)),
    },
    'guardrail-read.description-as-lines': {
      plain: 'description is an array of lines',
      override: guardrailField('description', (description) => String(description).split('\n')),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.limit_usd'], {
    'guardrail-read.limit-null-when-zero': {
      everydaySubtle: 'A limit_usd of 0 is told as null',
      alsoRed: ['guardrail-read.200.values'],
      override: guardrailField('limit_usd', (limit) => (limit === 0 ? null : limit)),
    },
    'guardrail-read.limit-with-currency': {
      plain: 'limit_usd is an object with an amount and a currency',
      override: guardrailField('limit_usd', (amount) => ({ amount, currency: 'USD' })),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.reset_interval'], {
    'guardrail-read.reset-interval-in-days': {
      everydayPlain: 'reset_interval is a number of days',
      override: guardrailField('reset_interval', () => 30),
    },
    'guardrail-read.reset-interval-null': {
      subtle: 'reset_interval is null where limit_usd is 0',
      override: guardrailField('reset_interval', (interval, { limit_usd }) =>
        limit_usd === 0 ? null : interval,
      ),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.include_byok_in_budgets'], {
    'guardrail-read.byok-in-budgets-as-string': {
      everydayPlain: 'include_byok_in_budgets is the string "true" or "false"',
      override: guardrailField('include_byok_in_budgets', String),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.enforce_zdr'], {
    'guardrail-read.enforce-zdr-inherit': {
      everydayPlain: 'enforce_zdr is the word "inherit" where it should be null',
      override: guardrailField('enforce_zdr', (enforced) => enforced ?? 'inherit'),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.enforce_zdr_vendor-case'], {
    'guardrail-read.one-vendor-capitalised': {
      everydayPlain: 'One of the four vendors begins with a capital',
      override: renamedVendor('cobalt', 'Cobalt'),
    },
    'guardrail-read.vendor-in-mixed-case': {
      subtle: 'The name of one vendor has a capital inside',
      override: renamedVendor('dune', 'duNe'),
    },
    'guardrail-read.other-capitalised': {
      subtle: 'enforce_zdr_other is written with a capital',
      override: renamedVendor('other', 'Other'),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.enforce_zdr_vendor-count'], {
    'guardrail-read.fifth-vendor': {
      plain: 'There are fields of five vendors',
      override: guardrailField('enforce_zdr_echo', () => false),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.enforce_zdr_vendor'], {
    'guardrail-read.one-vendor-as-string': {
      everydayPlain: 'enforce_zdr_<vendor> is a string for one of the four vendors',
      override: guardrailField('enforce_zdr_cobalt', String),
    },
    'guardrail-read.other-vendors-null': {
      plain: 'enforce_zdr_other is null in place of false',
      override: guardrailField('enforce_zdr_other', nullForFalse),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.enable_free_model_publication'], {
    'guardrail-read.free-publication-as-number': {
      everydayPlain: 'enable_free_model_publication is 1 or 0',
      alsoRed: ['guardrail-read.200.values'],
      override: guardrailField('enable_free_model_publication', Number),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.enable_free_model_training'], {
    'guardrail-read.free-training-null': {
      everydayPlain: 'enable_free_model_training is null in place of false',
      override: guardrailField('enable_free_model_training', nullForFalse),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.enable_paid_model_training'], {
    'guardrail-read.paid-training-in-words': {
      everydaySubtle: 'enable_paid_model_training is the word "on" where it should be true',
      alsoRed: ['guardrail-read.200.values'],
      override: guardrailField('enable_paid_model_training', (enabled) =>
        enabled === true ? 'on' : enabled,
      ),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.created_at'], {
    'guardrail-read.created-without-zone': {
      everydayPlain: 'created_at has no zone',
      override: guardrailField('created_at', (moment) => iso(moment).replace('Z', '')),
    },
    'guardrail-read.created-as-seconds': {
      plain: 'created_at is a number of seconds since 1970',
      override: guardrailField('created_at', (moment) => Math.floor(Date.parse(String(moment)) / 1000)),
    },
    'guardrail-read.created-as-date': {
      plain: 'created_at is a date without a time',
      override: guardrailField('created_at', (moment) => iso(moment).slice(0, 10)),
    },
    'guardrail-read.created-on-29-february': {
      subtle: 'created_at is 29 February of a common year',
      override: guardrailField('created_at', (moment) => `2025-02-29${iso(moment).slice(10)}`),
    },
    'guardrail-read.created-on-day-366': {
      subtle: 'created_at is an ordinal date, one day beyond a common year',
      override: guardrailField('created_at', (moment) => `2025-366${iso(moment).slice(10)}`),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.updated_at'], {
    'guardrail-read.updated-in-week-53': {
      subtle: 'updated_at is in week 53 of a year of 52',
      override: guardrailField('updated_at', (moment) => `2025-W53-1${iso(moment).slice(10)}`),
    },
    'guardrail-read.updated-after-midnight-of-24': {
      subtle: 'updated_at counts hours beyond the end of the day',
      override: guardrailField('updated_at', (moment) => iso(moment).replace(/T\d\d:/, 'T24:')),
    },
    'guardrail-read.updated-two-hours-east-in-basic-format': {
      subtle: 'updated_at is told in the basic format and the zone +0200',
      override: guardrailField('updated_at', (moment) => {
        const east = new Date(Date.parse(String(moment)) + TWO_HOURS_MS).toISOString();
        return east.replace(/[-:]/g, '').replace('Z', '+0200');
      }),
    },
    'guardrail-read.updated-two-hours-east': {
      everydayPlain: 'updated_at is told in the zone +02:00: the same moment, not in UTC',
      override: guardrailField('updated_at', (moment) =>
        new Date(Date.parse(String(moment)) + TWO_HOURS_MS).toISOString().replace('Z', '+02:00'),
      ),
    },
    'guardrail-read.updated-with-blank': {
      plain: 'updated_at has a blank in place of the T',
      override: guardrailField('updated_at', (moment) => iso(moment).replace('T', ' ')),
    },
    'guardrail-read.updated-as-http-date': {
      plain: 'updated_at is written as HTTP writes dates',
      override: guardrailField('updated_at', (moment) => new Date(String(moment)).toUTCString()),
    },
    'guardrail-read.updated-null-when-never': {
      subtle: 'updated_at is null on a guardrail that was not changed since it was made',
      override: guardrailField('updated_at', (updated, { created_at: created }) =>
        updated === created ? null : updated,
      ),
    },
  }),
];

const TWO_HOURS_MS = 7_200_000;

function iso(moment: unknown): string {
  return new Date(String(moment)).toISOString();
}

/** The field of one vendor has another name. */
function renamedVendor(vendor: string, other: string): Override {
  return {
    guardrailView: (_call, { [`enforce_zdr_${vendor}`]: enforced, ...rest }) => ({
      ...rest,
      [`enforce_zdr_${other}`]: enforced,
    }),
  };
}

function nullForFalse(value: unknown): unknown {
  return value === false ? null : value;
}
