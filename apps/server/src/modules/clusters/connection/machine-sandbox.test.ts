import { terminals } from '@flotilla/contract/clusters/terminal'
import { api } from '@flotilla/contract/api'
import { readdirSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { cmdline, pids } from '../../../executor/processes'
import { BrowserSocket } from '../../../../test/support/console/browser-socket'
import { Console, type Person } from '../../../../test/support/console/console'
import { newDatabase } from '../../../../test/support/database/database'
import { NOBODY, rootModes } from '../../../../test/support/root-modes'
import { variants } from '../../../../test/support/soak'
import { until } from '../../../../test/support/until'

const folders = ['/tmp', '/var/tmp', '/dev/shm', '/run']

/** An address of this machine that other machines can use, if it has one. */
const ownAddress = Object.values(os.networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** Listens on every address of this machine and on an abstract socket, as the console and other services do. */
async function startListeners() {
  const everywhere = net.createServer((socket) => socket.end('open'))
  await new Promise<void>((resolve) => everywhere.listen(0, '0.0.0.0', resolve))
  const { port } = everywhere.address() as AddressInfo // listens on a port
  return { port, stop: () => void everywhere.close() }
}

describe.each(variants(rootModes))('%s, two people on this machine', (_, before) => {
  let dataDir: string
  let server: Console
  let machine: string
  let ada: Person
  let eve: Person
  let adasBrowser: BrowserSocket
  let adasTerminal: string
  let secret: Submission
  let listeners: Awaited<ReturnType<typeof startListeners>>
  let database: Awaited<ReturnType<typeof newDatabase>>
  let attempts: string
  const mark = `flotilla-test-${process.pid}-${before.length}`

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-people-'))
    if (before.length > 0) await chown(dataDir, NOBODY, NOBODY)
    database = await newDatabase()
    listeners = await startListeners()
    server = await Console.start({ before, dataDir, databaseUrl: database.url })
    machine = await server.thisMachine()
    ada = await server.person('adalove')
    eve = await server.person('evelyn')
    const leave = folders.map((folder) => `(umask 0; echo sesame >${folder}/${mark})`).join('\n')
    secret = await server.submit(
      machine,
      { script: `${leave}\nipcmk -M 1000 -p 0666\necho ready\nexec sleep 1000` },
      ada.token,
    )
    await server.wrote(secret, /ready\n$/, ada.token)
    adasBrowser = await BrowserSocket.open(server.url, ada.token)
    adasTerminal = await adasBrowser.terminal(machine)
    await adasBrowser.type(adasTerminal, `${leave.replaceAll('\n', ';')}; tty; echo rea''dy`, /ready/)
    // The files that the machine itself has in these folders must not be visible either.
    for (const folder of folders.slice(0, 3))
      await writeFile(`${folder}/${mark}-host`, 'sesame\n', { mode: 0o644 })
    const connect = (name: string, address: string | undefined, port: number | string) =>
      address ? [`(exec 3<>/dev/tcp/${address}/${port}) 2>/dev/null && echo BREACH ${name}`] : []
    const { port: databasePort } = new URL(database.url)
    attempts = [
      ...folders.flatMap((folder) => [
        `cat ${folder}/${mark}* 2>/dev/null && echo BREACH reads ${folder}`,
        `for file in ${folder}/${mark} ${folder}/${mark}-host; do [ -e $file ] && echo harm >$file && echo BREACH writes $file; done`,
      ]),
      // At most the person's own terminal may exist.
      `for tty in /dev/pts/[0-9]*; do [ -e $tty ] && [ "$tty" != "$(tty)" ] && echo BREACH terminal $tty; done`,
      `for device in /dev/mem /dev/kmsg /dev/vda /dev/sda /dev/tty0 /dev/console /dev/kvm /dev/fuse; do [ -e $device ] && echo BREACH $device; done`,
      `ipcs -m | grep 1000 && echo BREACH shared memory`,
      `grep -qs NoNewPrivs:.1 /proc/self/status || echo BREACH privileges`,
      `[ $(ls -d /proc/[0-9]* | wc -l) -lt 20 ] || echo BREACH processes`,
      `cat ${dataDir}/master.key && echo BREACH key`,
      // Files held open by a process of the sandbox can be reopened, also for writing.
      `for file in /proc/[0-9]*/fd/*; do case $(readlink $file) in ${dataDir}/homes/evelyn*) ;; ${dataDir}/*) echo BREACH holds $(readlink $file) ;; esac; done`,
      `ls ${dataDir}/clusters ${dataDir}/homes/adalove* ${dataDir}/tmp && echo BREACH data`,
      ...connect('console', '127.0.0.1', new URL(server.url).port),
      ...connect('database', '127.0.0.1', databasePort),
      ...connect('machine by loopback', '127.0.0.1', listeners.port),
      ...connect('machine by address', ownAddress, listeners.port),
      `grep -q @ /proc/net/unix && echo BREACH abstract sockets`,
      // The connection must be refused right away, not just remain unanswered.
      `said=$(timeout 5 bash -c 'exec 3<>/dev/tcp/169.254.169.254/80' 2>&1); case $said in *unreachable* | *denied*) ;; *) echo BREACH metadata "$said" ;; esac`,
      `umount /tmp /dev /run 2>/dev/null && echo BREACH umount`,
      `unshare -Urm umount /tmp 2>/dev/null && echo BREACH umount`,
    ].join('\n')
  })
  afterAll(async () => {
    adasBrowser.socket.disconnect()
    listeners.stop()
    await server.stop()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
    for (const folder of folders) await rm(`${folder}/${mark}-host`, { force: true })
  })

  it('cannot see each other or the console in their jobs', async () => {
    const script = `${attempts}\necho in ${folders.map((folder) => `$(ls -A ${folder} | wc -l)`).join(' ')}\necho done`
    const tried = await server.submit(machine, { script }, eve.token)
    await server.ended(tried.id, eve.token)
    const output = await server.output(tried, 'output.txt', eve.token)
    expect(output).toContain('done\n')
    expect(output).not.toContain('BREACH')
  })

  it('cannot see each other in their terminals, and each has a terminal of their own', async () => {
    const browser = await BrowserSocket.open(server.url, eve.token)
    const terminal = await browser.terminal(machine)
    await writeAttempts(browser, terminal)
    const written = browser.written(terminal)
    expect(written).toContain('/dev/pts/0')
    expect(written.replaceAll(/echo BREACH/g, '')).not.toContain('BREACH')
    await browser.call(terminals.close, { terminal })
    browser.socket.disconnect()
  })
  /** The attempts are in a file: if they were typed, the terminal would echo them. */
  const writeAttempts = async (browser: BrowserSocket, terminal: string) => {
    await server.must(
      api.files.upload,
      {
        cluster: machine,
        query: { path: 'attempts.sh', offset: 0, final: 'true', replace: 'true' },
        bytes: Buffer.from(`${attempts}\necho at the end\n`),
      },
      { token: eve.token },
    )
    await browser.type(terminal, 'tty; bash ~/attempts.sh', /at the end/)
  }

  it('can run programs that need their own terminals, and resize them', async () => {
    const printed = await adasBrowser.type(
      adasTerminal,
      `script -qc 'tty; stty size' /dev/null; echo fi''nished`,
      /finished/,
    )
    expect(printed).toBe('finished')
    const written = adasBrowser.written(adasTerminal)
    expect(written).toContain('/dev/pts/1')
    // The window size reaches a terminal that only the sandbox knows by name.
    await adasBrowser.call(terminals.resize, { terminal: adasTerminal, cols: 91, rows: 33 })
    await until(async () => {
      await adasBrowser.call(terminals.input, { terminal: adasTerminal, data: 'stty size\n' })
      return adasBrowser.written(adasTerminal).includes('33 91')
    })
  })

  it('can connect to the console if an admin allows it, and have their own loopback otherwise', async () => {
    const port = new URL(server.url).port
    const script = [
      `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached || echo refused`,
      `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die; IO::Socket::INET->new(PeerAddr => "127.0.0.1:" . $s->sockport) or die; print "loopback\\n"' || echo none`,
    ].join('\n')
    const run = async () => {
      const job = await server.submit(machine, { script }, eve.token)
      await server.ended(job.id, eve.token)
      return server.output(job, 'output.txt', eve.token)
    }
    expect(await run()).toBe('refused\nloopback\n')
    const allow = (jobsReachConsole: boolean) =>
      server.must(api.settings.setSecurity, { body: { jobsReachConsole } }, { token: server.admin })
    await allow(true)
    expect(await run()).toBe('reached\nloopback\n')
    await allow(false)
    expect(await run()).toBe('refused\nloopback\n')
  })

  it('cannot make the console follow links in their folders', async () => {
    const precious = path.join(dataDir, 'precious')
    await mkdir(precious, { mode: 0o700 })
    if (before.length > 0) await chown(precious, NOBODY, NOBODY)
    const linked = await adasBrowser.type(
      adasTerminal,
      `rmdir /run/lock; ln -s ${precious} /run/lock && echo lin''ked`,
      /linked/,
    )
    expect(linked).toBe('linked')
    // Any change of the network settings makes the console recheck the folders of terminals.
    for (const jobsReachConsole of [true, false]) {
      await server.must(api.settings.setSecurity, { body: { jobsReachConsole } }, { token: server.admin })
      const terminal = await adasBrowser.terminal(machine)
      await adasBrowser.call(terminals.close, { terminal })
    }
    expect((await stat(precious)).mode & 0o777).toBe(0o700)
  })

  it('leave nothing behind', async () => {
    await server.must(api.jobs.cancel, { body: { job: secret.id, cluster: machine } }, { token: ada.token })
    await server.ended(secret.id, ada.token)
    await adasBrowser.call(terminals.close, { terminal: adasTerminal })
    // Every process of a job has the sandbox folder among its arguments, or descends from one that does.
    const places = path.join(dataDir, 'clusters')
    await until(() =>
      pids().every((pid) => !cmdline(pid).includes(places) || !cmdline(pid).includes('/place')),
    )
    for (const folder of folders) expect(readdirSync(folder)).not.toContain(mark)
  })
})
