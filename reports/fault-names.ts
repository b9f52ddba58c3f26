import type { Wrong } from '../spec/report.js';
import { findScope, isAboutForm, isLoss, isSuccess, type Symptom } from './symptoms.js';
import { formatCount, shortList } from './wording.js';

// Enough to recognize a value; texts from a server can have any length.
const longestText = 160;

/** Names the fault that some violations have in common, in a sentence without its full stop. */
export function nameFault(group: readonly Symptom[]): string {
  const by = distinct(group.map(({ failure }) => failure.answered_by));
  const words = by.length === 0 ? '' : `, answered by ${joinWords(by, 'or')}, probably not by the service`;
  return `${nameSymptoms(group)}${words}`;
}

function nameSymptoms(group: readonly Symptom[]): string {
  const statuses = group.filter(({ due }) => due !== undefined);
  const [first] = group;
  if (first === undefined) return '';
  if (group.some((one) => isAboutForm(one) || (one.form !== undefined && one.due !== undefined)))
    return nameForm(group);
  const members = group.filter(({ fields }) => fields.length > 0);
  if (members.length > 0) return nameMembers(members);
  if (statuses.length > 0) return nameStatus(statuses);
  const { operation, got, failure } = first;
  return typeof got === 'string'
    ? `${operation} gets no usable response: ${cut(failure.actual)}`
    : `${distinct([operation, got]).join(' ')}: ${describeMismatch(first)}`;
}

/** Findings of rules for every response: `actual` is a whole sentence about the answer. */
const wholeSentence: readonly (Wrong | undefined)[] = ['form', 'shape', 'rule'];

/** Says what was received, and what was expected unless that is clear from it. */
function describeMismatch({ wrong, failure: { expected, actual } }: Symptom): string {
  return wholeSentence.includes(wrong) ? cut(actual) : `expected ${cut(expected)}, got ${cut(actual)}`;
}

/** `refusals are answered 200 text/html in place of JSON`; `vault-delete answers 401 with JSON announced as text/plain`. */
function nameForm(group: readonly Symptom[]): string {
  const [form = ''] = distinct(group.map((one) => one.form));
  const wrong = group.filter(({ due }) => due !== undefined);
  const words = ` ${cut(form)}`;
  return wrong.length > 0
    ? nameAnswers(wrong, words)
    : `${nameOperations(group)} ${listStatuses(group)}${words}`;
}

/** `key-info: data.limit must be a number or null, got "100"`. */
function nameMembers(group: readonly Symptom[]): string {
  const alone = group.filter(({ fields }) => fields.length === 1);
  // A wrong type or a missing member says more than a wrong value, and many wrong values say more than one.
  const isUsual = 2 * alone.length >= group.length;
  const lead = alone.find(({ wrong }) => wrong === 'shape') ?? (isUsual ? alone[0] : undefined);
  if (lead === undefined) {
    const [{ operation } = { operation: '' }] = group;
    const fields = distinct(group.flatMap((one) => one.fields));
    return `${operation}: wrong values in ${shortList(fields, 3)}`;
  }
  return `${namePlace(lead, alone)}: ${describeMismatch(lead)}`;
}

function namePlace(lead: Symptom, group: readonly Symptom[]): string {
  const scope = findScope(lead);
  if (scope === 'event') return 'the in-band error event';
  const places = distinct(
    group.map(({ operation, got }) => (isSuccess(got) ? operation : `${operation} ${got}`)),
  );
  return places.length > 3
    ? `errors of ${joinWords(distinct(group.map((one) => one.operation)))}`
    : joinWords(places);
}

/** `vault-delete answers 403 instead of 401, for DELETE own/a name with the header unknown and 4 other requests`. */
function nameStatus(group: readonly Symptom[]): string {
  const refusals = group.filter(({ due }) => !isSuccess(due));
  if (isAboutRefusals(refusals)) return nameAnswers(refusals);
  const leads = findStrongest(group);
  if (leads.every(isLoss)) return nameLoss(leads);
  const reasons = distinct(leads.map(({ failure }) => failure.mismatch?.because));
  const requests = distinct(leads.map(({ request }) => request || undefined));
  const [reason] = reasons.length === 1 ? reasons : [];
  const others = requests.length > 1 ? ` and ${formatCount(requests.length - 1, 'other request')}` : '';
  const asked = requests[0] === undefined ? '' : `, for ${cut(requests[0])}${others}`;
  return `${nameAnswers(leads)}${asked}${reason === undefined ? '' : ` (${cut(reason)})`}`;
}

/** `vault-delete deletes a secret although it answers 401`; says only that one is gone where no refusal deleted it. */
function nameLoss(group: readonly Symptom[]): string {
  const rows = distinct(group.map(({ failure }) => failure.requirement));
  const statuses = rows.flatMap((row) => /^vault-delete\.(\d{3})\.keeps$/.exec(row)?.[1] ?? []);
  if (statuses.length === rows.length)
    return `vault-delete deletes a secret although it answers ${joinWords(statuses, 'or')}`;
  return rows.includes('vault-delete.safe-methods')
    ? 'a request other than DELETE deletes a secret'
    : 'a secret is gone although no delete of it succeeded';
}

/** Finds the wrong answers that say most: refusals in place of a success first, lost secrets last. */
function findStrongest(group: readonly Symptom[]): readonly Symptom[] {
  const exact = group.filter((one) => one.due !== 'documented');
  const direct = exact.filter((one) => !isLoss(one));
  const strict = direct.filter(({ due, got }) => isSuccess(due) && !isSuccess(got));
  return [strict, direct, exact, group].find((some) => some.length > 0) ?? group;
}

/** Lists the statuses that were due, where they are known exactly; all that were allowed otherwise. */
function listDue(group: readonly Symptom[]): readonly number[] {
  const exact = group.filter(({ allowed }) => allowed.length === 1);
  return distinct((exact.length > 0 ? exact : group).flatMap(({ allowed }) => allowed));
}

// Where more statuses were due, the sentence speaks of refusals.
const fewDue = 2;

function isAboutRefusals(group: readonly Symptom[]): boolean {
  const due = listDue(group);
  return due.length > fewDue && !due.some(isSuccess) && group.some(({ allowed }) => allowed.length === 1);
}

/** `vault-delete answers 403 instead of 401`; `refusals are answered 200` of several. */
function nameAnswers(group: readonly Symptom[], form = ''): string {
  const operations = distinct(group.map(({ operation }) => operation));
  if (isAboutRefusals(group))
    return `refusals${operations.length === 1 ? ` of ${operations[0]}` : ''} are answered ${listStatuses(group)}${form}`;
  const answers = `${nameOperations(group)} ${listStatuses(group)}${form}`;
  const due = listDue(group);
  // A stream may begin with 200; what is wrong is that no error event follows.
  if (group.every(({ got }) => due.some((status) => status === got)))
    return `${answers} without the error event that is due`;
  if (due.length > 0) return `${answers} instead of ${joinWords(due, 'or')}`;
  return group.some((one) => one.due === 'refusal')
    ? `${answers} instead of a refusal`
    : `${answers}, which the document does not name`;
}

function nameOperations(group: readonly Symptom[]): string {
  const operations = distinct(group.map(({ operation }) => operation));
  return `${joinWords(operations)} answer${operations.length === 1 ? 's' : ''}`;
}

function listStatuses(group: readonly Symptom[]): string {
  return joinWords(distinct(group.map(({ got }) => got)));
}

function distinct<Item>(items: readonly Item[]): readonly Exclude<Item, undefined>[] {
  return [...new Set(items)].filter((item): item is Exclude<Item, undefined> => item !== undefined);
}

function joinWords(items: readonly (string | number)[], word = 'and'): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`;
}

/** Cuts a text within a sentence. */
function cut(text: string): string {
  const signs = [...text];
  return signs.length <= longestText ? text : `${signs.slice(0, longestText - 1).join('')}…`;
}
