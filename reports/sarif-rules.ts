import type { ReportingConfiguration, ReportingDescriptor } from 'sarif';
import { areaOf, type Level, requirementLines } from '../spec/ledger.js';
import type { ReportedRequirement } from '../spec/report.js';
import { messageOf, plainLine } from './sarif-text.js';

/** The file that states the rules, relative to the package. */
export const ledgerFile = 'spec/requirements.yaml';

const severities: Readonly<Record<Level, ReportingConfiguration.level>> = {
  must: 'error',
  derived: 'error',
  advisory: 'warning',
  silent: 'none',
};

/** How severe a violation of a requirement is. */
export function severityOf({ level }: ReportedRequirement): ReportingConfiguration.level {
  return severities[level];
}

/** A requirement as a rule: nothing in it depends on what the run found. */
export function ruleOf(requirement: ReportedRequirement): ReportingDescriptor {
  const { id, section, level } = requirement;
  const area = areaOf(id);
  const statement = messageOf(requirement.statement).text ?? '';
  const line = requirementLines().get(id);
  const place = line === undefined ? ledgerFile : `${ledgerFile}, line ${line}`;
  return {
    id,
    shortDescription: { text: statement },
    fullDescription: { text: statement },
    help: { text: `§${plainLine(section)} of the document (${level}); ${place}` },
    defaultConfiguration: { level: severityOf(requirement) },
    properties: { tags: [area, level], level, section: plainLine(section), area },
  };
}
