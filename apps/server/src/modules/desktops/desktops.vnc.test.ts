import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '@flotilla/contract/api'
import { DESKTOP_CLOSE, type DesktopMode } from '@flotilla/contract/desktops/desktops'
import { Console, type Person } from '../../../test/support/console/console'
import { until } from '../../../test/support/until'
import { VncViewer } from '../../../test/support/apps/vnc-viewer'
import { soakIt } from '../../../test/support/soak'

let server: Console
let machine: string
let ada: Person
let eve: Person
const viewers: VncViewer[] = []
beforeAll(async () => {
  server = await Console.start({ env: { LOG_LEVEL: 'debug' } })
  machine = await server.thisMachine()
  ada = await server.person('adalove')
  eve = await server.person('evelyn')
})
afterAll(async () => {
  for (const viewer of viewers) viewer.close()
  await server.stop()
})

const start = (as = ada.token, id = machine) => server.must(api.desktops.create, { id }, { token: as })
const ticketFor = async (id: string, as = ada.token, mode: DesktopMode = 'control', admin = false) =>
  (await server.must(api.desktops.ticket, { id, body: { mode } }, { token: as, admin })).ticket
const connect = async (ticket: string) => {
  const viewer = await VncViewer.open(server.url, ticket)
  viewers.push(viewer)
  return viewer
}
const open = async (id: string, as = ada.token, mode: DesktopMode = 'control', admin = false) => {
  const viewer = await connect(await ticketFor(id, as, mode, admin))
  return { viewer, screen: await viewer.begin() }
}
const nooneConnected = (id: string) =>
  until(async () => (await server.must(api.desktops.view, { id }, { token: ada.token })).viewers.length === 0)
/** Waits until a file in the user's home has the expected content, and returns it. */
const written = (path: string, wanted: RegExp) =>
  until(async () => {
    const { status, json } = await server.answer(
      api.files.readText,
      { cluster: machine, query: { path } },
      { token: ada.token },
    )
    return status === 200 && wanted.test(json.text) ? json.text : null
  })
/** Types repeatedly until the shell in the terminal window, which may still be starting, has executed the line. */
const typed = async (viewer: VncViewer, line: string, path: string, wanted = /./) => {
  const attempt = () => {
    viewer.click(200, 200)
    viewer.type(line)
  }
  const again = setInterval(attempt, 2000)
  attempt()
  try {
    return await written(path, wanted)
  } finally {
    clearInterval(again)
  }
}
const processes = (id: string) =>
  execFileSync('sh', ['-c', `grep -lsazx FLOTILLA_DESKTOP=${id} /proc/[0-9]*/environ || true`], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)

describe('a desktop', () => {
  soakIt('starts once, shows pixels, accepts keys and survives a crash of the console', async () => {
    const [{ id, url, expiresAt }, twin] = await Promise.all([start(), start()])
    expect(twin.id).toBe(id)
    expect(url).toBe(`${server.url}/clusters/${machine}/desktop`)
    expect(expiresAt).toBeGreaterThan(Date.now())
    const { viewer, screen } = await open(id)
    expect(screen).toMatchObject({ width: 1280, height: 800 })
    // The terminal window stands out from the empty screen.
    await until(async () => (await viewer.colors(screen)).size > 1)
    await typed(viewer, 'kept=alive; echo got $kept > typed', 'typed', /got alive/)

    await server.kill()
    await server.run()
    expect((await start()).id).toBe(id)
    const again = await open(id)
    expect(await typed(again.viewer, 'echo $kept > survived', 'survived')).toBe('alive\n')
    again.viewer.close()
    await nooneConnected(id)
  })

  it('opens once per ticket, and not for other users', async () => {
    const { id } = await start()
    const ticket = await ticketFor(id)
    const first = await connect(ticket)
    expect(first.handshake).toEqual({ ok: true, mode: 'control' })
    first.close()
    for (const wrong of [ticket, 'made-up', '']) {
      const refused = await connect(wrong)
      expect(refused.handshake).toEqual({ ok: false, message: 'This ticket has expired or was used already' })
      expect((await refused.closed).code).toBe(DESKTOP_CLOSE.ended)
    }
    const late = await ticketFor(id)
    await server.sql(`update desktop_tickets set expires_at = now()`, [])
    expect((await connect(late)).handshake.ok).toBe(false)

    const as = { token: eve.token }
    const refusals = await Promise.all([
      server.refused(api.desktops.view, { id }, as),
      server.refused(api.desktops.password, { id }, as),
      server.refused(api.desktops.ticket, { id, body: {} }, as),
      server.refused(api.desktops.end, { id }, as),
      server.refused(api.desktops.endViewer, { id, viewer: 'x' }, as),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(await server.must(api.desktops.list, {}, as)).toEqual([])
    // Even the owner cannot see the password if it is not needed to connect.
    expect((await server.refused(api.desktops.password, { id }, { token: ada.token })).status).toBe(403)
    const pupil = await server.participant('pupil')
    expect((await server.refused(api.desktops.create, { id: machine }, { token: pupil.token })).status).toBe(
      404,
    )
    await nooneConnected(id)
  })

  it('can be watched without sending input, and its owner sees and disconnects the viewer', async () => {
    const { id } = await start()
    const { viewer } = await open(id)
    const needsScope = await server.refused(api.desktops.ticket, { id, body: {} }, { token: server.admin })
    expect(needsScope).toMatchObject({ status: 403, code: 'admin_scope_needed' })
    const watcher = await open(id, server.admin, 'view', true)
    await until(async () => (await watcher.viewer.colors(watcher.screen)).size > 1)
    const { viewers: present } = await server.must(api.desktops.view, { id }, { token: ada.token })
    expect(present.map(({ mode }) => mode).toSorted()).toEqual(['control', 'view'])
    const watching = present.find(({ mode }) => mode === 'view')
    expect(watching?.name).not.toBe('Ada Lovelace')

    // Tries every message for keys, pointer, clipboard and size.
    watcher.viewer.click(200, 200)
    watcher.viewer.type('echo intruder > forbidden')
    watcher.viewer.send(Buffer.from([255, 0, 0, 1, 0, 0, 0, 0x78, 0, 0, 0, 0x2d]))
    watcher.viewer.send(Buffer.from([6, 0, 0, 0, 0, 0, 0, 1, 65]))
    watcher.viewer.send(Buffer.from([251, 0, 2, 0, 2, 0, 0, 0]))
    expect(await typed(viewer, 'ls > seen', 'seen')).not.toContain('forbidden')

    await server.must(api.desktops.endViewer, { id, viewer: watching?.id ?? '' }, { token: ada.token })
    expect(await watcher.viewer.closed).toEqual({
      code: DESKTOP_CLOSE.ended,
      reason: 'You were disconnected from this desktop',
    })
    const taken = await open(id, server.admin, 'control', true)
    expect(await typed(taken.viewer, 'echo helped > helped', 'helped')).toBe('helped\n')
    taken.viewer.close()
    await until(
      async () => (await server.must(api.desktops.view, { id }, { token: ada.token })).viewers.length === 1,
    )
    viewer.close()
  })

  it('ends its connections with the session, and all of its processes when it is ended', async () => {
    const { id } = await start()
    const { viewer } = await open(id)
    await typed(viewer, '(setsid sleep 4321 &) ; echo begun > begun', 'begun')
    expect(processes(id).length).toBeGreaterThan(2)
    await server.must(api.auth.logout, {}, { token: ada.token })
    expect(await viewer.closed).toEqual({ code: DESKTOP_CLOSE.ended, reason: 'Your session has ended' })
    ada.token = await server.login('adalove')
    const later = await open((await start()).id)
    await server.must(api.desktops.end, { id }, { token: ada.token })
    expect(await later.viewer.closed).toEqual({ code: DESKTOP_CLOSE.ended, reason: 'The desktop has ended' })
    await until(() => processes(id).length === 0)
    expect(await server.must(api.desktops.list, {}, { token: ada.token })).toEqual([])
    const next = await start()
    expect(next.id).not.toBe(id)
    // Logging out inside the desktop ends it too.
    const inside = await open(next.id)
    viewers.push(inside.viewer)
    const again = setInterval(() => {
      inside.viewer.click(200, 200)
      inside.viewer.type('pkill openbox')
    }, 1000)
    await inside.viewer.closed
    clearInterval(again)
    await until(async () => (await server.must(api.desktops.list, {}, { token: ada.token })).length === 0)
  })

  soakIt('requires its password if the site is configured so, and shows it only to the owner', async () => {
    const body = { vncTokenAuthentication: false, vncRemoteClient: true }
    await server.must(api.settings.setCluster, { body }, { token: server.admin, admin: true })
    const { id } = await start()
    const { password } = await server.must(api.desktops.password, { id }, { token: ada.token })
    expect(password).toMatch(/^[0-9a-z]{8}$/)
    const viewer = await connect(await ticketFor(id))
    await viewer.begin(password)
    const wrong = await connect(await ticketFor(id))
    await expect(wrong.begin('guessed')).rejects.toThrow('Wrong password')
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(password)
    expect(
      processes(id)
        .map((file) => execFileSync('cat', [file], { encoding: 'latin1' }))
        .join(),
    ).not.toContain(password)
    expect(server.out).not.toContain(password)
    // Users cannot log in to the console's own machine, so there is no tunnel.
    expect(await server.must(api.desktops.view, { id }, { token: ada.token })).toMatchObject({
      asksPassword: true,
      tunnel: null,
    })
    await server.must(api.users.remove, { body: { id: ada.id } }, { token: server.admin, admin: true })
    expect((await viewer.closed).code).toBe(DESKTOP_CLOSE.ended)
    await server.kill()
    await server.run()
    await until(() => processes(id).length === 0)
  })
})
