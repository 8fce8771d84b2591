/** Domains where anybody gets an address: free mail, and addresses that are thrown away. */

import disposableText from '../../../data/disposable-mail.txt' with { type: 'text' }
import freeText from '../../../data/free-mail.txt' with { type: 'text' }
import { registrableDomain } from '../../model/domain.ts'
import { factLines } from '../../model/fact-lines.ts'

export interface MailDomains {
  /** Reports whether anybody can have an address of the domain for nothing. */
  isFree(domain: string): boolean
  /** Reports whether addresses of the domain are made to be thrown away. */
  isDisposable(domain: string): boolean
}

/**
 * Builds the look-up from two texts of one domain a line. Below a free-mail domain is its provider's
 * own; below a disposable one, more of the kind.
 */
export function createMailDomains(free: string, disposable: string): MailDomains {
  const freeDomains = new Set(factLines(free))
  const thrownAway = new Set(factLines(disposable))
  return {
    isFree: (domain) => freeDomains.has(domain),
    isDisposable: (domain) =>
      thrownAway.has(domain) || thrownAway.has(registrableDomain(domain) ?? domain),
  }
}

/** Reads the domains that ship with weir. */
export function loadMailDomains(): MailDomains {
  return createMailDomains(freeText, disposableText)
}
