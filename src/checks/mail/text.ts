/**
 * Reads the body of a mail, text or HTML, as a person does.
 *
 *   body ──▶ HTML? ──▶ tags, styles, comments away ──▶ visible text ──▶ one spelling ──▶ text
 *                 └──▶ <a href> ──▶ links                  └──▶ addresses ──▶ urls
 *
 * Pure, never throws, linear in the length whatever the text; what it returns is bounded.
 */

import { decodeReferences } from './entities.ts'
import { type HtmlText, isHtml, type MailLink, readHtml } from './html.ts'
import { type LookalikeLetters, plainText, withoutInvisible } from './plain.ts'
import { mailUrlsMax, urlsIn, webTarget } from './urls.ts'

export interface MailText {
  /** The words that are shown, in the spelling that phrases are searched in. */
  readonly text: string
  readonly links: readonly MailLink[]
  /** Web addresses: targets of links and forms first, then those in the text; each once. */
  readonly urls: readonly string[]
}

const nothing: readonly never[] = []

function shownText(body: string): HtmlText {
  if (isHtml(body)) return readHtml(body)
  return { text: decodeReferences(body, 'plain'), links: nothing, targets: nothing }
}

/** Returns the web addresses of a mail, each once, at most `mailUrlsMax`. */
function addressesOf(shown: string, targets: readonly string[]): string[] {
  const urls = new Set<string>()
  const limit = 4 * mailUrlsMax
  for (const target of targets) {
    const url = webTarget(withoutInvisible(target))
    if (url !== null && urls.size < mailUrlsMax) urls.add(url)
  }
  for (const url of urlsIn(shown, limit)) if (urls.size < mailUrlsMax) urls.add(url)
  return [...urls]
}

/** Reads a mail's body; `letters` as `data/confusables.txt` has them. */
export function readMailText(body: string, letters: LookalikeLetters): MailText {
  const { text, links, targets } = shownText(body)
  const shown = withoutInvisible(text)
  return { text: plainText(shown, letters), links, urls: addressesOf(shown, targets) }
}
