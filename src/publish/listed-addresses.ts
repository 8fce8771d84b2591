/** Checks addresses in other people's texts against the public listings: a listed one must not become a link. */

import { defang } from '../model/defang.ts'
import { parseEmailAddress } from '../model/email-address.ts'
import type { IndicatorType } from '../model/indicator.ts'
import { parsePublicUrl, pathExpressions } from '../model/url.ts'
import type { ReadStore } from '../store/store.ts'

const schemes = ['https://', 'http://'] as const

/** What may be a name or an address, anywhere in a word. */
const nameLike = /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+/gu

/** The listed ones among the addresses in texts, as of one moment; each is looked up once. */
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
    // The page itself, and the directories above it.
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
    // An address that its author has defanged is not defanged again.
    if (bare === names[0] || word.includes('[.]')) return false
    const email = parseEmailAddress(bare)
    return email.ok ? this.#isListed(email.value.value, 'email') : this.has(bare)
  }

  /**
   * Returns a text with every listed address defanged. The rest stays: addresses in a publisher's advice
   * should work, and many brands are named by their domain.
   */
  defangedIn(text: string): string {
    return text.replace(/[^\s<>"']+/g, (word) =>
      word.includes('.') && this.#isNamedIn(word) ? defang(word) : word,
    )
  }
}
