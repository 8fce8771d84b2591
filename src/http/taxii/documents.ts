/** The documents by which a TAXII client finds collections: discovery, API root, collections (TAXII 2.1 §4, §5). */

import { collectionNames } from '../../publish/stix/collections.ts'
import { stixMediaType } from '../../publish/stix/stix.ts'
import {
  type CollectionDescription,
  collectionDescriptions,
  taxiiMediaType,
} from '../../publish/stix/taxii.ts'
import { type TaxiiRoot, taxiiRootPaths } from './refusals.ts'

const title = 'weir: phishing threat data'
const description =
  'Indicators of phishing, malware and scams, and the brands and malware families they belong to. Public and read-only.'

/** Required by the standard; nothing can be sent. */
const contentLengthMax = 1_048_576

const apiRoot = {
  title,
  description,
  versions: [taxiiMediaType],
  max_content_length: contentLengthMax,
} as const

const inOrder = collectionNames.map((name) => collectionDescriptions[name])

/** The documents of an instance, whose address is `publicUrl`. */
export class TaxiiDocuments {
  readonly #publicUrl: string

  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl
  }

  /** Returns the address of an API root: the standard allows absolute ones for HTTPS only (§4.1.1). */
  #addressOf(root: TaxiiRoot): string {
    const isSecure = this.#publicUrl.startsWith('https://')
    return `${isSecure ? this.#publicUrl : ''}${taxiiRootPaths[root]}/`
  }

  /** Returns the discovery document whose only API root is `root`. */
  discovery(root: TaxiiRoot) {
    const address = this.#addressOf(root)
    const contact = `${this.#publicUrl}/docs`
    return { title, description, contact, default: address, api_roots: [address] }
  }

  /** Returns an API root; that of the specification is its discovery document as well. */
  apiRoot(root: TaxiiRoot) {
    return root === 'standard' ? apiRoot : { ...this.discovery(root), ...apiRoot }
  }

  /** Returns the collections, in the order of their ids. */
  collections(root: TaxiiRoot) {
    const isStandard = root === 'standard'
    const listed = inOrder.map((each) => this.collection(each, isStandard ? each.uuid : each.name))
    return { collections: listed.sort((a, b) => (a.id < b.id ? -1 : 1)) }
  }

  /** Returns a collection with the id that the client asked for: clients compare the two. */
  collection({ name, description: about }: CollectionDescription, id: string) {
    return {
      id,
      title: name,
      description: about,
      ...(id === name ? {} : { alias: name }),
      can_read: true,
      can_write: false,
      media_types: [stixMediaType],
    }
  }
}
