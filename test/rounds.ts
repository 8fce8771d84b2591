/** How often a test repeats what is drawn at random: a few times in the suite, often in a trial. */

/** The setting that says how many rounds a trial runs (`bun run trials NAME ROUNDS`). */
export const roundsVariable = 'WEIR_TRIAL_ROUNDS'

const given = process.env[roundsVariable]

/** Returns the rounds of the trial that runs, or `few` in the suite. */
export function countRounds(few: 1 | 2 | 3): number {
  return given === undefined ? few : Number(given)
}

/** The number that everything random of a trial is drawn from; `SEED` repeats it. */
export const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

/** Returns how long a test of that many rounds may take on a slow machine. */
export function timeoutMs(rounds: number): number {
  return 60_000 + rounds * 20_000
}
