import { isAboutForm, isSuccess, type Symptom, scopeOf } from './symptoms.js';
import { formatCount, shortList } from './wording.js';

// Enough to recognize a value that a server may make as long as it likes.
const longestText = 160;

/** Names the fault that some violations have in common, in a sentence without its full stop. */
export function nameFault(group: readonly Symptom[]): string {
  const statuses = group.filter(({ due }) => due !== undefined);
  const [first] = group;
  if (first === undefined) return '';
  if (group.some(isAboutForm) || statuses.some(({ form }) => form !== undefined)) return nameForm(group);
  const members = group.filter(({ fields }) => fields.length > 0);
  if (members.length > 0) return nameMembers(members);
  if (statuses.length > 0) return nameStatus(statuses);
  const { operation, got, failure } = first;
  return typeof got === 'string'
    ? `${operation} does not answer: ${cut(failure.actual)}`
    : `${operation} ${got}: ${describeMismatch(failure)}`;
}

/** Says what came, and what was expected unless that is clear from it. */
function describeMismatch({ expected, actual }: Symptom['failure']): string {
  return / (?:must be|is|has|holds|repeats|carries) /.test(actual) || actual.endsWith(' is missing')
    ? cut(actual)
    : `expected ${cut(expected)}, got ${cut(actual)}`;
}

/** `refusals are answered 200 text/html`. */
function nameForm(group: readonly Symptom[]): string {
  const forms = distinct(group.map(({ form }) => form));
  const got = joinWords(distinct(group.map((one) => one.got)));
  const wrong = group.filter(({ due }) => due !== undefined);
  const form = forms.join(' or ');
  if (wrong.length > 0) return `${nameAnswers(wrong)} ${form.includes(' ') ? `with ${form}` : form}`;
  const operations = distinct(group.map((one) => one.operation));
  return `${joinWords(operations)} answer${operations.length === 1 ? 's' : ''} ${got} with ${form} in place of JSON`;
}

/** `key-info: data.limit must be a number or null, got "100"`. */
function nameMembers(group: readonly Symptom[]): string {
  const alone = group.filter(({ fields }) => fields.length === 1);
  const [lead] = [...alone].sort((one, other) => Number(isOfType(other)) - Number(isOfType(one)));
  if (lead === undefined) {
    const [{ operation } = { operation: '' }] = group;
    const fields = distinct(group.flatMap((one) => one.fields));
    return `${operation}: wrong values of ${shortList(fields, 3)}`;
  }
  return `${namePlace(lead, alone)}: ${describeMismatch(lead.failure)}`;
}

/** Whether the type or the presence of a member is wrong, which says more than its value. */
function isOfType({ failure: { actual } }: Symptom): boolean {
  return / must be | is missing$/.test(actual);
}

function namePlace(lead: Symptom, group: readonly Symptom[]): string {
  const scope = scopeOf(lead);
  if (scope === 'event') return 'the in-band error event';
  const places = distinct(
    group.map(({ operation, got }) => (isSuccess(got) ? operation : `${operation} ${got}`)),
  );
  return places.length > 3
    ? `errors of ${joinWords(distinct(group.map((one) => one.operation)))}`
    : joinWords(places);
}

/** `vault-delete answers 403 where 401 is due, for DELETE own/a name with the header unknown and 4 other requests`. */
function nameStatus(group: readonly Symptom[]): string {
  // What is gone later went with the request that was wrongly done.
  const wrong = group.filter(({ due }) => !isSuccess(due));
  const leads = wrong.length > 0 ? wrong : group;
  const reasons = distinct(leads.map(readReason));
  const requests = distinct(leads.map(({ request }) => request || undefined));
  const [reason] = reasons.length === 1 ? reasons : [];
  const others = requests.length > 1 ? ` and ${formatCount(requests.length - 1, 'other request')}` : '';
  const asked = requests[0] === undefined ? '' : `, for ${cut(requests[0])}${others}`;
  return `${nameAnswers(leads)}${asked}${reason === undefined ? '' : ` (${cut(reason)})`}`;
}

/** Reads why a status was due, which stands at the end of the message. */
function readReason({ failure: { message, actual } }: Symptom): string | undefined {
  const start = message.lastIndexOf(`, got ${actual} (`);
  return start < 0 ? undefined : message.slice(start + `, got ${actual} (`.length, -1);
}

/** Where so many statuses are due, the sentence speaks of refusals. */
const fewDue = 2;

/** `vault-delete answers 403 where 401 is due`; `refusals are answered 200` of several. */
function nameAnswers(group: readonly Symptom[]): string {
  const exact = group.filter(({ allowed }) => allowed.length === 1);
  const due = distinct((exact.length > 0 ? exact : group).flatMap(({ allowed }) => allowed));
  const got = joinWords(distinct(group.map((one) => one.got)));
  const operations = distinct(group.map(({ operation }) => operation));
  if (exact.length > 0 && due.length > fewDue && !due.some(isSuccess))
    return `refusals${operations.length === 1 ? ` of ${operations[0]}` : ''} are answered ${got}`;
  const answers = `${joinWords(operations)} answer${operations.length === 1 ? 's' : ''} ${got}`;
  if (due.length > 0) return `${answers} where ${joinWords(due, 'or')} is due`;
  return group.some((one) => one.due === 'refusal')
    ? `${answers} where a refusal is due`
    : `${answers}, which the document does not name`;
}

function distinct<Item>(items: readonly Item[]): readonly Exclude<Item, undefined>[] {
  return [...new Set(items)].filter((item): item is Exclude<Item, undefined> => item !== undefined);
}

/** Joins words: `a, b and c`. */
function joinWords(items: readonly (string | number)[], word = 'and'): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`;
}

/** Cuts a text within a sentence. */
function cut(text: string): string {
  const signs = [...text];
  return signs.length <= longestText ? text : `${signs.slice(0, longestText - 1).join('')}…`;
}
