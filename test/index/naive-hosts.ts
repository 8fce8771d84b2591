/**
 * The obvious index of hosts: a map from names to entries, asked for every parent in turn.
 *
 * It is slow and right, and so the model that every other index of hosts is held to.
 */

import { type HostMatch, hostFlag, noRecord } from '../../src/index/host-match.ts'
import type { HostIndex } from './laws.ts'

const platformFlags = hostFlag.platformTenant | hostFlag.platformPage | hostFlag.platformRedirect

const isLabel = (label: string): boolean => /^[!-@[-~]{1,63}$/.test(label)

export class NaiveHosts implements HostIndex {
  readonly #entries = new Map<string, { readonly flags: number; readonly record: number }>()

  get size(): number {
    return this.#entries.size
  }

  set(host: string, flags: number, record: number): boolean {
    if (host.length > 253 || !host.split('.').every(isLabel)) return false
    const before = this.#entries.get(host) ?? { flags: 0, record: noRecord }
    this.#entries.set(host, {
      flags: before.flags | flags,
      record: record === noRecord ? before.record : record,
    })
    return true
  }

  clear(host: string, flags: number): boolean {
    const before = this.#entries.get(host)
    if (before === undefined || (before.flags & flags) === 0) return false
    const left = before.flags & ~flags
    if (left === 0) this.#entries.delete(host)
    else this.#entries.set(host, { flags: left, record: before.record })
    return true
  }

  match(text: string, start: number, end: number, found: HostMatch): number {
    // Nothing longer than a host can be is looked at.
    const host = end - start > 253 ? '' : text.slice(start, end)
    const suffixes = host.split('.').map((_, index, labels) => labels.slice(index).join('.'))
    const named = suffixes.map((name) => ({
      start: end - name.length,
      entry: this.#entries.get(name) ?? { flags: 0, record: noRecord },
    }))
    const nearest = (wanted: number) => named.find(({ entry }) => (entry.flags & wanted) !== 0)
    const listed = nearest(hostFlag.listed)
    const platform = nearest(platformFlags)
    const allowed = nearest(hostFlag.allowed)
    found.listedStart = listed?.start ?? -1
    found.listedRecord = listed?.entry.record ?? noRecord
    found.listedFlags = listed?.entry.flags ?? 0
    found.platformStart = platform?.start ?? -1
    found.platformFlags = platform?.entry.flags ?? 0
    found.allowedStart = allowed?.start ?? -1
    found.allowedRecord = allowed?.entry.record ?? noRecord
    found.hostFlags = named[0]?.entry.flags ?? 0
    found.hostRecord = named[0]?.entry.record ?? noRecord
    return named.reduce((met, { entry }) => met | entry.flags, 0)
  }
}
