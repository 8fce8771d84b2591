/** The part of uBlock Origin's HNTrie that the benchmark uses; the package has no types. */
declare module '@gorhill/ubo-core/js/hntrie.js' {
  class HNTrieContainer {
    readonly buf: Uint8Array
    reset(details: { readonly byteLength: number; readonly char0: number }): void
    createTrie(): number
    setNeedle(needle: string): this
    add(trie: number): number
    /** The offset at which the shortest listed name begins, or -1. */
    matches(trie: number): number
    /** Cuts off what is not in use. */
    optimize(): { readonly byteLength: number; readonly char0: number }
  }

  // biome-ignore lint/style/noDefaultExport: so the package exports it.
  export { HNTrieContainer as default }
}
