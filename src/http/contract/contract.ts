/** Every operation of the API, in the order in which the documentation tells of them. */

import { blacklist } from './blacklist.ts'
import { checkBulk } from './bulk.ts'
import { changes } from './changes.ts'
import { checkEmail } from './check-email.ts'
import { checkPhone } from './check-phone.ts'
import { checkUrl } from './check-url.ts'
import {
  domainsAdblock,
  domainsDnsmasq,
  domainsHosts,
  domainsRpz,
  domainsTxt,
  domainsUnbound,
  urlsTxt,
} from './lists.ts'
import { reportScam, reportStatus } from './report-scam.ts'
import { rss } from './rss.ts'
import { search } from './search.ts'
import { docs, docsReference, health, metrics, openApi, ready } from './service.ts'
import { stixExport } from './stix-export.ts'
import { taxiiCollections, taxiiDiscovery, taxiiObjects } from './taxii.ts'

/**
 * What the API says on the wire: one entry for each path and method, HEAD beside each GET. Of TAXII there
 * are the paths that the specification names; its others are as the standard describes them.
 */
export const operations = [
  checkUrl,
  checkBulk,
  checkEmail,
  checkPhone,
  blacklist,
  changes,
  domainsTxt,
  domainsHosts,
  domainsAdblock,
  domainsDnsmasq,
  domainsUnbound,
  domainsRpz,
  urlsTxt,
  stixExport,
  taxiiDiscovery,
  taxiiCollections,
  taxiiObjects,
  search,
  rss,
  reportScam,
  reportStatus,
  health,
  ready,
  metrics,
  openApi,
  docs,
  docsReference,
] as const
