/** Addresses that others name, held against what is publicly listed: what is, must not be a link of ours. */

import { defang } from '../model/defang.ts'
import { parseEmailAddress } from '../model/email-address.ts'
import type { IndicatorType } from '../model/indicator.ts'
import { parsePublicUrl, pathExpressions } from '../model/url.ts'
import type { ReadStore } from '../store/store.ts'

const schemes = ['https://', 'http://'] as const

/** What may be a name or an address, wherever it stands in a word. */
const nameLike = /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+/gu

/** Knows what is listed, at one moment, of the addresses that others name; each is looked up once. */
export class ListedAddresses {
  readonly #store: ReadStore
  readonly #known = new Map<string, boolean>()

  constructor(store: ReadStore) {
    this.#store = store
  }

  #isListed(value: string, type: IndicatorType): boolean {
    const indicator = this.#store.byValue(value, type)
    return indicator?.isPublished === true && !indicator.doNotBlock
  }

  /** Reports whether a URL, or a name by itself, is listed: that page, its host or a name above it. */
  has(text: string): boolean {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const isListed = this.#find(text)
    this.#known.set(text, isListed)
    return isListed
  }

  #find(text: string): boolean {
    const url = parsePublicUrl(text)
    if (!url.ok) return false
    const { host, isAddress } = url.value
    // The page itself, and the directories that it lies in.
    const pages = pathExpressions(url.value).flatMap((key) => schemes.map((each) => each + key))
    if (pages.some((page) => this.#isListed(page, 'url'))) return true
    if (isAddress) return this.#isListed(host, 'ip')
    for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.#isListed(name, 'domain')) return true
    }
    return false
  }

  #isNamedIn(word: string): boolean {
    const names = word.match(nameLike) ?? []
    if (names.some((name) => this.has(name))) return true
    const bare = word.replace(/[.,;:!?)\]]+$/, '')
    // What its author has defanged is not to be defanged again.
    if (bare === names[0] || word.includes('[.]')) return false
    const email = parseEmailAddress(bare)
    return email.ok ? this.#isListed(email.value.value, 'email') : this.has(bare)
  }

  /**
   * Returns what others wrote with every address in it defanged that is listed. The rest stays: a publisher's
   * advice where to turn to should be of use, and many a brand is called by its domain.
   */
  defangedIn(text: string): string {
    return text.replace(/[^\s<>"']+/g, (word) =>
      word.includes('.') && this.#isNamedIn(word) ? defang(word) : word,
    )
  }
}
