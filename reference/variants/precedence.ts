import { makeVariants, type Variant } from '../variant.js';
import { everyOperation, foremost, hindmost, inTurns, reversed, rotated } from './gate-order.js';

/** Variants that tell another of several things wrong: no precedence among them is stated (§7.1). */
export const precedenceVariants: readonly Variant[] = [
  ...makeVariants('7.1', {
    'gates-reversed': {
      everyday: 'What is wrong with a request is looked for in the opposite order; faults still come last',
      override: everyOperation(reversed),
    },
    'malformed-first': {
      everyday: 'What is malformed (400) is told before anything else that is wrong',
      override: foremost('intern-id', 'secret-name', 'request-body', 'inference-request', 'known-model'),
    },
    'key-first': {
      description: 'What is wrong with the key (401) is told before anything else, the hostname included',
      override: foremost('authentication', 'key-enabled', 'no-provisioning-key'),
    },
    'forbidden-first': {
      everyday: 'What is forbidden (403) is told before anything else that is wrong',
      override: foremost('workspace-scope', 'regional-host', 'management-key', 'inference-key'),
    },
    'absence-first': {
      description: 'What does not exist (404) is told before anything else that is wrong with a known key',
      override: foremost('secret-exists', 'intern-in-workspace', 'intern-programme', 'guardrail-exists'),
    },
    'writes-disabled-first': {
      everyday: 'Disabled vault writes (503) are told before anything else that is wrong',
      override: foremost('vault-writes'),
    },
    'faults-first': {
      everyday: 'A back end in trouble is told before anything else that is wrong with a known key',
      override: foremost('fault'),
    },
    'name-before-key': {
      description: 'A malformed secret name is told before a missing key, but after the hostname',
      override: foremost('regional-host', 'secret-name'),
    },
    'path-after-scope': {
      description: "The key's scope and programme are looked at before the path and the body",
      override: hindmost(
        'intern-programme',
        'workspace-scope',
        'intern-id',
        'secret-name',
        'request-body',
        'vault-writes',
        'intern-in-workspace',
        'secret-exists',
      ),
    },
    'host-last': {
      description: 'The regional hostname is told only where nothing else is wrong',
      override: hindmost('regional-host'),
    },
    'key-last': {
      description: 'A missing, disabled or provisioning key is told only where nothing else is wrong',
      override: hindmost('no-provisioning-key', 'key-enabled', 'authentication'),
    },
    'path-last': {
      description: 'A malformed path or body is told only where nothing else is wrong',
      override: hindmost('request-body', 'secret-name', 'intern-id'),
    },
    'existence-before-writes-disabled': {
      description: 'That the secret does not exist is told before disabled vault writes',
      override: hindmost('vault-writes'),
    },
  }),
  ...makeVariants('4.2', {
    'guardrail-existence-before-key-kind': {
      description:
        'An ordinary key is told 404 for a guardrail that does not exist, and 403 for one that does',
      override: hindmost('management-key'),
    },
  }),
  ...makeVariants('8.1', {
    'limits-before-credit': {
      description: 'A rate limit (429) is told before missing credit (402), the limit of the day first',
      override: hindmost('free-day', 'free-minute', 'key-limit', 'account-balance'),
    },
  }),
  ...makeVariants('7.1', {
    'gates-rotated-by-3': {
      description: 'What is looked at first is what the reference looks at fourth, and so on round',
      override: rotated(3),
    },
    'gates-rotated-by-7': {
      description: 'What is looked at first is what the reference looks at eighth, and so on round',
      override: rotated(7),
    },
    'gates-in-turns': {
      everyday: 'Which of several things wrong is told changes from call to call',
      override: inTurns(),
    },
  }),
];
