/** Why a call to a thread was not answered. */

/**
 * `failed`: its handler threw, and the thread goes on. `lost`: the thread ended before it answered, or
 * could not start; what the call did is unknown. `aborted`: by the caller. `stopping`: weir closes the
 * thread.
 */
export type ThreadErrorReason = 'failed' | 'lost' | 'aborted' | 'stopping'

/** An unanswered call; the message names the thread and the cause. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError'
  readonly reason: ThreadErrorReason
  /** The code of the error that the handler threw (`SQLITE_FULL`), or null. */
  readonly code: string | null

  constructor(reason: ThreadErrorReason, message: string, code: string | null = null) {
    super(message)
    this.reason = reason
    this.code = code
  }
}

/** How often work is tried whose thread ends under it: more often, and the work is the cause. */
const triesMax = 5

/** Returns the result of `work`, which is repeated when a thread ends under it: only for work that may be. */
export async function repeatWhenLost<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isLost = error instanceof ThreadError && error.reason === 'lost'
      if (!isLost || tries === triesMax) throw error
    }
  }
}
