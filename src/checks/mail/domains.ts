/** Domains where anyone can get an address: free mail, and disposable addresses. */

import disposableText from '../../../data/disposable-mail.txt' with { type: 'text' }
import freeText from '../../../data/free-mail.txt' with { type: 'text' }
import { registrableDomain } from '../../model/domain.ts'
import { factLines } from '../../model/fact-lines.ts'

export interface MailDomains {
  /** Reports whether anyone can have an address at the domain free of charge. */
  isFree(domain: string): boolean
  /** Reports whether the domain gives out disposable addresses. */
  isDisposable(domain: string): boolean
}

/**
 * Builds the look-up from two texts of one domain a line. Names below a free-mail domain belong to its
 * provider; names below a disposable one are disposable as well.
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
