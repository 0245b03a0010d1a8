import { duplexPair, type Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { Sftp } from './sftp'
import { sftpDisk } from './disk'
import { kind, text, uint32 } from './packets'

const ok = [uint32(0), text(''), text('')]
const hasMode = uint32(4)
const folder = [hasMode, uint32(0o040755)]

/** A server that reports every path as a folder with an endless number of entries. */
function endless(channel: Duplex, namesAtOnce: number) {
  const seen = { reads: 0, closed: 0 }
  let made = 0
  const answers: Record<number, () => [number, Buffer[]]> = {
    [kind.realpath]: () => [kind.name, [uint32(1), text('/home/x'), text(''), uint32(0)]],
    [kind.lstat]: () => [kind.attrs, folder],
    [kind.opendir]: () => [kind.handle, [text('h')]],
    [kind.readdir]: () => {
      seen.reads++
      const names = Array.from({ length: namesAtOnce }, () => [text(`f${made++}`), text(''), ...folder])
      return [kind.name, [uint32(namesAtOnce), ...names.flat()]]
    },
    [kind.close]: () => {
      seen.closed++
      return [kind.status, ok]
    },
  }
  const send = (what: number, fields: Buffer[]) => {
    const body = Buffer.concat(fields)
    channel.write(Buffer.concat([uint32(body.length + 1), Buffer.from([what]), body]))
  }
  let pending = Buffer.alloc(0)
  channel.on('data', (data: Buffer) => {
    pending = Buffer.concat([pending, data])
    while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
      const packet = pending.subarray(4, 4 + pending.readUInt32BE(0))
      pending = pending.subarray(4 + packet.length)
      const [what = 0] = packet
      if (what === kind.init) send(kind.version, [uint32(3)])
      else {
        const [answer, fields] = answers[what]?.() ?? [kind.status, ok]
        send(answer, [packet.subarray(1, 5), ...fields])
      }
    }
  })
  return seen
}

const patience = { listMs: 300, removeMs: 500 }

async function open(namesAtOnce: number) {
  const [ours, theirs] = duplexPair()
  const seen = endless(theirs, namesAtOnce)
  const sftp = await Sftp.open(ours)
  return { disk: sftpDisk(sftp, '/home/x', { ...patience, listMs: namesAtOnce ? 20_000 : 300 }), seen, sftp }
}

test('the listing of an endless folder is truncated at the limit and marked as such', async () => {
  const { disk, seen, sftp } = await open(1000)
  const { entries, truncated } = await disk.list([], 10_000)
  expect([entries.length, truncated]).toEqual([10_000, true])
  expect(seen.reads).toBeLessThan(200)
  expect(seen.closed).toBe(1)
  sftp.close()
})

test('listing ends after a timeout if the server never sends a name', async () => {
  const { disk, seen, sftp } = await open(0)
  expect(await disk.list([], 10_000)).toEqual({ entries: [], truncated: true })
  expect(seen.closed).toBe(1)
  sftp.close()
})

test('removing endless folders ends after a timeout', async () => {
  for (const namesAtOnce of [1, 1000]) {
    const { disk, sftp } = await open(namesAtOnce)
    await expect(disk.remove(['a'], { recursive: true })).rejects.toThrow(/too long|too deep/)
    sftp.close()
  }
})
