// @ts-check
// A search through an output of one gigabyte, from the first call to the end of the file, compared with grep on the
// same file.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { api, median, print, startProduct } from './support/server.mjs'

const ROUNDS = 7
const LEAST = 0.5
const run = promisify(execFile)
const text = 'needleinhay'
// A block of typical output lines, ten times over, with the text to search for in the last line.
const script = `#!/bin/bash
seq -f "2026-11-17 09:00:00 step %.0f energy -1234.56 kcal/mol residual 31e-6 ok" 1 1300000 >part
for i in 1 2 3 4 5 6 7 8 9 10; do cat part; done
rm part
echo NeedleInHay
`

const dataDir = mkdtempSync(join(tmpdir(), 'flotilla-bench-'))
const product = await startProduct({ env: { DATA_DIR: dataDir } })
try {
  const { token } = await product.call(api.auth.login, { body: product.admin })
  let cluster
  while (!cluster) {
    const all = await product.call(api.clusters.list, {}, token)
    cluster = all.find(({ info }) => info.state === 'available')?.id
    if (!cluster) await pause(100)
  }
  const job = await product.call(api.jobs.create, { body: { name: 'bench', data: { script } } }, token)
  let submission = await product.call(api.jobs.submit, { body: { id: job.id, cluster } }, token)
  while (submission.endedAt === null) {
    await pause(200)
    submission = await product.call(api.jobs.submission, { id: submission.id }, token)
  }
  const found = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  const file = join(dataDir, found.find((name) => name.endsWith(`${submission.folder}/output.txt`)) ?? '')
  const at = { job: job.id, submission: submission.id, file: 'output.txt' }
  let size = 0

  const search = async () => {
    const matches = []
    for (let [from, line, done] = [0, 1, false]; !done;) {
      const reply = await product.call(api.jobs.searchOutput, { ...at, query: { text, from, line } }, token)
      matches.push(...reply.matches)
      ;[from, line, done, size] = [reply.next, reply.nextLine, reply.done, reply.size]
    }
    return matches.map((match) => `${match.line}:${match.text}\n`).join('')
  }
  const grep = async () => (await run('grep', ['-i', '-n', '-F', '-e', text, file])).stdout

  /** @type {{ ours: number[], grep: number[] }} */
  const times = { ours: [], grep: [] }
  const timed = async (/** @type {number[]} */ into, /** @type {() => Promise<string>} */ work) => {
    const begun = performance.now()
    const answer = await work()
    into.push(performance.now() - begun)
    return answer
  }
  for (let round = 0; round < ROUNDS; round++) {
    const [theirs, ours] = [await timed(times.grep, grep), await timed(times.ours, search)]
    if (theirs !== ours) throw new Error(`grep found ${theirs} and the search ${ours}`)
  }
  const ratio = median(times.grep) / median(times.ours)
  print({
    measure: `search through an output of ${(size / 1e9).toFixed(1)} GB (median of ${ROUNDS})`,
    value: Math.round(median(times.ours)),
    unit: 'ms',
    beside: `grep -i -n -F: ${Math.round(median(times.grep))} ms`,
    ratio: Number(ratio.toFixed(2)),
    goal: `ratio >= ${LEAST}`,
    ok: ratio >= LEAST,
  })
} finally {
  await product.stop()
}
