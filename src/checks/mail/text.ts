/**
 * Reads the body of a mail, text or HTML, as a person sees it.
 *
 *   body ──▶ HTML? ──▶ tags, styles, comments away ──▶ visible text ──▶ one spelling ──▶ text
 *                 └──▶ <a href> ──▶ links                  └──▶ addresses, bare names ──▶ urls
 *
 * Pure, never throws, linear in the length whatever the text; what it returns is bounded.
 */

import { decodeHTMLStrict } from 'entities/decode'
import { withoutInvisible } from '../../model/characters.ts'
import { type HtmlText, isHtml, type MailLink, readHtml } from './html.ts'
import { type LookalikeLetters, toSearchText } from './plain.ts'
import { addressesIn, mailUrlsMax, webTarget } from './urls.ts'

export interface MailText {
  /** The words that are shown, in the spelling that phrases are searched in. */
  readonly text: string
  readonly links: readonly MailLink[]
  /**
   * Web addresses, each once: targets of links and forms first, then those in the text, names without
   * a scheme, and those in comments, styles and scripts.
   */
  readonly urls: readonly string[]
  /** The mail has more than are read. */
  readonly hasMoreUrls: boolean
}

/** Repeated ones included: one bad link must not hide after a thousand copies of another. */
const urlsReadMax = 8_192

const nothing: readonly never[] = []

function shownText(body: string): HtmlText {
  if (isHtml(body)) return readHtml(body)
  return {
    text: decodeHTMLStrict(body),
    links: nothing,
    targets: nothing,
    hiddenTargets: nothing,
  }
}

/** Returns the web addresses of a mail, each once; one more than `mailUrlsMax` when there are more. */
function listAddresses(shown: string, { targets, hiddenTargets }: HtmlText): string[] {
  const urls = new Set<string>()
  const enough = mailUrlsMax + 1
  const add = (found: readonly (string | null)[]): void => {
    for (const url of found) if (url !== null && urls.size < enough) urls.add(url)
  }
  const webTargets = (values: readonly string[]): (string | null)[] =>
    values.map((target) => webTarget(withoutInvisible(target)))
  const written = addressesIn(shown, urlsReadMax)
  add(webTargets(targets))
  add(written.urls)
  add(written.names)
  add(webTargets(hiddenTargets))
  return [...urls]
}

/** Reads a mail's body; `letters` as `data/confusables.txt` has them. */
export function readMailText(body: string, letters: LookalikeLetters): MailText {
  const read = shownText(body)
  const shown = withoutInvisible(read.text)
  const urls = listAddresses(shown, read)
  return {
    text: toSearchText(shown, letters),
    links: read.links,
    urls: urls.slice(0, mailUrlsMax),
    hasMoreUrls: urls.length > mailUrlsMax,
  }
}
