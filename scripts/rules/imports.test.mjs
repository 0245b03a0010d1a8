// @ts-check
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { checkImports, importsOf } from './imports.mjs'
import { modulesWithRooms } from './rooms.mjs'

/**
 * The violations in a small repository made of these files.
 * @param {Record<string, string>} files
 */
function violationsIn(files) {
  const base = mkdtempSync(join(tmpdir(), 'imports-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(base, name)), { recursive: true })
      writeFileSync(join(base, name), text)
    }
    return checkImports(base)
  } finally {
    rmSync(base, { recursive: true })
  }
}

test('a repository that follows the rules has no violation', () => {
  const violations = violationsIn({
    'packages/contract/src/users.ts': `import * as z from 'zod/mini'`,
    'packages/client/src/client.ts': `import type { User } from '@flotilla/contract/people/users'`,
    'apps/server/src/main.ts': `import { users } from './modules/users/users'\nimport './app'`,
    'apps/server/src/app.ts': `import { routes } from './modules/users/routes'`,
    'apps/server/src/fail.ts': '',
    'apps/server/src/db/database.ts': `import { Kysely } from 'kysely'\nimport { fail } from '../fail'`,
    'apps/server/src/engines/tofu.ts': `import { spawn } from 'node:child_process'`,
    'apps/server/src/modules/users/users.ts': `import * as store from './store'\nimport { sessions } from '../sessions/sessions'`,
    'apps/server/src/modules/users/users.test.ts': `import { buildApp } from '../../app'\nimport '../../../test/log'`,
    'e2e/playwright.config.ts': `import { parts } from './parts.mjs'`,
    'apps/server/src/modules/users/routes.ts': `import { users } from './users'`,
    'apps/server/src/modules/users/store.ts': `import { sql } from 'kysely'\ndb.selectFrom('users')`,
    'apps/server/src/modules/sessions/sessions.ts': `import { tofu } from '../../engines/tofu'`,
    'apps/server/src/modules/clusters/open.ts': `import { makeCloud } from './cloud/cloud'`,
    'apps/server/src/modules/clusters/cloud/cloud.ts': `import type { Clusters } from '../clusters'\nimport './deploy/steps'`,
    'apps/server/src/modules/clusters/cloud/deploy/steps.ts': `import * as store from '../../store'`,
    'apps/server/src/modules/clusters/clusters.ts': `import { connect } from './connection/connections'`,
    'apps/server/src/modules/clusters/connection/connections.ts': `import * as store from '../store'`,
    'apps/server/src/modules/clusters/connection/connections.test.ts': `import '../cloud/cloud'`,
    'apps/server/src/modules/clusters/store.ts': '',
    'apps/web/src/routes.tsx': `const page = lazy(() => import('./pages/users/list'))`,
    'apps/web/src/pages/users/list.tsx': `import { User } from '@flotilla/contract/people/users'\nimport { Table } from '../../table/table'`,
    'apps/web/src/table/table.tsx': `import { Button } from '../ui/button'`,
    'apps/web/src/api/call.ts': `import { call } from '@flotilla/client/client'`,
    'apps/web/src/ui/button.tsx': `import { cx } from './cx'\nimport { messages } from '@flotilla/contract/messages'`,
    'apps/web/src/ui/cx.ts': '',
  })
  assert.deepEqual(violations, [])
})

/** @type {{ what: string, files: Record<string, string>, says: RegExp }[]} */
const wrongs = [
  {
    what: 'a module’s rooms are missing from the table',
    files: {
      'apps/server/src/modules/mail/mail.ts': `import { send } from './sending/send'`,
      'apps/server/src/modules/mail/sending/send.ts': '',
    },
    says: /mail\.ts:1 imports .*send\.ts, but apps\/server\/src\/modules\/mail has rooms that have no place in the table/,
  },
  {
    what: 'the contract imports more than zod',
    files: { 'packages/contract/src/users.ts': `import { readFile } from 'node:fs'` },
    says: /users\.ts:1 imports node:fs, but may import only zod/,
  },
  {
    what: 'the contract imports the client',
    files: {
      'packages/contract/src/users.ts': `import { connect } from '@flotilla/client/client'`,
      'packages/client/src/client.ts': '',
    },
    says: /users\.ts:1 imports packages\/client\/src\/client\.ts, but crosses between server and web/,
  },
  {
    what: 'the web imports the server by path',
    files: {
      'apps/web/src/api/call.ts': `\nimport type { App } from '../../../server/src/app'`,
      'apps/server/src/app.ts': '',
    },
    says: /call\.ts:2 imports apps\/server\/src\/app\.ts, but crosses between server and web/,
  },
  {
    what: 'the server imports the web by name',
    files: { 'apps/server/src/app.ts': `import x from '@flotilla/web/main'` },
    says: /crosses between server and web/,
  },
  {
    what: 'an engine imports a module, even if only for a type',
    files: {
      'apps/server/src/engines/tofu.ts': `import type { Cluster } from '../modules/clusters/clusters'`,
      'apps/server/src/modules/clusters/clusters.ts': '',
    },
    says: /tofu\.ts:1 imports .*clusters\.ts, but may import only engines, files/,
  },
  {
    what: 'http imports a module',
    files: { 'apps/server/src/http/bind.ts': `import('../modules/users/users')` },
    says: /bind\.ts:1 .* may import only http/,
  },
  {
    what: 'a module bypasses the entry points of another',
    files: { 'apps/server/src/modules/users/users.ts': `import {\n  find,\n} from '../sessions/store'` },
    says: /users\.ts:3 .* only through sessions\/sessions\.ts/,
  },
  {
    what: 'a room of a module imports one above it',
    files: {
      'apps/server/src/modules/clusters/connection/connections.ts': `import type { Clusters } from '../clusters'`,
      'apps/server/src/modules/clusters/clusters.ts': '',
    },
    says: /connections\.ts:1 .* may import only connection, ground, commands, accounts/,
  },
  {
    what: 'the ground of a module imports a room',
    files: {
      'apps/server/src/modules/clusters/store.ts': `import { wait } from './cloud/machines/machines'`,
      'apps/server/src/modules/clusters/cloud/machines/machines.ts': '',
    },
    says: /store\.ts:1 .* may import only ground/,
  },
  {
    what: 'a room of a module is missing from the table',
    files: {
      'apps/server/src/modules/clusters/cloud/more/a.ts': `import * as store from '../../store'`,
      'apps/server/src/modules/clusters/store.ts': '',
    },
    says: /cloud\/more is missing from the table/,
  },
  {
    what: 'the rules of a module import the query builder',
    files: { 'apps/server/src/modules/users/users.ts': `import { sql } from 'kysely'` },
    says: /may not contain SQL/,
  },
  {
    what: 'the rules of a module build a query with a passed-in builder',
    files: { 'apps/server/src/modules/users/users.ts': `db.kysely.selectFrom('users')` },
    says: /builds SQL/,
  },
  {
    what: 'a page imports another page',
    files: { 'apps/web/src/pages/users/list.tsx': `import { JobRow } from '../jobs/row'` },
    says: /may not import its sibling jobs/,
  },
  {
    what: 'ui imports the table',
    files: { 'apps/web/src/ui/button.tsx': `export { Table } from '../table/table'` },
    says: /button\.tsx:1 .* may import only ui/,
  },
  {
    what: 'the web uses Node',
    files: { 'apps/web/src/api/call.ts': `import { join } from 'node:path'` },
    says: /runs in a browser/,
  },
  {
    what: 'a folder is missing from the table',
    files: { 'apps/server/src/helpers/a.ts': `import './b'`, 'apps/server/src/helpers/b.ts': '' },
    says: /apps\/server\/src\/helpers\/ is missing from the table/,
  },
  {
    what: 'the product imports a test',
    files: { 'apps/server/src/app.ts': `import './app.test'`, 'apps/server/src/app.test.ts': '' },
    says: /is not a test, but imports one/,
  },
  {
    what: 'imports form a cycle',
    files: {
      'apps/web/src/ui/a.ts': `import { b } from './b'`,
      'apps/web/src/ui/b.ts': `import { c } from './c'`,
      'apps/web/src/ui/c.ts': `import { a } from './a'`,
    },
    says: /a cycle: apps\/web\/src\/ui\/a\.ts -> .*b\.ts -> .*c\.ts -> apps\/web\/src\/ui\/a\.ts/,
  },
]

for (const { what, files, says } of wrongs) {
  test(`one violation is reported when ${what}`, () => {
    const violations = violationsIn(files)
    assert.equal(violations.length, 1, violations.join('\n'))
    assert.match(violations[0] ?? '', says)
  })
}

test('each room may import only rooms that are listed before it', () => {
  for (const { rooms } of Object.values(modulesWithRooms)) {
    const names = Object.keys(rooms)
    for (const [at, room] of names.entries())
      for (const below of rooms[room] ?? [])
        assert.ok(names.slice(0, at).includes(below), `${room}: ${below}`)
  }
})

test('imports are read from text as a compiler would', () => {
  const text = `
    // import { no } from './comment'
    /* import { no } from './block' */
    import one from './one'
    import type { Two } from './two'
    import {
      three, // don't stumble over this
    } from "./three"
    import './four.css'
    export * from './five'
    export { six as seis } from './six'
    const url = 'https://example.org' // import('./no')
    const seven = () => import('./seven')
    type Eight = import('./eight').Eight
    export const text = "import no from './string'"
  `
  const found = importsOf(text).map((one) => one.target)
  const names = ['one', 'two', 'three', 'four.css', 'five', 'six', 'seven', 'eight']
  assert.deepEqual(
    found,
    names.map((name) => `./${name}`),
  )
})
