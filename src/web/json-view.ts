/**
 * Reading of a JSON document whose shape is known from a standard and held by no type: what is not
 * there, or is something else than expected, is nothing, so that no document stops a page.
 */

/** How many references may lead from one to the next. */
const referencesMax = 8

/** A place in a document. */
export class JsonView {
  readonly #root: unknown
  readonly #value: unknown

  private constructor(root: unknown, value: unknown) {
    this.#root = root
    this.#value = value
  }

  /** Returns the top of a document. */
  static of(document: object): JsonView {
    return new JsonView(document, document)
  }

  get isThere(): boolean {
    return this.#value !== undefined
  }

  /** The text here; empty when there is none. */
  get text(): string {
    return typeof this.#value === 'string' ? this.#value : ''
  }

  /** What stands here, as JSON on one line. */
  get json(): string {
    return JSON.stringify(this.#value) ?? ''
  }

  /** What stands here as people read it: a text as it is, anything else as JSON. */
  get shown(): string {
    return typeof this.#value === 'string'
      ? this.#value
      : (JSON.stringify(this.#value, null, 2) ?? '')
  }

  get isTrue(): boolean {
    return this.#value === true
  }

  /** The members of a list; none when this is no list. */
  get items(): readonly JsonView[] {
    return Array.isArray(this.#value) ? this.#value.map((item) => this.#at(item)) : []
  }

  /** The members of an object by name; none when this is no object. */
  get members(): readonly (readonly [string, JsonView])[] {
    if (!isObject(this.#value)) return []
    return Object.entries(this.#value).map(([name, value]) => [name, this.#at(value)] as const)
  }

  /** The last part of the reference that stands here; empty when none does. */
  get reference(): string {
    return this.get('$ref').text.split('/').at(-1) ?? ''
  }

  /** Returns the member of a name. */
  get(name: string): JsonView {
    const isHere = isObject(this.#value) && Object.hasOwn(this.#value, name)
    return this.#at(isHere ? Reflect.get(this.#value, name) : undefined)
  }

  /** Follows the reference that stands here, if one does. */
  resolve(): JsonView {
    let view: JsonView = this
    for (let i = 0; i < referencesMax; i++) {
      const path = view.get('$ref').text
      if (!path.startsWith('#/')) return view
      view = new JsonView(this.#root, this.#root)
      for (const part of path.slice(2).split('/')) {
        view = view.get(part.replaceAll('~1', '/').replaceAll('~0', '~'))
      }
    }
    return view
  }

  #at(value: unknown): JsonView {
    return new JsonView(this.#root, value)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
