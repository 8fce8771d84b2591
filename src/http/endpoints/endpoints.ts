/** Every endpoint of the API. */

import { taxiiCollections, taxiiDiscovery, taxiiObjects } from '../taxii/endpoints.ts'
import { furtherTaxiiEndpoints } from '../taxii/standard-endpoints.ts'
import { blacklist } from './blacklist.ts'
import { checkBulk } from './bulk.ts'
import { changes } from './changes.ts'
import { checkEmail } from './check-email.ts'
import { checkPhone } from './check-phone.ts'
import { checkUrl } from './check-url.ts'
import { listEndpoints } from './lists.ts'
import { reportScam, reportStatus } from './report-scam.ts'
import { rss } from './rss.ts'
import { search } from './search.ts'
import { docs, docsReference, health, metrics, openApi, ready } from './service.ts'
import { stixExport } from './stix-export.ts'

/** The endpoints that the documentation describes, in its order. */
export const documentedEndpoints = [
  checkUrl,
  checkBulk,
  checkEmail,
  checkPhone,
  blacklist,
  changes,
  ...listEndpoints,
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

/** All endpoints; TAXII has some that only its standard describes. */
export const endpoints = [...documentedEndpoints, ...furtherTaxiiEndpoints] as const
