/** The part of uBlock Origin's engine that the tests use; the package has no types. */
declare module '@gorhill/ubo-core' {
  class StaticNetFilteringEngine {
    /** There can be one in a process. */
    static create(): Promise<StaticNetFilteringEngine>
    /** Replaces all rules. */
    useLists(lists: readonly { readonly name: string; readonly raw: string }[]): Promise<void>
    /** 0: let through; 1: blocked; 2: excepted. */
    matchRequest(request: {
      readonly originURL: string
      readonly url: string
      readonly type: string
    }): 0 | 1 | 2
  }

  export { StaticNetFilteringEngine }
}
