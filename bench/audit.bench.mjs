// @ts-check
// The audit trail with 1,000,000 records: how long a verification and searches take.
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { root } from '../scripts/running/child.mjs'
import { api, median, print, startProduct } from './support/server.mjs'
import { loadAudit } from './support/typescript.mjs'

const RECORDS = Number(process.env.RECORDS ?? 1_000_000)
const BATCH = 10_000
const ROUNDS = 7
const VERIFY_GOAL_S = 30
const SEARCH_GOAL_MS = 300
const DAY_MS = 86_400_000

const dataDir = mkdtempSync(join(tmpdir(), 'flotilla-bench-audit-'))
const program = join(root, 'apps/server/dist/cli/audit.js')

/** Verifies like an operator. @returns {Promise<{ seconds: number, records: number, problem: object | null }>} */
function verify() {
  const begun = performance.now()
  const child = spawn(process.execPath, [program, 'verify', '--json'], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve({ seconds: (performance.now() - begun) / 1000, ...JSON.parse(output) }))
  })
}

/** Inserts two months of a busy site, signed as the server does. @param {pg.Client} client */
async function fill(client) {
  const { makeSign, signed, openMasterKey } = await loadAudit()
  const secrets = await openMasterKey(join(dataDir, 'master.key'))
  const { rows } = await client.query('select sealed_key from audit_state')
  const sign = makeSign(secrets.open(rows[0].sealed_key, 'audit-key'))
  const begin = Date.now() - 60 * DAY_MS
  for (let done = 0; done < RECORDS; done += BATCH) {
    const records = Array.from({ length: BATCH }, (_, index) => {
      const number = done + index
      const rare = number % 50_000 === 0
      return signed(
        {
          time: new Date(begin + Math.floor((number / RECORDS) * 60 * DAY_MS)),
          actor_id: `user${number % 400}`,
          actor: `user${number % 400}`,
          action: rare ? 'user updated' : 'job submitted',
          subject_kind: rare ? 'user' : 'job',
          subject_id: rare ? 'rare' : `job${number % 20_000}`,
          subject: rare ? 'user rare' : `job simulation ${number % 20_000}`,
          detail: 'cluster-a',
          changes: rare
            ? JSON.stringify([{ field: 'role', before: ['user'], after: ['user', 'admin'] }])
            : null,
          address: '192.0.2.17',
          request_id: `request${number}`,
          session_id: `session${number % 1000}`,
          token_id: null,
          cluster_id: `cluster${number % 5}`,
        },
        sign,
      )
    })
    const columns = Object.keys(records[0] ?? {}).join()
    await client.query(
      `insert into activities (${columns}) select ${columns} from json_populate_recordset(null::activities, $1)`,
      [JSON.stringify(records)],
    )
  }
  await client.query('analyze activities')
}

const product = await startProduct({ env: { DATA_DIR: dataDir } })
const client = new pg.Client(product.databaseUrl())
try {
  await client.connect()
  await fill(client)
  const begun = performance.now()
  for (;;) {
    const { rows } = await client.query('select position from audit_state')
    if (Number(rows[0].position) >= RECORDS) break
    await pause(1000)
  }
  const chained = (performance.now() - begun) / 1000
  await client.query('analyze audit_chain')

  const { seconds, records, problem } = await verify()
  if (problem || records < RECORDS) throw new Error(`Not verified: ${JSON.stringify({ records, problem })}`)
  print({
    measure: `npm run audit -- verify, ${records.toLocaleString('en')} records`,
    value: Number(seconds.toFixed(1)),
    unit: 's',
    beside: `they were chained within ${Math.round(chained)} s`,
    goal: `<= ${VERIFY_GOAL_S} s`,
    ok: seconds <= VERIFY_GOAL_S,
  })

  const { token } = await product.call(api.auth.login, { body: product.admin })
  const month = { from: Date.now() - 45 * DAY_MS, to: Date.now() - 44 * DAY_MS }
  /** @type {Record<string, import('@flotilla/contract/endpoint').Sent<typeof api.activities.list>['query']>} */
  const searches = {
    newest: {},
    'by person': { person: 'user17' },
    'by a person who did nothing': { person: 'nobody' },
    'by a rare action': { action: 'user updated' },
    'by a frequent action on one day': { action: 'job submitted', ...month },
    'by subject': { subject: 'simulation 4711' },
    'by subject id': { subjectId: 'job4711' },
    'by person, action and day': { person: 'user17', action: 'job submitted', ...month },
  }
  for (const [name, query] of Object.entries(searches)) {
    const times = []
    for (let round = 0; round < ROUNDS; round++) {
      const sentAt = performance.now()
      await product.call(api.activities.list, { query: { ...query, limit: 100 } }, token)
      times.push(performance.now() - sentAt)
    }
    print({
      measure: `audit search ${name} (median of ${ROUNDS})`,
      value: Math.round(median(times)),
      unit: 'ms',
      goal: `<= ${SEARCH_GOAL_MS} ms`,
      ok: median(times) <= SEARCH_GOAL_MS,
    })
  }
} finally {
  await client.end()
  await product.stop()
}
