/**
 * The operator's word about a whole source: fetched by itself or not, and everything it lists taken
 * back at once, to be given back when it is enabled again.
 */

import type { Operation, SourceDescription } from '../store/batch.ts'
import type { WriteStore } from '../store/store.ts'

/** `withdraw` is to disable, and to take back all that the source lists. */
export type SourceWord = 'enable' | 'disable' | 'withdraw'

/** What came of it. */
export interface Switched {
  /** Indicators that no other source lists, delisted now. */
  readonly delisted: number
  /** Indicators about which weir says something else now, those listed again among them. */
  readonly changed: number
  /** The number to which views must come to answer so. */
  readonly seq: number
}

/** Carries out the word. Begun again after it was cut short, it goes on where it ended. */
export async function switchSource(
  store: WriteStore,
  source: SourceDescription,
  word: SourceWord,
  at: number,
): Promise<Switched> {
  const wasWithdrawn = store.sources.byName(source.name)?.withdrawn === 1
  const isWithdrawn = word === 'withdraw' || (word === 'disable' && wasWithdrawn)
  const before = store.sources.byName(source.name)?.enabled ?? null
  const enabled = enabledAfter(word, wasWithdrawn, before === null ? null : before === 1)
  const done = { delisted: 0, changed: 0, seq: 0 }
  const write = async (operation: Operation): Promise<number | null> => {
    const committed = await store.write({ at, operations: [operation] })
    done.delisted += committed.delisted
    done.changed += committed.changed
    done.seq = committed.seq
    return committed.next
  }
  // What stands afterwards is no list that was read: an unchanged one is to be read again.
  const state = store.fetches.find(source.name)
  if (state !== null) await store.noteFetch({ ...state, reading: null })
  // First the word, then the slices: nothing new comes in between.
  await write({ op: 'switchSource', source, enabled, isWithdrawn })
  const op = isWithdrawn ? 'withhold' : 'reinstate'
  for (let after: number | null = 0; after !== null; ) {
    after = await write({ op, source: source.name, after })
  }
  // A guard that is back has its say in what has been listed meanwhile.
  if (source.role !== 'guard' || isWithdrawn) return done
  for (let after: number | null = 0; after !== null; ) {
    after = await write({ op: 'enforce', source: source.name, after })
  }
  return done
}

/** Taking a source back and giving it back leaves alone whether it is fetched. */
function enabledAfter(
  word: SourceWord,
  wasWithdrawn: boolean,
  before: boolean | null,
): boolean | null {
  if (word === 'disable') return false
  if (word === 'withdraw' || (wasWithdrawn && before === null)) return before
  return true
}

/** Returns the description that the store keeps of a source, or null when it knows none. */
export function storedDescription(store: WriteStore, name: string): SourceDescription | null {
  const row = store.sources.byName(name)
  if (row === null) return null
  const { title, home, licence, role, listing, confidence } = row
  const redistribute = row.redistribute === 1
  const threatType = row.threatType
  return { name, title, home, licence, redistribute, role, listing, confidence, threatType }
}
