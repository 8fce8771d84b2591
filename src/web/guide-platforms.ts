/** The guide's part for analysts: the STIX export, the TAXII collections, and what each client is to be told. */

import { TaxiiDocuments } from '../http/taxii/documents.ts'
import { operationLink, referenceLink } from './links.ts'
import { html } from './markup.ts'
import {
  code,
  codeBlock,
  type Definition,
  definitionList,
  type Instance,
  type Section,
} from './section.ts'

/** Returns the collections with their ids, as the root of the standard lists them. */
function collectionDefinitions({ publicUrl }: Instance): readonly Definition[] {
  const { collections } = new TaxiiDocuments(publicUrl).collections('standard')
  return collections.map(({ id, title, description }) => ({
    id: `collection-${title}`,
    term: code(title),
    meaning: html`${description}<br>${code(id)}`,
  }))
}

const acceptLine = 'Accept: application/taxii+json;version=2.1'

/** Returns what to set in each client. */
function clientDefinitions({ publicUrl }: Instance): readonly Definition[] {
  const discovery = code(`${publicUrl}/taxii2/`)
  const root = code(`${publicUrl}/taxii2/feeds/`)
  return [
    {
      term: html`OpenCTI, TAXII ingester`,
      meaning: html`URL ${code(`${publicUrl}/taxii2/feeds`)}, version 2.1, no authentication; collection: name
or UUID.`,
    },
    {
      term: html`OpenCTI, connector <code>taxii2</code>`,
      meaning: html`Discovery ${discovery}, collections ${code('feeds.domain-blacklist')}. One connector for
each collection: it would carry its place in one over to the next.`,
    },
    {
      term: html`Microsoft Sentinel`,
      meaning: html`API root ${root}, collection ID: the UUID; user name and password stay empty.`,
    },
    {
      term: html`Cortex XSOAR, TAXII 2 feed`,
      meaning: html`Discovery ${discovery}, collection: the name.`,
    },
    {
      term: html`Elastic, custom threat intelligence`,
      meaning: html`URL ${code(`${publicUrl}/taxii2/feeds/collections/domain-blacklist/objects/`)} with the header
${code(acceptLine)}.`,
    },
    {
      term: html`Splunk Enterprise Security, from 8.2 on`,
      meaning: html`TAXII 2.1, discovery ${discovery}.`,
    },
    {
      term: html`taxii2-client`,
      meaning: html`${code(`Server("${publicUrl}/taxii2/")`)}; with ${code('as_pages')} it reads on by itself.`,
    },
    {
      term: html`curl, your own programs`,
      meaning: html`${code(`${publicUrl}/api/taxii/2.1/`)}, where names stand in addresses.`,
    },
  ]
}

function platforms(instance: Instance): Section {
  const { publicUrl } = instance
  const exporting = `curl -fsS --compressed '${publicUrl}/api/v1/export/stix?campaign=PayPal&limit=100'`
  const pulling = `curl -fsS --compressed -D weir.headers -H '${acceptLine}' \\\n  '${publicUrl}/api/taxii/2.1/collections/domain-blacklist/objects/?limit=10000'`
  return {
    id: 'stix-and-taxii',
    title: 'STIX and TAXII',
    body: html`<p>What is published here is also there for threat-intelligence platforms, as STIX 2.1, marked
TLP:WHITE, without account. Shared platforms and phone numbers are left out.</p>
<h3 id="stix-export">All at once, or one brand</h3>
<p>${operationLink(instance, 'exportStix', 'GET /api/v1/export/stix')} gives the indicators that stand as one bundle, changed last first, each with
the brand or malware family that it belongs to:</p>
${codeBlock(exporting)}
<p>An indicator <code>indicates</code> the intrusion set of those who imitate a brand, which <code>targets</code> the
brand, or a malware family. <code>labels</code> tell threat, level, brand and family.</p>
<h3 id="taxii">Following it: TAXII 2.1</h3>
<p>The ${referenceLink(instance, 'tag-stix-and-taxii', 'reference')} has the paths and parameters.</p>
${definitionList(collectionDefinitions(instance))}
<p>A listing that ends comes again as a new version: with <code>valid_until</code>, or <code>revoked</code> when it
was a mistake. To read all of a collection follow <code>next</code>; then ask with <code>added_after</code> and the
<code>X-TAXII-Date-Added-Last</code> of the last page, and only what is new comes.</p>
${codeBlock(pulling)}
<p>Without that <code>Accept</code> this address gives a bundle, and a <code>Link</code> to the next.</p>
<h3 id="taxii-clients">What to tell your client</h3>
${definitionList(clientDefinitions(instance))}
<p>Let it ask for pages of 1,000 or more, where it can be told to.</p>
`,
  }
}

/** Returns the sections for analysts. */
export function platformSections(instance: Instance): readonly Section[] {
  return [platforms(instance)]
}
