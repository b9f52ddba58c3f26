import type { ComponentChildren } from 'preact';
import type { Report } from '../../spec/report.js';
import { durationText, numberText } from '../amount-text.js';
import { embeddedServer, insecureNote } from '../judged-server.js';
import { told, toldInLine } from './told.js';

/** What was judged, when, how, and by what. */
export function Facts({ report: { target, run, tool, document, gate } }: { readonly report: Report }) {
  const { only, skip } = run.selection;
  return (
    <dl class="facts" aria-label="The run">
      <Fact name="Target" wide>
        {target.embedded === true && `${embeddedServer}, `}
        {told(target.base_url ?? 'none was reached')}
        {target.insecure === true && ` (${insecureNote(target)})`}
      </Fact>
      <Fact name="Started">
        <time dateTime={toldInLine(run.started_at)}>{told(momentText(run.started_at))}</time>
      </Fact>
      <Fact name="Duration">{durationText(run.duration_ms)}</Fact>
      <Fact name="Seed">{run.seed}</Fact>
      <Fact name="Depth">{told(run.depth)}</Fact>
      <Fact name="Requests">{numberText(run.requests)}</Fact>
      <Fact name="Cases">{numberText(run.cases)}</Fact>
      <Fact name="Worlds">{target.control ? 'control protocol' : 'profile'}</Fact>
      {run.shard !== '1/1' && <Fact name="Shard">{told(run.shard)}</Fact>}
      {only.length > 0 && <Fact name="Only">{told(only.join(', '))}</Fact>}
      {skip.length > 0 && <Fact name="Skipped">{told(skip.join(', '))}</Fact>}
      <Fact name="Gate">exit code {gate.exit_code}</Fact>
      <Fact name="Tool">{told(`${tool.name} ${tool.version}`)}</Fact>
      <Fact name="Document">version {told(document.version)}</Fact>
    </dl>
  );
}

/** A name with what it is. */
function Fact({ name, wide = false, children }: FactProps) {
  return (
    <div class={wide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A fact; a wide one takes more room. */
interface FactProps {
  readonly name: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/** `2030-04-05T06:07:08.901Z` → `2030-04-05 06:07:08 UTC` */
function momentText(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
}
