import type { Proof, ProvenServer } from '../spec/proof.js';
import { table } from './markdown-text.js';
import { sanitizeLine } from './sanitize.js';
import { joinParts, type LayoutOptions, TerminalLayout } from './terminal-layout.js';
import { formatCount, formatDuration, formatNumber, shortList } from './wording.js';

/** Renders a proof as a page of Markdown: on the first screen what it shows, then what went wrong, then everything. */
export function renderProofPage(proof: Proof): string {
  const parts = [
    '# The proof',
    describeResult(proof),
    'A suite can be wrong in two ways: it misses a violation, or it accuses a server that conforms. So it judges servers of\nwhich the right verdict is known. A *mutant* is the embedded reference server with one violation of the document: it must\nfail the requirement that it violates. A *variant* is the same server with one difference that the document permits: no\nrequirement may fail.',
    describeFindings(proof),
    'It cannot show that a fault which nobody thought of is found. `npm run proof` renews this page.',
    ...listWrongServers(proof),
    '## Appendix',
    describeEffort(proof),
    '### Mutants',
    '*Failed* are the requirements that failed in the run; those that the mutant violates are set in bold. A run stops once\neach of those is confirmed and no other requirement has failed; a fifth of the mutants, drawn anew by each seed, are\njudged to the end with fewer generated cases, and all of them with `--all`.',
    renderMutants(proof),
    '### Variants',
    'Those that differ in different decisions are judged in one server, drawn anew by each seed; each is judged alone where\nthat one fails, and with `--all`.',
    renderVariants(proof),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderMutants(proof: Proof): string {
  const headings = ['mutant', 'section', 'what it does', 'seen', 'failed', 'requests', 'first failure at'];
  const rows = ofFirstSeed(proof, 'mutant').map((server) => [
    code(server.id),
    `§${server.section}`,
    server.description,
    server.hardness ?? '',
    server.red.map(({ id }) => (server.turns_red.includes(id) ? `**${id}**` : id)).join(', '),
    formatNumber(server.requests),
    server.first_red_at === null ? '–' : formatNumber(server.first_red_at),
  ]);
  return renderTable(headings, rows);
}

function renderVariants(proof: Proof): string {
  const headings = ['variant', 'section', 'what is different', 'verdict', 'requests', 'in one server with'];
  const rows = ofFirstSeed(proof, 'variant').map((server) => [
    code(server.id),
    `§${server.section}`,
    server.description,
    server.verdict,
    formatNumber(server.requests),
    server.together_with?.map(code).join(', ') ?? '–',
  ]);
  return renderTable(headings, rows);
}

// As many as a run of depth quick sends.
const quickRequests = 500;

/** What the figures mean to those who rely on the suite. */
function describeFindings({ totals, curve, requirements }: Proof): string {
  const missed = requirements.filter(({ observable, mutants }) => observable && mutants.length === 0);
  const quick = curve.find(({ requests }) => requests === quickRequests)?.caught ?? 0;
  return [
    `- The report names the section of the violation for ${totals.section_named} of ${formatCount(totals.mutants, 'mutant')}; the median of the requirements that fail is ${totals.median_red}.`,
    `- ${quick} were caught within the first ${quickRequests} requests, as many as depth quick sends.`,
    missed.length === 0
      ? '- Every requirement that a client can see is violated by some mutant.'
      : `- No mutant violates ${shortList(
          missed.map(({ id, level }) => `${code(id)} (${level})`),
          5,
        )}.`,
  ].join('\n');
}

function describeResult({ totals, run }: Proof): string {
  const { mutants, caught, variants, accepted } = totals;
  return `**${caught} of ${mutants} mutants caught, ${variants - accepted} of ${variants} variants wrongly failed or left\ninconclusive**, at depth ${run.depth}, seed ${run.seeds.join(', ')}.`;
}

type WrongOutcome = Exclude<ProvenServer['outcome'], 'caught' | 'accepted'>;

const wrongOutcomes: Readonly<Record<WrongOutcome, { readonly heading: string; readonly word: string }>> = {
  survived: { heading: 'Mutants that survived', word: 'SURVIVED' },
  misnamed: { heading: 'Mutants caught under another name', word: 'caught under another name' },
  accused: { heading: 'Variants wrongly failed', word: 'WRONGLY FAILED' },
  unsettled: { heading: 'Variants left inconclusive', word: 'left inconclusive' },
};

function isWrong(outcome: ProvenServer['outcome']): outcome is WrongOutcome {
  return outcome in wrongOutcomes;
}

function listWrongServers({ servers }: Proof): readonly string[] {
  return Object.entries(wrongOutcomes).flatMap(([outcome, { heading }]) => {
    const some = servers.filter((server) => server.outcome === outcome);
    return some.length === 0 ? [] : [`## ${heading}`, some.map(renderWrongServer).join('\n')];
  });
}

function renderWrongServer(server: ProvenServer): string {
  const rows = describeWrongServer(server).map(([label, text]) => `${label}: ${text}`);
  return `- \`${server.id}\` (seed ${server.seed}): ${server.verdict}; ${rows.join('; ')}.`;
}

/** Describes what went wrong with a server, with a label for each text. */
function describeWrongServer(server: ProvenServer): readonly (readonly [label: string, text: string])[] {
  const { description, red, inconclusive, message, notes, turns_red: due } = server;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['what', [description]],
    ['must fail', due],
    ['failed', red.map(({ id }) => id)],
    ['open', inconclusive],
    ['message', message === null ? [] : [message]],
    ['notes', notes],
  ];
  return rows.flatMap(([label, texts]) =>
    texts.length === 0 ? [] : [[label, sanitizeLine(texts.join(', '))] as const],
  );
}

/** What the proof took. */
function describeEffort({ totals, run, servers }: Proof): string {
  const toTheEnd = servers.filter(({ kind, to_the_end: isWhole }) => kind === 'mutant' && isWhole);
  const mutants = new Set(toTheEnd.map(({ id }) => id)).size;
  // Those of the variant on which most pairs are possible.
  const [pairs] = servers
    .flatMap((server) => (server.kind === 'variant' && server.pairs !== undefined ? [server.pairs] : []))
    .sort((one, other) => other.possible - one.possible || other.seen - one.seen);
  return [
    `${formatCount(totals.runs, 'run')} sent ${formatCount(totals.requests, 'request')} in ${formatDuration(run.duration_ms)} on ${run.jobs} threads.`,
    `${formatCount(mutants, 'mutant')} ${mutants === 1 ? 'was' : 'were'} judged to the end.`,
    ...(pairs === undefined
      ? []
      : [`Of ${formatNumber(pairs.possible)} pairs of inputs ${formatNumber(pairs.seen)} were judged.`]),
  ].join('\n');
}

/** The runs of the first seed: one for each server. */
function ofFirstSeed({ servers, run }: Proof, kind: ProvenServer['kind']): readonly ProvenServer[] {
  return servers.filter((server) => server.kind === kind && server.seed === run.seeds[0]);
}

function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const escapePipes = (cells: readonly string[]) => cells.map((cell) => cell.replaceAll('|', '\\|'));
  return table([heads, ...rows].map(escapePipes));
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Renders the result of a proof for a terminal: the verdict on the suite, then what went wrong, then the figures. */
export function renderProofTerminal(
  proof: Proof,
  options: LayoutOptions & { readonly files: readonly string[] },
): string {
  const layout = new TerminalLayout(options);
  const { totals, run, uncovered } = proof;
  const wrong = proof.servers.filter(({ outcome }) => isWrong(outcome));
  const open = totals.unsettled > 0 ? `, ${totals.unsettled} left inconclusive` : '';
  const head = `${totals.caught} of ${formatCount(totals.mutants, 'mutant')} caught, ${totals.accused} of ${formatCount(totals.variants, 'variant')} wrongly failed${open}.`;
  const painter = wrong.length === 0 ? layout.paint.green : layout.paint.red;
  const sums = [
    `${formatCount(totals.runs, 'run')} at depth ${run.depth}, seed ${run.seeds.join(', ')}: ${formatNumber(totals.requests)} requests in ${formatDuration(run.duration_ms)}.`,
    `Median of failed requirements per mutant ${totals.median_red}; section named for ${totals.section_named} of ${totals.mutants}.`,
    ...(options.files.length === 0 ? [] : [`Written: ${options.files.join(', ')}`]),
  ];
  const isUncovered = uncovered.length > 0 && run.only.length === 0;
  return joinParts([
    layout.prose(run.complete ? head : `Stopped early: ${head}`, 0, painter),
    wrong.flatMap((server) => listWrong(server, layout)),
    isUncovered ? layout.prose(`No mutant violates these requirements: ${uncovered.join(', ')}.`) : [],
    layout.prose(sums.join(' ')),
  ]);
}

function listWrong(server: ProvenServer, layout: TerminalLayout): readonly string[] {
  const { id, seed, outcome, verdict } = server;
  const word = isWrong(outcome) ? wrongOutcomes[outcome].word : outcome;
  return [
    ...layout.prose(`${id}: ${word} (${verdict}, seed ${seed})`, 0, layout.paint.bold),
    ...describeWrongServer(server).flatMap(([label, text]) => layout.labelled(label, text, 2)),
  ];
}
