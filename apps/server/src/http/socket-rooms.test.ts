import { api } from '@flotilla/contract/api'
import { expect, it, onTestFinished } from 'vitest'
import { newDatabase } from '../../test/support/database/database'
import { holdTransactions } from '../../test/support/database/held-transactions'
import { listenAs, testServer } from '../../test/support/app/server'
import { until } from '../../test/support/until'

it('a socket counts as connected only once it receives every change', async () => {
  const database = await newDatabase()
  onTestFinished(() => database.drop())
  const server = await testServer({}, { databaseUrl: database.url })
  onTestFinished(() => server.stop())
  const ada = await server.person('adalove', ['user'])
  const held = await holdTransactions(database.url, 'clusters in access exclusive mode')
  let connected = false
  const opened = listenAs(server.url, ada.token).then((listener) => {
    connected = true
    return listener
  })
  // The server queries the clusters that she may see.
  await held.waiting(1)
  await server.must(api.license.view, {})
  expect(connected).toBe(false)
  await held.release()
  const { socket, received } = await opened
  onTestFinished(() => void socket.disconnect())
  const admin = await server.login('admin')
  await server.must(
    api.users.update,
    { body: { id: ada.id, firstName: 'Ada' } },
    { token: admin, admin: true },
  )
  await until(() => received.some(({ data }) => data.changed === 'users'))
})
