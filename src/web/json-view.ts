/**
 * Reads a JSON document whose shape is defined by a standard and not by a type. What is missing or has
 * another type reads as empty, so that no document prevents a page from being rendered.
 */

/** Maximum length of a chain of references. */
const referencesMax = 8

/** A value in a document. */
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

  /** The string, or an empty one. */
  get text(): string {
    return typeof this.#value === 'string' ? this.#value : ''
  }

  /** The value as JSON on one line. */
  get json(): string {
    return JSON.stringify(this.#value) ?? ''
  }

  /** The value as people read it: a string as it is, any other value as JSON. */
  get shown(): string {
    return typeof this.#value === 'string'
      ? this.#value
      : (JSON.stringify(this.#value, null, 2) ?? '')
  }

  get isTrue(): boolean {
    return this.#value === true
  }

  /** The items of an array, or none. */
  get items(): readonly JsonView[] {
    return Array.isArray(this.#value) ? this.#value.map((item) => this.#at(item)) : []
  }

  /** The members of an object by name, or none. */
  get members(): readonly (readonly [string, JsonView])[] {
    if (!isObject(this.#value)) return []
    return Object.entries(this.#value).map(([name, value]) => [name, this.#at(value)] as const)
  }

  /** The last part of a reference (`$ref`), or an empty string. */
  get reference(): string {
    return this.get('$ref').text.split('/').at(-1) ?? ''
  }

  /** Returns the member of that name. */
  get(name: string): JsonView {
    const isHere = isObject(this.#value) && Object.hasOwn(this.#value, name)
    return this.#at(isHere ? Reflect.get(this.#value, name) : undefined)
  }

  /** Returns the target of the reference, or this value if it is none. */
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
