// @ts-check
// The baseline of the API benchmark: Fastify with the same pool and the same query, and nothing else.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../../scripts/running/child.mjs'

// Resolved from the server's folder, where its packages are.
const require = createRequire(join(root, 'apps/server/package.json'))
const { default: fastify } = await import(require.resolve('fastify'))
const { default: pg } = await import(require.resolve('pg'))

const { DATABASE_URL, USER_ID, PORT } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 })
const app = fastify()
app.get('/sessions', async () => {
  const { rows } = await pool.query(
    'select * from "sessions" where "user_id" = $1 order by "last_active_at" desc',
    [USER_ID],
  )
  return rows.map((/** @type {any} */ row) => ({
    id: row.id,
    current: false,
    createdAt: row.created_at.getTime(),
    lastActiveAt: row.last_active_at.getTime(),
    address: row.address,
    browser: row.browser,
  }))
})
await app.listen({ host: '127.0.0.1', port: Number(PORT) })
