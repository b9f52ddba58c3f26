import { areaOf, areas } from '../spec/ledger.js';
import type { Proof, ProvenServer } from '../spec/proof.js';
import { durationText, numberText } from './amount-text.js';
import { inertText } from './inert-text.js';

/** The proof as a page of Markdown: what was missed and who was accused first, then the figures, then everything. */
export function proofPage(proof: Proof): string {
  return `${[
    '# The proof',
    '',
    ...headline(proof),
    '',
    ...wrong(proof),
    '## Figures',
    '',
    ...figures(proof),
    '',
    '## Mutants caught by requests sent',
    '',
    `How many of the ${numberText(countMutantRuns(proof))} runs against mutants had confirmed their first`,
    'violation after so many requests, everything counted.',
    '',
    ...table(
      ['requests', 'caught'],
      proof.curve.map(({ requests, caught }) => [numberText(requests), numberText(caught)]),
    ),
    '',
    '## Areas',
    '',
    ...areaTable(proof),
    '',
    '## Requirements that no mutant turns red',
    '',
    ...uncovered(proof),
    '',
    '## Mutants',
    '',
    'Each is the reference server with one violation. *Red* are the requirements that the run found violated; those that',
    'the mutant must turn red are set in bold. A run stops once each of those is confirmed and no other requirement has',
    'failed; a fifth of the mutants, drawn anew by each seed, are judged to the end, and all of them with `--all`.',
    '',
    ...table(
      ['mutant', 'section', 'what it does', 'seen', 'red', 'requests', 'first red at'],
      one(proof, 'mutant').map((server) => [
        code(server.id),
        `§${server.section}`,
        server.description,
        server.hardness ?? '',
        server.red.map(({ id }) => (server.turns_red.includes(id) ? `**${id}**` : id)).join(', '),
        numberText(server.requests),
        server.first_red_at === null ? '–' : numberText(server.first_red_at),
      ]),
    ),
    '',
    '## Variants',
    '',
    'Each is the reference server with one permitted difference. None may be accused. Those that differ in different',
    'decisions are judged in one server, drawn anew by each seed; each is judged alone where that one fails, and with `--all`.',
    '',
    ...table(
      ['variant', 'section', 'what is different', 'verdict', 'requests', 'in one server with'],
      one(proof, 'variant').map((server) => [
        code(server.id),
        `§${server.section}`,
        server.description,
        server.verdict,
        numberText(server.requests),
        server.together_with?.map(code).join(', ') ?? '–',
      ]),
    ),
    '',
    '## Requirements against mutants',
    '',
    ...table(
      ['requirement', 'level', 'mutants that turn it red'],
      proof.requirements
        .filter(({ observable }) => observable)
        .map(({ id, level, mutants }) => [code(id), level, mutants.map(code).join(', ') || '–']),
    ),
  ].join('\n')}\n`;
}

function countMutantRuns({ servers }: Proof): number {
  return servers.filter(({ kind }) => kind === 'mutant').length;
}

function headline({ totals, run }: Proof): readonly string[] {
  const { mutants, caught, variants, accepted } = totals;
  return [
    `**${caught} of ${mutants} mutants caught, ${variants - accepted} of ${variants} variants wrongly accused or left`,
    `undecided**, at depth ${run.depth}, seed ${run.seeds.join(', ')}.`,
    '',
    'A mutant is the embedded reference server with one violation of the document; a variant is the same server with',
    'one difference that the document permits. This page is written by `npm run proof`.',
  ];
}

/** What a person has to look into, or nothing. */
function wrong({ servers }: Proof): readonly string[] {
  const told = ['survived', 'misnamed', 'accused', 'unsettled'] as const;
  return told.flatMap((outcome) => {
    const some = servers.filter((server) => server.outcome === outcome);
    if (some.length === 0) return [];
    return [`## ${headings[outcome]}`, '', ...some.map(troubleLine), ''];
  });
}

const headings = {
  survived: 'Mutants that survived',
  misnamed: 'Mutants caught under another name',
  accused: 'Variants wrongly accused',
  unsettled: 'Variants left undecided',
} as const;

function troubleLine({
  id,
  seed,
  verdict,
  red,
  inconclusive,
  message,
  notes,
  turns_red: due,
}: ProvenServer): string {
  const found = red.length === 0 ? 'nothing red' : `red: ${red.map((row) => row.id).join(', ')}`;
  const open = inconclusive.length === 0 ? '' : `; undecided: ${inconclusive.join(', ')}`;
  const expected = due.length === 0 ? '' : `; must be red: ${due.join(', ')}`;
  const words = [message, ...notes].filter((text) => text !== null).map((text) => ` ${inertText(text)}`);
  return `- \`${id}\` (seed ${seed}): ${verdict}, ${found}${open}${expected}.${words.join('')}`;
}

function figures({ totals, run, servers }: Proof): readonly string[] {
  const toTheEnd = servers.filter(({ kind, to_the_end: isWhole }) => kind === 'mutant' && isWhole);
  const rows: readonly (readonly [string, string])[] = [
    ['mutants', numberText(totals.mutants)],
    ['caught', numberText(totals.caught)],
    ['survived', numberText(totals.survived)],
    ['caught under another name', numberText(totals.misnamed)],
    ['section of the violation named', numberText(totals.section_named)],
    ['red requirements of a mutant, median', numberText(totals.median_red)],
    ['variants', numberText(totals.variants)],
    ['accused', numberText(totals.accused)],
    ['left undecided', numberText(totals.unsettled)],
    ...pairsRow(servers),
    ['runs', numberText(totals.runs)],
    ['mutants judged to the end', numberText(new Set(toTheEnd.map(({ id }) => id)).size)],
    ['requests', numberText(totals.requests)],
    ['time', `${durationText(run.duration_ms)} on ${run.jobs} threads`],
  ];
  return table(['figure', 'value'], rows);
}

/** The pairs of inputs of the variant on which most are possible. */
function pairsRow(servers: Proof['servers']): readonly (readonly [string, string])[] {
  const [most] = servers
    .flatMap(({ kind, pairs }) => (kind === 'variant' && pairs !== undefined ? [pairs] : []))
    .sort((one, other) => other.possible - one.possible || other.seen - one.seen);
  return most === undefined
    ? []
    : [['pairs of inputs judged', `${numberText(most.seen)} of ${numberText(most.possible)}`]];
}

function areaTable(proof: Proof): readonly string[] {
  const mutants = one(proof, 'mutant');
  return table(
    ['area', 'mutants', 'caught', 'requirements a client can see', 'of them turned red'],
    areas.map((area) => {
      const own = mutants.filter(({ id }) => id.startsWith(`${area}.`));
      const rows = proof.requirements.filter(({ id, observable }) => observable && areaOf(id) === area);
      return [
        area,
        numberText(own.length),
        numberText(own.filter(({ outcome }) => outcome === 'caught').length),
        numberText(rows.length),
        numberText(rows.filter(({ mutants: by }) => by.length > 0).length),
      ];
    }),
  );
}

function uncovered({ requirements }: Proof): readonly string[] {
  const some = requirements.filter(({ observable, mutants }) => observable && mutants.length === 0);
  return some.length === 0 ? ['None.'] : some.map(({ id, level }) => `- \`${id}\` (${level})`);
}

/** The runs of the first seed: one for each server. */
function one({ servers, run }: Proof, kind: ProvenServer['kind']): readonly ProvenServer[] {
  return servers.filter((server) => server.kind === kind && server.seed === run.seeds[0]);
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}

function code(text: string): string {
  return `\`${text}\``;
}
