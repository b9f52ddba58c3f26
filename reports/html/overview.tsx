import type { ComponentChildren } from 'preact';
import { type Area, areaOf, areas } from '../../spec/ledger.js';
import type { Report, ReportedRequirement, Status, Verdict as VerdictWord } from '../../spec/report.js';
import type { RenderOptions } from '../render-options.js';
import {
  countStatuses,
  embeddedServer,
  explainVerdict,
  listNotes,
  listWaiverFaults,
  listWarnings,
  nameServer,
  noteInsecure,
  renderCleanCommand,
} from '../report-view.js';
import { explainExit } from '../test-case-view.js';
import {
  formatCount,
  formatDuration,
  formatInstant,
  formatNumber,
  statusOrder,
  statusWords,
} from '../wording.js';
import { RequirementLinks, safeAttribute, safeText } from './safe-text.js';

const signs: Readonly<Record<VerdictWord, string>> = {
  conformant: '✓',
  'non-conformant': '✕',
  incomplete: '…',
  unjudged: '?',
};

/** The verdict and why, with all that a reader must know before relying on it. */
export function Verdict({ report }: { readonly report: Report }) {
  const { verdict, gate, target, run } = report;
  const warnings = [...listWarnings(report), ...listWaiverFaults(report), ...listNotes(report)];
  return (
    <section class={`verdict ${verdict}`} aria-labelledby="verdict-heading">
      <span class="sign" aria-hidden="true">
        {signs[verdict]}
      </span>
      <div>
        <h1 id="verdict-heading">{verdict}</h1>
        <p class="why">
          {safeText(explainVerdict(report))}; {listPassedOver(gate).map((text) => `${text}, `)}
          {explainExit(report)}
        </p>
        <p class="quiet">
          {safeText(nameServer(target) ?? 'unknown server')}, {safeText(formatInstant(run.started_at))} UTC
        </p>
        {warnings.length > 0 && (
          <ul class="warnings">
            {warnings.map((warning) => (
              <li key={warning}>{safeText(warning)}</li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

/** What waivers, policy and ledger version let pass. */
function listPassedOver({ waived, excused, newer }: Report['gate']): readonly string[] {
  return [
    ...(waived.length > 0 ? [`${waived.length} waived`] : []),
    ...(excused.length > 0 ? [`${excused.length} excused by the policy`] : []),
    ...(newer.length > 0 ? [`${newer.length} newer than its ledger`] : []),
  ];
}

/** What was judged, when, how, and by what, and what the gate let pass. */
export function Run({ report }: { readonly report: Report }) {
  return (
    <section id="run" aria-label="The run">
      <GateNotes gate={report.gate} />
      <details class="note">
        <summary>The run</summary>
        <Facts report={report} />
      </details>
    </section>
  );
}

function Facts({ report: { target, run, tool, document, gate } }: { readonly report: Report }) {
  const { only, skip } = run.selection;
  return (
    <dl class="facts">
      <Fact name="Target" wide>
        {target.embedded === true && `${embeddedServer}, `}
        {safeText(target.base_url ?? 'unknown')}
        {target.insecure === true && ` (${noteInsecure(target)})`}
      </Fact>
      <Fact name="Started">
        <time dateTime={safeAttribute(run.started_at)}>
          {safeText(run.started_at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC'))}
        </time>
      </Fact>
      <Fact name="Duration">{formatDuration(run.duration_ms)}</Fact>
      <Fact name="Seed">{run.seed}</Fact>
      <Fact name="Depth">{safeText(run.depth)}</Fact>
      <Fact name="Requests">{formatNumber(run.requests)}</Fact>
      <Fact name="Cases">{formatNumber(run.cases)}</Fact>
      <Fact name="Worlds">{target.control ? 'control protocol' : 'profile'}</Fact>
      {run.shard !== '1/1' && <Fact name="Shard">{safeText(run.shard)}</Fact>}
      {only.length > 0 && <Fact name="Only">{safeText(only.join(', '))}</Fact>}
      {skip.length > 0 && <Fact name="Skipped">{safeText(skip.join(', '))}</Fact>}
      <Fact name="Gate">exit code {gate.exit_code}</Fact>
      <Fact name="Tool">{safeText(`${tool.name} ${tool.version}`)}</Fact>
      <Fact name="Document">version {safeText(document.version)}</Fact>
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

function Fact({ name, wide = false, children }: FactProps) {
  return (
    <div class={wide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What the run made and could not delete: somebody has to. */
export function LeftBehind({ report, directory }: RenderOptions & { readonly report: Report }) {
  const { left_behind: left } = report.run;
  if (left.length === 0) return null;
  return (
    <details class="note" id="left-behind" open>
      <summary>Left behind on the server ({formatNumber(left.length)})</summary>
      <ul>
        {left.map(({ scope, name, why }) => (
          <li key={`${scope}/${name}`}>
            <code>{safeText(`${scope}/${name}`)}</code>: {safeText(why)}
          </li>
        ))}
      </ul>
      <p>
        To remove it: <code>{safeText(renderCleanCommand(report, directory))}</code>
      </p>
    </details>
  );
}

/** What waivers and the policy allow; nothing where they change nothing. */
function GateNotes({ gate: { waived, excused } }: Pick<Report, 'gate'>) {
  const notes = [
    { ids: waived, text: `${formatCount(waived.length, 'requirement')} failed, waived` },
    {
      ids: excused,
      text: `${formatCount(excused.length, 'requirement')} inconclusive or not exercised, excused by the policy`,
    },
  ];
  return (
    <>
      {notes
        .filter(({ ids }) => ids.length > 0)
        .map(({ ids, text }) => (
          <details class="note" key={text}>
            <summary>{text}</summary>
            <RequirementLinks ids={ids} />
          </details>
        ))}
    </>
  );
}

/** How many requirements have each status; each number leads to its rows. */
function Totals({ totals }: { readonly totals: Report['totals'] }) {
  return (
    <ul class="totals" aria-label="Requirements by status">
      {statusOrder.map((status) => (
        <li key={status} class={totals[status] === 0 ? 'none' : status}>
          <a href={`#status=${status}`}>
            <b data-total={status}>{totals[status]}</b> <span>{statusWords[status]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The results, and those in each area of the document; a number or an area leads to its rows. */
export function Areas({ requirements, totals }: Pick<Report, 'requirements' | 'totals'>) {
  return (
    <section id="areas" aria-labelledby="areas-heading">
      <h2 id="areas-heading">Areas</h2>
      <Totals totals={totals} />
      <ul class="areas">
        {areas.map((area) => (
          <AreaCard key={area} area={area} rows={requirements.filter(({ id }) => areaOf(id) === area)} />
        ))}
      </ul>
    </section>
  );
}

function AreaCard({ area, rows }: { readonly area: Area; readonly rows: readonly ReportedRequirement[] }) {
  const totals = countStatuses(rows);
  const counts = statusOrder
    .map((status) => ({ status, count: totals[status] }))
    .filter(({ count }) => count > 0);
  return (
    <li>
      <a class="name" href={`#area=${area}`}>
        {area}
      </a>
      <ShareBar shares={counts} />
      <p>
        {counts.map(({ status, count }, index) => {
          const text = `${count} ${statusWords[status]}`;
          return (
            <span key={status} class={`count ${status}`}>
              {index > 0 && ', '}
              {/* Most passed and need no link of their own. */}
              {status === 'pass' ? (
                <span>{text}</span>
              ) : (
                <a href={`#status=${status}&area=${area}`}>{text}</a>
              )}
            </span>
          );
        })}
      </p>
    </li>
  );
}

interface ShareBarProps {
  readonly shares: readonly { readonly status: Status; readonly count: number }[];
}

/** The share of each status as a bar; the numbers are beside it in words. */
function ShareBar({ shares }: ShareBarProps) {
  const all = shares.reduce((sum, { count }) => sum + count, 0);
  const percent = (part: number) => `${((100 * part) / all).toFixed(2)}%`;
  let before = 0;
  return (
    <svg class="share" width="100%" height="6" aria-hidden="true">
      {shares.map(({ status, count }) => {
        const from = before;
        before += count;
        return <rect key={status} class={status} x={percent(from)} width={percent(count)} height="6" />;
      })}
    </svg>
  );
}
