import { jobOutput } from '@flotilla/contract/jobs/output'
import { terminals } from '@flotilla/contract/clusters/terminal'
import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { BrowserSocket } from '../../../test/support/browser-socket'
import { Console, type Person } from '../../../test/support/console'
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
const submit = (script: string) => server.submit(machine, { script }, ada.token)
const cancel = async ({ id }: Submission) => {
  await server.must(api.jobs.cancel, { body: { job: id, cluster: machine } }, { token: ada.token })
  await server.ended(id, ada.token)
}
const follow = (
  browser: BrowserSocket,
  { id, jobId }: Submission,
  from = 0,
  name = 'f',
  file = 'output.txt',
) => browser.call(jobOutput.follow, { follow: name, job: jobId, submission: id, file, from })
const textOf = (browser: BrowserSocket, name = 'f') =>
  browser
    .of('output')
    .filter((one) => one.follow === name)
    .map(({ text }) => text)
    .join('')

describe('the output of a job that runs', () => {
  it('is not asked for without end by one browser', async () => {
    const browser = await browse()
    const job = await submit('echo hello; exec sleep 1000')
    await server.wrote(job, /hello/, ada.token)
    const asked = await Promise.all(Array.from({ length: 500 }, () => follow(browser, job)))
    expect(asked.filter(({ ok }) => ok).length).toBeLessThan(500)
    // The others took the place of one another, and the last of them continues.
    await until(() => textOf(browser).includes('hello\n'))
    await until(async () => (await follow(browser, job)).ok)
    await cancel(job)
  })

  it('grows in the browser, line by line, from before it exists until the job has ended', async () => {
    const browser = await browse()
    // Each line waits for the one before it to be seen.
    const job = await submit(
      'for i in 1 2 3; do echo "line $i"; until [ -e "$HOME/seen-$i" ]; do sleep 0.05; done; done; printf end',
    )
    expect(await follow(browser, job)).toEqual({ ok: true })
    for (const i of [1, 2, 3]) {
      await until(() => textOf(browser).endsWith(`line ${i}\n`))
      await server.must(
        api.files.writeText,
        { cluster: machine, body: { path: `seen-${i}`, text: '' } },
        { token: ada.token },
      )
    }
    await until(() => browser.of('outputEnd').length === 1)
    expect(textOf(browser)).toBe('line 1\nline 2\nline 3\nend')
    expect(browser.of('outputEnd')).toEqual([{ follow: 'f', reason: null }])
    const pieces = browser.of('output')
    expect(pieces.map(({ from }) => from)).toEqual([0, ...pieces.slice(0, -1).map(({ next }) => next)])
  })

  it('continues at an offset after a lost connection, and nothing is missing or twice', async () => {
    const job = await submit('for i in $(seq 1 30); do echo "number $i"; sleep 0.05; done')
    const first = await browse()
    await follow(first, job)
    await until(() => first.of('output').length >= 2)
    first.socket.disconnect()
    const seen = first.of('output')
    const second = await browse()
    await follow(second, job, seen.at(-1)?.next ?? 0)
    await until(() => second.of('outputEnd').length === 1)
    expect(textOf(first) + textOf(second)).toBe(
      Array.from({ length: 30 }, (_, i) => `number ${i + 1}\n`).join(''),
    )
  })

  it('is followed from near its end, once for each name, and no more after unfollow', async () => {
    const job = await submit(
      'seq 1 1000; until [ -e "$HOME/go-on" ]; do sleep 0.05; done; echo more; sleep 1000',
    )
    // Its end is counted from what is there.
    await server.wrote(job, /\n1000\n/, ada.token)
    const browser = await browse()
    await follow(browser, job, -5)
    await until(() => textOf(browser) === '1000\n')
    // The same name again starts over, and the first one neither goes on nor ends the second.
    await follow(browser, job, 0)
    await until(() => textOf(browser).endsWith('999\n1000\n'))
    await follow(browser, job, 0, 'other')
    await until(() => textOf(browser, 'other').endsWith('999\n1000\n'))
    await browser.call(jobOutput.unfollow, { follow: 'f' })
    await until(() => browser.of('outputEnd').length === 1)
    await server.must(
      api.files.writeText,
      { cluster: machine, body: { path: 'go-on', text: '' } },
      { token: ada.token },
    )
    await until(() => textOf(browser, 'other').endsWith('more\n'))
    expect(textOf(browser)).not.toContain('more')
    await cancel(job)
    await until(() => browser.of('outputEnd').length === 2)
  })

  it('may be anything: bytes that are no text, and characters that come in two pieces', async () => {
    const job = await submit(
      "printf 'a\\303'; sleep 0.7; printf '\\244b'; sleep 0.7; printf '\\000\\377\\033[31m'; head -c 100000 /dev/urandom",
    )
    const browser = await browse()
    await follow(browser, job)
    await until(() => browser.of('outputEnd').length === 1)
    expect(textOf(browser).startsWith('aäb\0\uFFFD\u001B[31m')).toBe(true)
    expect(browser.of('output').at(-1)?.next).toBe(100_011)
  })

  it('is not held in memory for a browser that does not take it in', async () => {
    const job = await submit('truncate -s 300M output.big')
    await server.ended(job.id, ada.token)
    const browser = await browse()
    // A browser whose network stands still.
    const engine = browser.socket.io.engine as unknown as {
      transport: { ws: { _socket: { pause(): void; resume(): void } } }
    }
    const wire = engine.transport.ws._socket
    void follow(browser, job, 0, 'big', 'output.big')
    await until(() => browser.of('output').length > 0)
    wire.pause()
    // Other requests are served in the meantime, a good many of them.
    for (let i = 0; i < 50; i++) await server.must(api.jobs.outputs, { id: job.jobId }, { token: ada.token })
    const { VmRSS = '0' } = Object.fromEntries(
      (await import('node:fs'))
        .readFileSync(`/proc/${server.pid}/status`, 'utf8')
        .split('\n')
        .map((line) => line.split(/:\s+/)),
    ) as Record<string, string>
    expect(Number.parseInt(VmRSS, 10)).toBeLessThan(400_000)
    wire.resume()
    browser.socket.disconnect()
    await server.must(
      api.jobs.deleteOutput,
      { id: job.jobId, body: { jobs: [job.id] } },
      { token: ada.token },
    )
  })

  it('is refused for what is not there, and for too many at once', async () => {
    const browser = await browse()
    expect(
      (await browser.call(jobOutput.follow, { follow: 'x', job: 'no', submission: 'no', file: 'f', from: 0 }))
        .ok,
    ).toBe(true)
    await until(() => browser.of('outputEnd').length === 1)
    expect(browser.of('outputEnd')[0]?.reason).toMatch(/Not found/)
    expect(await browser.call(jobOutput.follow, { follow: 'x' } as never)).toEqual({
      ok: false,
      message: 'The request is invalid',
    })
    const job = await submit('sleep 1000')
    for (let i = 0; i < 16; i++) expect((await follow(browser, job, 0, `f${i}`)).ok).toBe(true)
    expect((await follow(browser, job, 0, 'one too many')).ok).toBe(false)
    await cancel(job)
  })
})

describe('a terminal', () => {
  it("runs a shell as the person's own account, resizes, and is written into the activities", async () => {
    const browser = await browse()
    const terminal = await browser.terminal(machine)
    expect(await browser.type(terminal, 'echo "I am $USER in $PWD"', /I am adalove in \S+/)).toMatch(
      /homes\/adalove-\d+$/,
    )
    // Also in a shell within the shell, and with a prompt of the user's own.
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

  it('is still there after a lost connection, with what was written in the meantime', async () => {
    const first = await browse()
    const terminal = await first.terminal(machine)
    await first.type(terminal, 'here=kept; echo "ready"1', /ready1/)
    await first.call(terminals.input, { terminal, data: 'sleep 0.5; echo "mean"while\n' })
    first.socket.disconnect()
    const second = await browse()
    expect(await second.terminal(machine, terminal)).toBe(terminal)
    await until(() => /meanwhile/.test(second.written(terminal)))
    await second.type(terminal, 'echo "it is $here"', /it is kept/)
    // A connection that is given up late does not take it away from the one that has it now.
    const third = await browse()
    await third.terminal(machine, terminal)
    await until(() => second.of('terminalEnd').length === 1)
    second.socket.disconnect()
    await third.type(terminal, 'echo "still $here"', /still kept/)
    await third.call(terminals.close, { terminal })
    await until(() => third.of('terminalEnd').length === 1)
  })

  it('stops a command for a while and continues with it, as every shell does', async () => {
    const browser = await browse()
    const terminal = await browser.terminal(machine)
    const type = (data: string) => browser.call(terminals.input, { terminal, data })
    const shows = (text: RegExp) => until(() => text.test(browser.written(terminal)))
    // In two parts, so that the echo of what is typed is not taken for what is printed.
    await type(`sh -c 'echo go"ing"; exec sleep 601'\n`)
    await shows(/going/)
    await type('\u001a')
    await shows(/Stopped/)
    await type('bg; jobs; kill %1; wait; echo "all" over\n')
    await shows(/all over/)
    expect(browser.written(terminal)).toMatch(/Running/)
    await browser.call(terminals.close, { terminal })
  })

  it('belongs to no one else, and ends with the session', async () => {
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

  it('is not for participants on a cluster that is not theirs, not without a cluster that one may see, and not without end', async () => {
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

describe('what a person loses while they look at it', () => {
  const become = (person: Person, role: ('user' | 'instructor')[]) =>
    server.must(api.users.update, { body: { id: person.id, role } }, { token: server.admin, admin: true })
  const share = (id: string, collaborators: string[]) =>
    server.must(api.clusters.collaborators, { body: { id, collaborators } }, { token: server.admin })
  const endOf = (browser: BrowserSocket, terminal: string) =>
    until(() => browser.of('terminalEnd').find((one) => one.terminal === terminal)?.reason)

  it('ends at once: a shell on a cluster that only admins see, and the output of others', async () => {
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
    const job = await submit(
      'echo before; until [ -e "$HOME/demoted" ]; do sleep 0.05; done; echo after; sleep 1000',
    )
    await follow(browser, job)
    await until(() => textOf(browser) === 'before\n')

    const began = Date.now()
    await become(boss, ['user'])
    await server.must(
      api.files.writeText,
      { cluster: machine, body: { path: 'demoted', text: '' } },
      { token: ada.token },
    )
    expect(await endOf(browser, seen)).toBe('You no longer have access to this cluster')
    await until(() => browser.of('outputEnd').length === 1)
    // Well before the next look at a terminal that no one told of anything.
    expect(Date.now() - began).toBeLessThan(15_000)
    expect(browser.of('outputEnd')).toEqual([
      { follow: 'f', reason: 'The job was removed, or you no longer have access to it' },
    ])
    expect(textOf(browser)).toBe('before\n')
    // Also the one that no one was looking at.
    expect(await browser.call(terminals.open, { cluster, cols: 80, rows: 24, terminal: left })).toEqual({
      ok: false,
      message: 'This terminal has ended',
    })

    await share(cluster, [])
    expect(await endOf(hers, shared)).toBe('You no longer have access to this cluster')
    await cancel(job)
  })

  it('ends for who becomes a participant, also of their own', async () => {
    const fading = await server.person('fading')
    const browser = await browse(fading.token)
    const terminal = await browser.terminal(machine)
    const job = await server.submit(machine, { script: 'echo one; sleep 1000' }, fading.token)
    await follow(browser, job)
    await until(() => textOf(browser) === 'one\n')
    await server.sql('update users set role = $1 where id = $2', [['participant'], fading.id])
    expect(await endOf(browser, terminal)).toBe('You no longer have access to this cluster')
    await until(() => browser.of('outputEnd').length === 1)
    expect(browser.of('outputEnd')[0]?.reason).toBe('Your role no longer allows this')
  })
})
