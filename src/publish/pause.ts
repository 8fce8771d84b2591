/** Lets others have the thread, between two pieces of long work. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
