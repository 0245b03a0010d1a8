import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../db/database'
import { migrate } from '../../db/migrate'
import { migrations } from '../../db/migrations/index'
import type { AuditSource } from '../../http/caller'
import { testSystem } from '../../../test/support/app/audit'
import { databaseOfTest } from '../../../test/support/database/database'
import { testLog } from '../../../test/support/log'
import { record } from './activities'
import { makeChain } from './chain'
import { headText, linkText, makeSign, recordText } from './records'
import * as store from './store'
import { makeVerification } from './verification'
import { verifyTrail } from './verify'

const audit = migrations.findIndex(({ name }) => name === 'audit')

async function trailOn(db: Database) {
  const sign = makeSign(randomBytes(32))
  await store.signatureKey(db.kysely, (head) => ({ sealed_key: 'sealed', signature: sign(headText(head)) }))
  const system: AuditSource = { ...testSystem, sign }
  const { log, lines } = testLog()
  const chain = makeChain({ db, sign, log, now: Date.now })
  return {
    system,
    log,
    lines,
    catchUp: chain.catchUp,
    write: (name: string) =>
      db.transaction((tx) =>
        record(tx, null, system, { action: 'user updated', subject: { kind: 'user', id: name, name } }),
      ),
    verify: async () => (await verifyTrail(db, sign)).problem,
    all: () => verifyTrail(db, sign),
  }
}

const triggers = (what: 'enable' | 'disable') =>
  ['activities', 'audit_chain'].map((table) => `alter table ${table} ${what} trigger user`).join(';')
/** Runs statements as the database administrator, with the protection against changes disabled. */
async function byHand(db: Database, ...statements: string[]): Promise<void> {
  const client = new pg.Client(db.url)
  await client.connect()
  try {
    await client.query('grant all on activities, audit_chain to current_user')
    await client.query(triggers('disable'))
    for (const statement of statements) await client.query(statement)
    await client.query(triggers('enable'))
  } finally {
    await client.end()
  }
}

const copied = `time, actor_id, actor, action, subject_kind, subject_id, subject, detail, changes, address, request_id,
  session_id, token_id, cluster_id`

describe('an audit trail of six chained records', () => {
  let db: Database
  let trail: Awaited<ReturnType<typeof trailOn>>
  beforeEach(async () => {
    db = await databaseOfTest()
    trail = await trailOn(db)
    for (const name of ['ada', 'bea', 'cid', 'dot', 'eve', 'fay']) await trail.write(name)
    await trail.catchUp()
  })

  it('is intact, and so is a record that is not chained yet', async () => {
    await trail.write('gus')
    expect(await trail.all()).toMatchObject({ records: 6, pending: 1, head: { position: 6 }, problem: null })
    await trail.catchUp()
    expect(await trail.all()).toMatchObject({ records: 7, pending: 0, problem: null })
  })

  it.each([
    ['actor', `update activities set actor = 'mallory' where id = 3`],
    ['time', `update activities set time = time + interval '1 microsecond' where id = 3`],
    ['subject', `update activities set subject_id = 'other' where id = 3`],
    [
      'boundary between action and subject',
      `update activities set action = 'user', subject = 'updated user cid' where id = 3`,
    ],
    ['signature', `update activities set entry = null, signature = null where id = 3`],
  ])('names a record whose %s was changed', async (_field, statement) => {
    await byHand(db, statement)
    expect(await trail.verify()).toMatchObject({ record: '3', text: expect.stringContaining('Record 3') })
  })

  it('names a record that was removed', async () => {
    await byHand(db, 'delete from activities where id = 4')
    expect(await trail.verify()).toEqual({ record: '4', text: 'Record 4 was removed' })
  })

  it('names the record after one that was removed together with its link', async () => {
    await byHand(db, 'delete from activities where id = 4', 'delete from audit_chain where activity_id = 4')
    expect(await trail.verify()).toMatchObject({
      record: '5',
      text: expect.stringContaining('at position 4'),
    })
    // Renumbering the later links does not hide the removal.
    await byHand(
      db,
      'update audit_chain set position = position - 1 + 100 where position > 4',
      'update audit_chain set position = position - 100 where position > 100',
    )
    expect(await trail.verify()).toMatchObject({ record: '5', text: expect.stringContaining('moved') })
  })

  it('reports that the last records were removed with their links', async () => {
    const last = ['delete from activities where id > 4', 'delete from audit_chain where activity_id > 4']
    await byHand(db, ...last)
    expect((await trail.verify())?.text).toContain('The last 2 records of the chain were removed')
    await byHand(
      db,
      `update audit_state set position = 4, hash = (select hash from audit_chain where position = 4)`,
    )
    expect((await trail.verify())?.text).toContain('The recorded end of the chain was changed')
    // Nothing is appended to a chain whose end was changed, because that would hide the removal.
    await trail.write('gus')
    await trail.catchUp()
    expect(trail.lines()).toContain('changed by hand')
  })

  it("names an inserted record: without a signature, with another record's signature, or with its entry", async () => {
    await byHand(db, `insert into activities (${copied}) select ${copied} from activities where id = 2`)
    await trail.catchUp()
    const inserted = { record: '7', text: expect.stringContaining('no server signed it') }
    expect(await trail.verify()).toMatchObject(inserted)
    await byHand(
      db,
      'delete from activities where id = 7',
      `insert into activities (${copied}, entry, signature) select ${copied}, 'made-up', signature from activities where id = 2`,
    )
    await trail.catchUp()
    expect(await trail.verify()).toMatchObject({ record: '8' })
    // The unique index refuses an exact copy.
    const copy = `insert into activities (${copied}, entry, signature) select ${copied}, entry, signature from activities where id = 2`
    await expect(byHand(db, copy)).rejects.toThrow('activities_by_entry')
    await byHand(db, 'delete from activities where id = 8', 'drop index activities_by_entry', copy)
    expect((await trail.verify())?.text).toContain('activities_by_entry was removed or disabled')
  })

  it('names a record that was inserted in the middle of the chain, with a link', async () => {
    await byHand(
      db,
      `insert into activities (id, ${copied}, entry, signature) overriding system value
         select 100, ${copied}, 'made-up', signature from activities where id = 2`,
      'update audit_chain set position = position + 100 where position > 3',
      'update audit_chain set position = position - 99 where position > 100',
      `insert into audit_chain select 4, 100, hash from audit_chain where position = 3`,
    )
    expect(await trail.verify()).toEqual({ record: '100', text: 'Record 100 was changed' })
  })

  it('names the first of the records that were reordered', async () => {
    await byHand(
      db,
      'alter table activities alter id drop identity',
      'update activities set id = 99 where id = 3',
      'update activities set id = 3 where id = 5',
      'update activities set id = 5 where id = 99',
    )
    expect(await trail.verify()).toMatchObject({
      record: '3',
      text: expect.stringContaining('Record 3 was moved'),
    })
  })

  it('names the first of two records whose links were swapped', async () => {
    await byHand(
      db,
      'update audit_chain set activity_id = 99 where position = 2',
      'update audit_chain set activity_id = 2 where position = 6',
      'update audit_chain set activity_id = 6 where position = 2',
    )
    expect(await trail.verify()).toMatchObject({ record: '6', text: expect.stringContaining('position 2') })
  })

  it.each(['update activities set actor = null', 'delete from activities', 'truncate activities'])(
    'refuses this statement by the application: %s',
    async (statement) => {
      await expect(db.pool.query(statement)).rejects.toThrow(/can only be added to|permission denied/)
      const chain = statement.replace('activities', 'audit_chain').replace('actor = null', 'hash = hash')
      await expect(db.pool.query(chain)).rejects.toThrow(/can only be added to|permission denied/)
    },
  )

  it('reports that a protection against changes was removed', async () => {
    await byHand(db, 'drop trigger activities_append_only on activities')
    expect((await trail.verify())?.text).toContain('activities_append_only was removed or disabled')
  })

  it('stores the result of the daily verification, and records a failure once', async () => {
    const verification = makeVerification({ db, system: trail.system, log: trail.log, now: () => 5 })
    await verification.run()
    expect(await verification.last()).toEqual({ checkedAt: 5, records: 6, problem: null })
    expect(trail.lines()).toContain('the audit trail is intact')
    await byHand(db, `update activities set detail = 'nothing' where id = 2`)
    await verification.run()
    await verification.run()
    expect(await verification.last()).toMatchObject({ records: 1, problem: { record: '2' } })
    const failures = await store.search(db.kysely, { action: 'audit verification failed' }, 10, undefined)
    expect(failures.map(({ detail }) => detail)).toEqual(['Record 2 was changed (1 record before it intact)'])
  })
})

it('a column that a later version adds does not invalidate earlier records', () => {
  const link = (content: string) => linkText('', 1, 1, { signature: null, content })
  expect(link('["a", null, "b", null, null]')).toBe(link('["a", null, "b"]'))
  expect(link('["a", "b, null"]')).not.toBe(link('["a", "b"]'))
  expect(recordText(['a', null, 'b', null])).toBe(recordText(['a', null, 'b']))
})

it('servers that chain records concurrently build one chain', async () => {
  const db = await databaseOfTest()
  const trail = await trailOn(db)
  const others = Array.from({ length: 3 }, () =>
    makeChain({ db, sign: trail.system.sign, log: trail.log, now: Date.now }),
  )
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      await trail.write(`user${index}`)
      await others[index % 3]?.catchUp()
    }),
  )
  await trail.catchUp()
  expect(await trail.all()).toMatchObject({ records: 30, pending: 0, problem: null })
})

it('records from before signatures are chained as they are and protected from then on', async () => {
  const db = await databaseOfTest({ bare: true })
  await migrate(db, migrations.slice(0, audit))
  await db.pool.query(`insert into activities (time, actor, action, subject, detail)
    select now(), 'ada', 'created', 'cluster ' || n, '' from generate_series(1, 5) n; delete from activities where id = 2`)
  await migrate(db, migrations)
  const trail = await trailOn(db)
  expect(await trail.all()).toMatchObject({ records: 0, pending: 4, problem: null })
  await trail.catchUp()
  await trail.write('bea')
  await trail.catchUp()
  expect(await trail.all()).toMatchObject({ records: 5, pending: 0, problem: null })

  // A later record without a signature is not accepted, even with an ID among the old ones.
  const late = `insert into activities (id, time, actor, action, subject, detail) overriding system value
    values (2, now(), 'ada', 'created', 'cluster 2', '')`
  await byHand(db, late)
  await trail.catchUp()
  expect(await trail.verify()).toMatchObject({ record: '2' })
  await byHand(db, `update activities set subject = 'cluster x' where id = 4`)
  expect(await trail.verify()).toMatchObject({
    record: '4',
    text: expect.stringContaining('Record 4 was changed'),
  })
})
