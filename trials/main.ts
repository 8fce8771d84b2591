/**
 * Runs the trials: what takes long and is drawn at random, such as kills, histories and soaks, for as
 * many rounds as the caller likes.
 *
 * `bun run trials` lists them, `bun run trials kills` runs one, `bun run trials kills 200` for that many
 * rounds. The suite runs the same code for at most three rounds (`test/rounds.ts`); what is drawn comes
 * from a seed, which a failure names and `SEED` repeats.
 */

import { resolve } from 'node:path'
import { roundsVariable } from '../test/rounds.ts'

interface Trial {
  /** What a round is, and how many there are unless the caller says otherwise. */
  readonly round: string
  readonly rounds: number
  /** Resolves with whether all went well. */
  readonly run: (rounds: number) => Promise<boolean>
}

async function runBun(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: resolve(import.meta.dir, '..'),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return (await child.exited) === 0
}

/** Returns a trial that is a test of the suite, run for more rounds. */
function runTest(file: string, name = ''): Trial['run'] {
  const pattern = name === '' ? [] : ['--test-name-pattern', name]
  return (rounds) =>
    runBun(['test', '--timeout', '60000', ...pattern, file], { [roundsVariable]: String(rounds) })
}

/** Tests that draw histories with fast-check; the suite draws some dozens of short ones. */
const histories = [
  'test/store/model.test.ts',
  'test/publish/stix/export-laws.test.ts',
  'test/publish/lists/changes.test.ts',
]

const trials: Readonly<Record<string, Trial>> = {
  kills: {
    round: 'an import that is killed',
    rounds: 20,
    run: runTest('test/commands/crash.test.ts'),
  },
  restores: {
    round: 'a restore that is killed',
    rounds: 12,
    run: runTest('test/commands/backup.test.ts', 'killed at any moment'),
  },
  copies: {
    round: 'twelve writes, backups, restores and kills, followed by copies of the list',
    rounds: 25,
    run: runTest('test/commands/local-copy.test.ts'),
  },
  stream: {
    round: 'a fetch of a real list in the ten weeks of its changes, of which there are 44',
    rounds: 44,
    run: runTest('test/ingest/stream.test.ts'),
  },
  histories: {
    round: 'a random history that the store, the exports and the delta feed must survive, each',
    rounds: 1_000,
    run: (rounds) =>
      runBun(['test', '--timeout', '86400000', ...histories], { FUZZ_RUNS: String(rounds) }),
  },
  soak: {
    round: 'a minute of mixed load, with imports and rough clients',
    rounds: 10,
    run: (rounds) => runBun(['bench/soak.ts', '--minutes', String(rounds)]),
  },
  'real-data': {
    round: 'a tenth of the real lists',
    rounds: 10,
    run: runTest('test/real-data.test.ts'),
  },
  threads: {
    round: 'a kill of each thread at work',
    rounds: 200,
    run: runTest('test/threads/killing.test.ts'),
  },
}

function fail(message: string): never {
  console.error(`trials: ${message}`)
  process.exit(2)
}

const [name, given, ...more] = process.argv.slice(2)
if (name === undefined) {
  for (const [each, { round, rounds }] of Object.entries(trials)) {
    console.log(`${each.padEnd(12)}${String(rounds).padStart(6)} rounds; a round is ${round}`)
  }
  process.exit(0)
}
const trial = trials[name]
if (trial === undefined) fail(`no trial is named ${name}; name ${Object.keys(trials).join(', ')}`)
const rounds = Number(given ?? trial.rounds)
if (!Number.isSafeInteger(rounds) || rounds < 1 || more.length > 0) {
  fail('give the name of a trial and a number of rounds')
}
process.exit((await trial.run(rounds)) ? 0 : 1)
