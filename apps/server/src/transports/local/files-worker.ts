import { Socket } from 'node:net'
import { messageOf } from '../../explain'
import type { OpenFile } from '../disk'
import { coded, errorCode } from '../error'
import { readFrames, writeFrame } from './frames'
import { localDisk } from './disk'
import { CHANNEL, type Reply, type Replies, type Request } from './files-calls'

/**
 * A separate process that makes file calls as one account; the server itself never accesses users' files. If root
 * starts it for another account, it drops root permanently before the first call, so that permissions and links apply
 * as for that account. The account's other processes cannot trace it, because it changed its account without exec. In a
 * sandbox or for the server's own account, it keeps its account.
 * Arguments: uid, gid, and the account's name if the system knows its groups; or "self".
 */
const [uid, gid, username] = process.argv.slice(2)

function becomeAccount(): void {
  // Node has initgroups, but its types lack it.
  const {
    setgroups,
    initgroups,
    setgid,
    setuid,
  }: typeof process & {
    initgroups?: (user: string, group: number) => void
  } = process
  if (!setgroups || !initgroups || !setgid || !setuid)
    throw new Error('Accounts cannot be changed on this system')
  if (!Number(uid) || !gid) throw new Error('A files worker never runs as root')
  if (username) initgroups(username, Number(gid))
  else setgroups([])
  setgid(Number(gid))
  setuid(Number(uid))
  if (process.getuid?.() !== Number(uid) || process.geteuid?.() !== Number(uid)) throw new Error('Still root')
  try {
    setuid(0)
  } catch {
    return
  }
  throw new Error('Root privileges could be regained')
}

interface Held {
  file?: OpenFile
  /** The next piece of a stream such as an archive; empty at the end. */
  next?(): Promise<Buffer>
  close(): Promise<void>
}

const held = new Map<number, Held>()
let nextFile = 1
const keep = (one: Held) => {
  held.set(nextFile, one)
  return nextFile++
}

const fileAt = (number: number) => held.get(number)?.file ?? badFile()
const streamAt = (number: number) => held.get(number)?.next?.() ?? badFile()
const badFile = (): never => {
  throw coded('EBADF')
}

async function answer(
  request: Request,
  body: Buffer,
): Promise<{ result: Replies[keyof Replies]; body?: Buffer }> {
  const nothing = { result: null }
  if ('file' in request) {
    switch (request.call) {
      case 'look':
        return { result: await fileAt(request.file).look() }
      case 'read':
        return { result: null, body: await fileAt(request.file).read(request.offset, request.length) }
      case 'search':
        return { result: await fileAt(request.file).search(request.slice) }
      case 'write':
        return (await fileAt(request.file).write(request.offset, body), nothing)
      case 'truncate':
        return (await fileAt(request.file).truncate(request.size), nothing)
      case 'permit':
        return (await fileAt(request.file).permit(request.permissions), nothing)
      case 'sync':
        return (await fileAt(request.file).sync(), nothing)
      case 'next':
        return { result: null, body: await streamAt(request.file) }
      case 'close': {
        const one = held.get(request.file)
        held.delete(request.file)
        return (await one?.close(), nothing)
      }
    }
  }
  const disk = localDisk(request.root)
  switch (request.call) {
    case 'list':
      return { result: await disk.list(request.parts, request.limit) }
    case 'stat':
      return { result: await disk.stat(request.parts) }
    case 'resolve':
      return { result: await disk.resolve(request.parts) }
    case 'mkdir':
      return (await disk.mkdir(request.parts), nothing)
    case 'permit':
      return (await disk.permit(request.parts, request.permissions), nothing)
    case 'remove':
      return (await disk.remove(request.parts, request), nothing)
    case 'rename':
      return (await disk.rename(request.parts, request.to, request), nothing)
    case 'open': {
      const file = await disk.open(request.parts, request.how)
      return { result: keep({ file, close: file.close }) }
    }
    case 'pack': {
      const packed = await disk.pack(request.parts)
      const pieces = packed.iterator({ destroyOnReturn: true }) as AsyncIterableIterator<Buffer> // no encoding is set
      const next = async () => (await pieces.next()).value ?? Buffer.alloc(0)
      return { result: keep({ next, close: async () => void packed.destroy() }) }
    }
  }
}

async function serve(request: Request, body: Buffer): Promise<void> {
  try {
    const { result, body: bytes } = await answer(request, body)
    writeFrame(channel, { id: request.id, result } satisfies Reply, bytes)
  } catch (error) {
    const message = messageOf(error)
    writeFrame(channel, { id: request.id, error: { code: errorCode(error), message } } satisfies Reply)
  }
}

if (uid !== 'self') becomeAccount()
process.umask(0o022)
// The channel closes when the server ends for any reason, and the worker ends with it.
const channel = new Socket({ fd: CHANNEL }).on('error', () => process.exit(0))
for await (const { head, body } of readFrames(channel)) void serve(head as Request, body) // ours, same build
process.exit(0)
