/**
 * Builds the executable: `bun build.ts [TARGET…]`, for this machine or for the targets named
 * (`bun-linux-x64`, `bun-linux-arm64`, `bun-darwin-arm64`, `bun-windows-x64` …).
 *
 * White space and syntax are minified, names are not: stack traces stay readable.
 */

const entrypoints = ['src/main.ts', 'src/feeds/writer-worker.ts', 'src/index/generation-worker.ts']

const targets = process.argv.slice(2)

for (const target of targets.length > 0 ? targets : [null]) {
  const outfile = target === null ? 'dist/weir' : `dist/weir-${target.replace(/^bun-/, '')}`
  const command = [process.execPath, 'build', '--compile', '--minify-whitespace', '--minify-syntax']
  if (target !== null) command.push(`--target=${target}`)
  const build = Bun.spawnSync([...command, ...entrypoints, '--outfile', outfile], {
    cwd: import.meta.dir,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if (build.exitCode !== 0) process.exit(build.exitCode)
  console.log(`built ${outfile}`)
}

export {}
