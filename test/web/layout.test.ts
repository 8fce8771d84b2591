/** Lays the pages out in Chromium: nothing is wider than the window, on a phone and on a desk. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeWith, program } from '../needs.ts'
import { readPages } from './read-page.ts'

const pages = await readPages()
const widths = [320, 1280] as const
const profile = mkdtempSync(join(tmpdir(), 'weir-chromium-'))

/**
 * Shows every page in a frame of each width, and writes into the title of each frame whether it fits. The
 * pages themselves run no script: this one measures them from outside.
 */
const measuring = `<!doctype html><title>measuring</title><script>
const fits = (frame) => {
  const root = frame.contentDocument.documentElement
  const text = frame.contentDocument.querySelector('h1').getBoundingClientRect()
  return root.scrollWidth <= frame.clientWidth && text.width > 0
}
const open = (path, width) => {
  const frame = document.createElement('iframe')
  frame.style = 'border: 0; height: 800px; width: ' + width + 'px'
  const done = new Promise((resolve) => { frame.onload = resolve })
  frame.src = path
  document.body.append(frame)
  return done.then(() => path + ' ' + width + ' ' + fits(frame))
}
onload = async () => {
  const all = ${JSON.stringify([...pages.keys()])}.flatMap((path) => ${JSON.stringify(widths)}.map((width) => open(path, width)))
  document.body.innerText = (await Promise.all(all)).join('\\n')
}
</script><body></body>`

let server: Bun.Server<undefined>
beforeAll(() => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const text = pages.get(new URL(request.url).pathname)?.html ?? measuring
      return new Response(text, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  })
})
afterAll(async () => {
  await server.stop(true)
  rmSync(profile, { recursive: true, force: true })
})

describeWith(program('chromium'))('the layout', () => {
  test('has no page that is wider than its window', async () => {
    const options = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
    ]
    const rest = [`--user-data-dir=${profile}`, '--virtual-time-budget=10000', '--dump-dom']
    const child = Bun.spawn(['chromium', ...options, ...rest, server.url.href], {
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const dom = await child.stdout.text()
    const measured = [...dom.matchAll(/(\/docs[\w/-]*) (\d+) (true|false)/g)]
    expect(measured).toHaveLength(pages.size * widths.length)
    expect(measured.filter(([, , , fits]) => fits === 'false').map(([line]) => line)).toEqual([])
  })
})
