import pg from 'pg'
import { pino } from 'pino'
import { startEmbedded } from '../../src/db/embedded/embedded'

// Writes row after row and prints each number once it is acknowledged, until it is killed.
const database = await startEmbedded(
  process.env.DATA_DIR ?? '',
  pino({ level: process.env.LOG_LEVEL ?? 'silent' }),
)
const client = new pg.Client({ connectionString: database.url })
await client.connect()
await client.query('create table if not exists rows (n int primary key)')
const { rows } = await client.query<{ n: number }>('select n from rows order by n')
console.log(`found ${rows.length} ${rows.at(-1)?.n ?? 0}`)
for (let n = (rows.at(-1)?.n ?? 0) + 1; ; n++) {
  await client.query('insert into rows values ($1)', [n])
  console.log(`wrote ${n}`)
}
