import { terminals } from '@flotilla/contract/clusters/terminal'
import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BrowserSocket, follow, followedText } from '../../../test/support/console/browser-socket'
import { Console, type Person } from '../../../test/support/console/console'
import { until } from '../../../test/support/until'

let server: Console
let machine: string
let ada: Person
const browsers: BrowserSocket[] = []
beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
  ada = await server.person('adalove')
})
afterAll(async () => {
  for (const { socket } of browsers) socket.disconnect()
  await server.stop()
})
const browse = async (token = ada.token) => {
  const opened = await BrowserSocket.open(server.url, token)
  browsers.push(opened)
  return opened
}

describe('a terminal', () => {
  it("runs a shell as the user's own account, can be resized, and is recorded in the audit trail", async () => {
    const browser = await browse()
    const terminal = await browser.terminal(machine)
    expect(await browser.type(terminal, 'echo "I am $USER in $PWD"', /I am adalove in \S+/)).toMatch(
      /homes\/adalove-\d+$/,
    )
    // The name is also shown in a nested shell and in a prompt set by the user.
    const prompt = /adalove@this-machine:~\$ /
    await until(() => prompt.test(browser.written(terminal)))
    expect(browser.written(terminal)).not.toContain('I have no name')
    await browser.type(terminal, "PS1='<\\u on \\h> '", /<adalove on this-machine> /)
    await browser.type(terminal, 'mkdir -p deep; cd deep; bash', /adalove@this-machine:~\/deep\$ /)
    await browser.type(terminal, 'exit; cd', /<adalove on this-machine> $/)
    expect(await browser.type(terminal, 'stty size; echo "after"', /24 80/)).toBeTruthy()
    await browser.call(terminals.resize, { terminal, cols: 132, rows: 50 })
    await until(async () => {
      await browser.call(terminals.input, { terminal, data: 'stty size\n' })
      return /50 132/.test(browser.written(terminal))
    })
    await browser.type(terminal, 'echo "Ääkkö"sEt 🐧', /ÄäkkösEt 🐧/)
    const activities = await server.must(api.clusters.activities, { id: machine }, { token: server.admin })
    expect(activities[0]).toMatchObject({ actor: 'adalove', action: 'terminal opened', detail: 'as adalove' })
    await browser.call(terminals.input, { terminal, data: 'exit\n' })
    await until(() => browser.of('terminalEnd').length === 1)
    expect(browser.of('terminalEnd')[0]).toMatchObject({ terminal, reason: 'The shell has ended' })
    expect((await browser.call(terminals.input, { terminal, data: 'x' })).ok).toBe(false)
  })

  it('survives a lost connection and shows the output written in the meantime', async () => {
    const first = await browse()
    const terminal = await first.terminal(machine)
    await first.type(terminal, 'here=kept; echo "ready"1', /ready1/)
    await first.call(terminals.input, { terminal, data: 'sleep 0.5; echo "mean"while\n' })
    first.socket.disconnect()
    const second = await browse()
    expect(await second.terminal(machine, terminal)).toBe(terminal)
    await until(() => /meanwhile/.test(second.written(terminal)))
    await second.type(terminal, 'echo "it is $here"', /it is kept/)
    // Closing an old connection late does not affect the connection that took over.
    const third = await browse()
    await third.terminal(machine, terminal)
    await until(() => second.of('terminalEnd').length === 1)
    second.socket.disconnect()
    await third.type(terminal, 'echo "still $here"', /still kept/)
    await third.call(terminals.close, { terminal })
    await until(() => third.of('terminalEnd').length === 1)
  })

  it('supports job control: a command can be stopped and resumed', async () => {
    const browser = await browse()
    const terminal = await browser.terminal(machine)
    const type = (data: string) => browser.call(terminals.input, { terminal, data })
    const shows = (text: RegExp) => until(() => text.test(browser.written(terminal)))
    // The word is split, so that the echo of the typed text does not match the output.
    await type(`sh -c 'echo go"ing"; exec sleep 601'\n`)
    await shows(/going/)
    await type('\u001a')
    await shows(/Stopped/)
    await type('bg; jobs; kill %1; wait; echo "all" over\n')
    await shows(/all over/)
    expect(browser.written(terminal)).toMatch(/Running/)
    await browser.call(terminals.close, { terminal })
  })

  it('cannot be used by another user, and ends with the session', async () => {
    const browser = await browse()
    const terminal = await browser.terminal(machine)
    const eve = await server.person('evelyn')
    const other = await browse(eve.token)
    for (const refused of [
      other.call(terminals.open, { cluster: machine, cols: 80, rows: 24, terminal }),
      other.call(terminals.input, { terminal, data: 'x' }),
      other.call(terminals.resize, { terminal, cols: 80, rows: 24 }),
      other.call(terminals.close, { terminal }),
    ])
      expect(await refused).toEqual({ ok: false, message: 'This terminal has ended' })
    const mark = `${1000 + Math.random()}`
    await browser.call(terminals.input, { terminal, data: `sleep ${mark} &\necho "begun"1\n` })
    await until(() => /begun1/.test(browser.written(terminal)))
    await server.must(api.auth.logout, {}, { token: ada.token })
    await until(() => browser.socket.disconnected)
    ada.token = await server.login('adalove')
    const later = await browse()
    expect((await later.call(terminals.open, { cluster: machine, cols: 80, rows: 24, terminal })).ok).toBe(
      false,
    )
    const { readdirSync, readFileSync } = await import('node:fs')
    const runs = () =>
      readdirSync('/proc').some((pid) => {
        try {
          return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
        } catch {
          return false
        }
      })
    await until(() => !runs())
  })

  it('is denied to participants, without access to the cluster, and beyond the limit per user', async () => {
    const pupil = await browse((await server.participant('pupil')).token)
    expect(await pupil.call(terminals.open, { cluster: machine, cols: 80, rows: 24 })).toEqual({
      ok: false,
      message: 'Not found, or you do not have access to it',
    })
    const browser = await browse()
    expect((await browser.call(terminals.open, { cluster: 'no', cols: 80, rows: 24 })).ok).toBe(false)
    expect((await browser.call(terminals.open, { cluster: machine, cols: 0, rows: 24 })).ok).toBe(false)
    const many = await Promise.all(
      Array.from({ length: 10 }, () =>
        browser.call(terminals.open, { cluster: machine, cols: 80, rows: 24 }),
      ),
    )
    expect(many.filter(({ ok }) => ok)).toHaveLength(8)
    for (const answer of many)
      if (answer.ok) await browser.call(terminals.close, { terminal: answer.terminal })
  })
})

describe('an open stream whose user loses access', () => {
  const become = (person: Person, role: ('user' | 'instructor')[]) =>
    server.must(api.users.update, { body: { id: person.id, role } }, { token: server.admin, admin: true })
  const share = (id: string, collaborators: string[]) =>
    server.must(api.clusters.collaborators, { body: { id, collaborators } }, { token: server.admin })
  const endOf = (browser: BrowserSocket, terminal: string) =>
    until(() => browser.of('terminalEnd').find((one) => one.terminal === terminal)?.reason)

  it('ends immediately after the loss of a role or a share: shells and followed output', async () => {
    const virtualNodes = { prefix: 'p', count: 1, cores: 1, gpus: 0 }
    const data = { manager: 'none', transport: 'local', virtualNodes }
    const cluster = await server.deployed('Private', data, { collaborators: ['adalove'] })
    const boss = await server.person('theboss', ['admin', 'user'])
    const [browser, away, hers] = [await browse(boss.token), await browse(boss.token), await browse()]
    const [seen, left, shared] = [
      await browser.terminal(cluster),
      await away.terminal(cluster),
      await hers.terminal(cluster),
    ]
    await away.type(left, 'echo "be"gun', /begun/)
    away.socket.disconnect()
    const script = 'echo before; until [ -e "$HOME/demoted" ]; do sleep 0.05; done; echo after; sleep 1000'
    const job = await server.submit(machine, { script }, ada.token)
    await follow(browser, job)
    await until(() => followedText(browser) === 'before\n')

    await become(boss, ['user'])
    expect(await endOf(browser, seen)).toBe('You no longer have access to this cluster')
    await until(() => browser.of('outputEnd').length === 1)
    await server.must(
      api.files.writeText,
      { cluster: machine, body: { path: 'demoted', text: '' } },
      { token: ada.token },
    )
    await server.wrote(job, /after/, ada.token)
    expect(browser.of('outputEnd')).toEqual([
      { follow: 'f', reason: 'The job was removed, or you no longer have access to it' },
    ])
    expect(followedText(browser)).toBe('before\n')
    // The terminal without a connected browser has ended too.
    expect(await browser.call(terminals.open, { cluster, cols: 80, rows: 24, terminal: left })).toEqual({
      ok: false,
      message: 'This terminal has ended',
    })

    await share(cluster, [])
    expect(await endOf(hers, shared)).toBe('You no longer have access to this cluster')
    await server.must(api.jobs.cancel, { body: { job: job.id, cluster: machine } }, { token: ada.token })
    await server.ended(job.id, ada.token)
  })

  it('ends if the user becomes a participant, even for their own output', async () => {
    const fading = await server.person('fading')
    const browser = await browse(fading.token)
    const terminal = await browser.terminal(machine)
    const job = await server.submit(machine, { script: 'echo one; sleep 1000' }, fading.token)
    await follow(browser, job)
    await until(() => followedText(browser) === 'one\n')
    await server.sql('update users set role = $1 where id = $2', [['participant'], fading.id])
    expect(await endOf(browser, terminal)).toBe('You no longer have access to this cluster')
    await until(() => browser.of('outputEnd').length === 1)
    expect(browser.of('outputEnd')[0]?.reason).toBe('Your role no longer allows this')
  })
})
