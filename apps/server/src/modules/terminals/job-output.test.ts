import { jobOutput } from '@flotilla/contract/jobs/output'
import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Submission } from '@flotilla/contract/jobs/jobs'
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
const submit = (script: string) => server.submit(machine, { script }, ada.token)
const cancel = async ({ id }: Submission) => {
  await server.must(api.jobs.cancel, { body: { job: id, cluster: machine } }, { token: ada.token })
  await server.ended(id, ada.token)
}

/** Creates a file that a job waits for. */
const see = (path: string) =>
  server.must(api.files.writeText, { cluster: machine, body: { path, text: '' } }, { token: ada.token })

describe('the output of a running job', () => {
  it('cannot be requested an unlimited number of times at once by one browser', async () => {
    const browser = await browse()
    const job = await submit('echo hello; exec sleep 1000')
    await server.wrote(job, /hello/, ada.token)
    const replies = await Promise.all(Array.from({ length: 500 }, () => follow(browser, job)))
    expect(replies.filter(({ ok }) => ok).length).toBeLessThan(500)
    // Accepted requests replaced each other, and the last one continues.
    await until(() => followedText(browser).includes('hello\n'))
    await until(async () => (await follow(browser, job)).ok)
    await cancel(job)
  })

  it('is sent to the browser line by line, from before the file exists until the job has ended', async () => {
    const browser = await browse()
    // Each line is only printed after the previous one was received.
    const job = await submit(
      'for i in 1 2 3; do echo "line $i"; until [ -e "$HOME/seen-$i" ]; do sleep 0.05; done; done; printf end',
    )
    expect(await follow(browser, job)).toEqual({ ok: true })
    for (const i of [1, 2, 3]) {
      await until(() => followedText(browser).endsWith(`line ${i}\n`))
      await see(`seen-${i}`)
    }
    await until(() => browser.of('outputEnd').length === 1)
    expect(followedText(browser)).toBe('line 1\nline 2\nline 3\nend')
    expect(browser.of('outputEnd')).toEqual([{ follow: 'f', reason: null }])
    const pieces = browser.of('output')
    expect(pieces.map(({ from }) => from)).toEqual([0, ...pieces.slice(0, -1).map(({ next }) => next)])
  })

  it('continues at an offset after a lost connection without missing or duplicate data', async () => {
    const numbers = (from: number, to: number) => `for i in $(seq ${from} ${to}); do echo "number $i"; done`
    const job = await submit(
      `${numbers(1, 15)}; until [ -e "$HOME/lost" ]; do sleep 0.05; done; ${numbers(16, 30)}`,
    )
    const first = await browse()
    await follow(first, job)
    await until(() => first.of('output').length > 0)
    first.socket.disconnect()
    await see('lost')
    const seen = first.of('output')
    const second = await browse()
    await follow(second, job, seen.at(-1)?.next ?? 0)
    await until(() => second.of('outputEnd').length === 1)
    expect(followedText(first) + followedText(second)).toBe(
      Array.from({ length: 30 }, (_, i) => `number ${i + 1}\n`).join(''),
    )
  })

  it('can be followed from near its end, once per name, until it is unfollowed', async () => {
    const job = await submit(
      'seq 1 1000; until [ -e "$HOME/go-on" ]; do sleep 0.05; done; echo more; sleep 1000',
    )
    // The offset is relative to the current end.
    await server.wrote(job, /\n1000\n/, ada.token)
    const browser = await browse()
    await follow(browser, job, -5)
    await until(() => followedText(browser) === '1000\n')
    // Following with the same name again starts over; the first one stops and does not end the second.
    await follow(browser, job, 0)
    await until(() => followedText(browser).endsWith('999\n1000\n'))
    await follow(browser, job, 0, 'other')
    await until(() => followedText(browser, 'other').endsWith('999\n1000\n'))
    await browser.call(jobOutput.unfollow, { follow: 'f' })
    await until(() => browser.of('outputEnd').length === 1)
    await server.must(
      api.files.writeText,
      { cluster: machine, body: { path: 'go-on', text: '' } },
      { token: ada.token },
    )
    await until(() => followedText(browser, 'other').endsWith('more\n'))
    expect(followedText(browser)).not.toContain('more')
    await cancel(job)
    await until(() => browser.of('outputEnd').length === 2)
  })

  it('may be binary, and characters may be split across two pieces', async () => {
    const job = await submit(
      "printf 'a\\303'; sleep 0.7; printf '\\244b'; sleep 0.7; printf '\\000\\377\\033[31m'; head -c 100000 /dev/urandom",
    )
    const browser = await browse()
    await follow(browser, job)
    await until(() => browser.of('outputEnd').length === 1)
    expect(followedText(browser).startsWith('aäb\0\uFFFD\u001B[31m')).toBe(true)
    expect(browser.of('output').at(-1)?.next).toBe(100_011)
  })

  it('is not buffered in memory for a browser that does not receive it', async () => {
    const job = await submit('truncate -s 300M output.big')
    await server.ended(job.id, ada.token)
    const browser = await browse()
    // Pauses the browser's network connection.
    const engine = browser.socket.io.engine as unknown as {
      transport: { ws: { _socket: { pause(): void; resume(): void } } }
    }
    const wire = engine.transport.ws._socket
    void follow(browser, job, 0, 'big', 'output.big')
    await until(() => browser.of('output').length > 0)
    wire.pause()
    // Many other requests are served in the meantime.
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

  it('is rejected if it does not exist or too many outputs are followed at once', async () => {
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
