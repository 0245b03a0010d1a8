import { api } from '@flotilla/contract/api'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSshd, type TestSshd } from '../apps/server/test/support/machines/sshd'
import { installTorque, type ReplayedTorque } from '../apps/server/test/support/schedulers/torque/install'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, openLive } from './support/people'
import { inspect } from './support/screen'
import { startServer, type Server } from './support/server'

let folder: string
let sshd: TestSshd
let torque: ReplayedTorque
let server: Server
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-e2e-torque-'))
  ;[sshd, torque, server] = await Promise.all([startSshd(), installTorque(folder), startServer()])
})
test.afterAll(async () => {
  await server.stop()
  await sshd.remove()
  await rm(folder, { recursive: true, force: true })
})

test(
  'a reinstalled head node is trusted again after comparing its host key',
  { tag: SOAK },
  async ({ page, picture }) => {
    const token = await adminToken(server)
    const head = {
      host: '127.0.0.1',
      port: sshd.port,
      username: sshd.username,
      key: 'given' as const,
      privateKey: sshd.privateKey,
      binFolder: torque.bin,
    }
    const { id } = await call(
      server,
      api.clusters.createLocal,
      { body: { name: 'Far', data: { manager: 'torque', transport: 'ssh', head } } },
      token,
    )
    await call(server, api.clusters.deploy, { body: { id } }, token)
    const trusted = async () => {
      const { data } = await call(server, api.clusters.view, { id }, token)
      return ('hostKey' in data && data.hostKey) || ''
    }

    await openLive(page, server, server.admin, `/clusters/${id}/connection`)
    const main = page.getByRole('main')
    await expect(main.getByText('Available', { exact: true }).first()).toBeVisible()
    const before = await trusted()
    await expect(main.getByText(before)).toBeVisible()
    await page.getByRole('button', { name: 'Compare' }).click()
    const same = page.getByRole('dialog', { name: '127.0.0.1 presents the trusted key' })
    await expect(same.getByText(before)).toHaveCount(2)
    await expect(same.getByRole('button', { name: 'Accept the new key' })).toHaveCount(0)
    await same.getByRole('button', { name: 'Close', exact: true }).click()

    await sshd.changeHostKey()
    await expect(main.getByText(/127\.0\.0\.1 has changed/)).toBeVisible()
    await page.getByRole('button', { name: 'Compare' }).click()
    const other = page.getByRole('dialog', { name: '127.0.0.1 presents a different key' })
    await expect(other.getByRole('definition')).toHaveText([before, /^SHA256:/])
    const after = (await other.getByRole('definition').last().textContent()) ?? ''
    expect(after).not.toBe(before)
    await inspect(page, picture, 'cluster-host-key', ['desk'])
    await other.getByRole('button', { name: 'Keep the old key' }).click()
    await expect(other).toHaveCount(0)
    expect(await trusted()).toBe(before)

    await page.getByRole('button', { name: 'Compare' }).click()
    await other.getByRole('button', { name: 'Accept the new key' }).click()
    await expect(page.getByText('Host key accepted')).toBeVisible()
    await expect(main.getByText(after, { exact: true })).toBeVisible()
    await expect(main.getByText(/host key of .* has changed/)).toHaveCount(0)
    expect(await trusted()).toBe(after)
    await page.getByRole('navigation', { name: 'Far' }).getByRole('link', { name: 'Activities' }).click()
    await expect(page.getByRole('row', { name: /host key accepted/i })).toContainText(after)
  },
)
