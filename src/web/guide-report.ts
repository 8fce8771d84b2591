/** The guide's part for those who have something to tell: reports, and how they fare. */

import type { ReportStatus } from '../model/report.ts'
import { operationLink } from './links.ts'
import { html } from './markup.ts'
import {
  code,
  codeBlock,
  type Definition,
  definitionList,
  type Instance,
  jsonBlock,
  type Section,
} from './section.ts'

const statuses: Readonly<Record<ReportStatus, string>> = {
  received: 'It is kept, and nobody has looked at it yet.',
  in_review: 'Somebody is looking at it.',
  accepted: 'It was found to be right.',
  rejected: 'It was not.',
}

const statusDefinitions: readonly Definition[] = Object.entries(statuses).map(
  ([status, meaning]) => ({
    id: `report-${status}`,
    term: code(status),
    meaning: html`${meaning}`,
  }),
)

function report(instance: Instance): Section {
  const { publicUrl } = instance
  const request = {
    type: 'url',
    value: 'https://paypa1-account.example/login',
    description: 'A text message said that my account was locked.',
    targetBrand: 'PayPal',
    contact: 'me@mail.example',
  }
  const statusUrl = `${publicUrl}/api/report-scam/…`
  const sending = `curl '${publicUrl}/api/report-scam' \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(request)}'`
  return {
    id: 'report-a-scam',
    title: 'Report a scam',
    body: html`<p>${operationLink(instance, 'reportScam', 'POST /api/report-scam')} tells the people who run this service of a scam.
<code>type</code> says what it is about: <code>url</code>, <code>email</code>, <code>phone</code>,
<code>message</code>, <code>other</code>, or <code>false_positive</code>, which appeals a listing.</p>
${codeBlock(sending)}
<p>The answer is 202:</p>
${jsonBlock({ id: '…', status: 'received', statusUrl })}
<p>Ask at <code>statusUrl</code> how it fares:</p>
${codeBlock(`curl '${statusUrl}'`)}
${jsonBlock({
  id: '…',
  status: 'rejected',
  reason: 'The address is one of the company’s own.',
  createdAt: '2026-11-20T08:15:30.123Z',
  updatedAt: '2026-11-21T10:15:30.123Z',
})}
${definitionList(statusDefinitions)}
<ul>
<li>A person looks at each report, and nothing changes before that.</li>
<li>Personal data is masked before a report is stored: e-mail addresses, phone numbers, card numbers and the
like.</li>
<li>What a report says is published once it is accepted, with what was masked left out; <code>contact</code> is
never published.</li>
<li>Reports that are identical are counted.</li>
</ul>
`,
  }
}

/** Returns the section about reports. */
export function reportSections(instance: Instance): readonly Section[] {
  return [report(instance)]
}
