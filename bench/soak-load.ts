/**
 * The paced part of a soak: calls at a steady rate, measured from the moment each was due, so that a
 * server that stalls is charged for everyone who waited (no coordinated omission).
 */

import { seededRandom } from './rounds.ts'
import type { Answer, Call } from './soak-clients.ts'
import type { Tally } from './soak-figures.ts'
import type { Kind } from './soak-kinds.ts'

/** A call that takes longer counts as an error. */
const callTimeoutMs = 20_000

/** When so many calls wait for answers, the next ones wait to be sent: their time runs all the same. */
const inFlightMax = 500

/** Returns the kinds that this weir knows, and the names of those it does not. */
export async function knownKinds(
  url: string,
  kinds: readonly Kind[],
): Promise<{ readonly known: Kind[]; readonly missing: string[] }> {
  const known: Kind[] = []
  const missing: string[] = []
  for (const kind of kinds) {
    const response = kind.probe === undefined ? null : await fetch(url + kind.probe)
    await response?.arrayBuffer()
    if (response?.status === 404) missing.push(kind.name)
    else known.push(kind)
  }
  return { known, missing }
}

async function send(url: string, { path, method = 'GET', headers = {}, body }: Call) {
  const response = await fetch(url + path, {
    method,
    headers,
    redirect: 'manual',
    decompress: false,
    signal: AbortSignal.timeout(callTimeoutMs),
    ...(body === undefined ? {} : { body }),
  })
  const bytes = await response.bytes()
  const answer: Answer = {
    status: response.status,
    headers: response.headers,
    text: () => new TextDecoder().decode(bytes),
  }
  return { answer, size: bytes.length }
}

async function make(url: string, kind: Kind, call: Call, dueAt: number, tally: Tally) {
  const about = `${kind.name}: ${call.method ?? 'GET'} ${call.path.slice(0, 120)}`
  try {
    const { answer, size } = await send(url, call)
    tally.answered(kind.name, answer.status, performance.now() - dueAt, size)
    const isRight = call.expected.includes(answer.status)
    const hasContent = answer.status === 200
    const wrong = isRight && hasContent ? (call.take?.(answer) ?? null) : null
    if (!isRight) tally.unexpected.add(`${about} answers ${answer.status}`)
    else if (wrong !== null) tally.unexpected.add(`${about}: ${wrong}`)
  } catch (error) {
    tally.errors.add(`${about}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    call.settled?.()
  }
}

/** Returns a way to choose kinds by their share of the load. */
function chooser(kinds: readonly Kind[], perSecond: number): () => Kind | undefined {
  const random = seededRandom(1)
  return () => {
    let left = (random() / 2 ** 32) * perSecond
    return kinds.find((kind) => {
      left -= kind.perSecond
      return left < 0
    })
  }
}

/** Puts the kinds on a server at their pace until `signal` says to stop; resolves when all is answered. */
export async function putLoad(
  url: string,
  kinds: readonly Kind[],
  tally: Tally,
  signal: AbortSignal,
): Promise<void> {
  const perSecond = kinds.reduce((sum, kind) => sum + kind.perSecond, 0)
  const choose = chooser(kinds, perSecond)
  const made = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  const startedAt = performance.now()
  for (let sent = 0; !signal.aborted; ) {
    // The first is due at once.
    const dueCount = Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1
    for (; sent < dueCount && underWay.size < inFlightMax; sent++) {
      const kind = choose()
      if (kind === undefined) continue
      const index = made.get(kind.name) ?? 0
      made.set(kind.name, index + 1)
      const dueAt = startedAt + (sent / perSecond) * 1000
      const call = kind.call(index)
      if (call === null) continue
      const answered = make(url, kind, call, dueAt, tally)
      underWay.add(answered)
      void answered.then(() => underWay.delete(answered))
    }
    // Waits a turn of the loop: answers are taken meanwhile, and the pace is kept by the clock.
    const turnedAt = performance.now()
    await new Promise((next) => setTimeout(next, 1))
    tally.turned(performance.now() - turnedAt)
  }
  await Promise.all(underWay)
}
