/** The constants and encodings of SFTP version 3, which every OpenSSH supports. `Sftp` says why ssh2's are not used. */
export const kind = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extended: 200,
  extendedReply: 201,
} as const

export const openFlag = { read: 1, write: 2, create: 8, truncate: 16, exclusive: 32 } as const

export const statusText: Record<number, [code: string, text: string]> = {
  2: ['ENOENT', 'no such file'],
  3: ['EACCES', 'permission denied'],
  4: ['EFAILED', 'failure'],
  5: ['EFAILED', 'bad message'],
  6: ['ELOST', 'no connection'],
  7: ['ELOST', 'connection lost'],
  8: ['ENOTSUP', 'not supported by the remote host'],
}
export const atEnd = 1

export interface Attributes {
  size: number
  uid: number
  gid: number
  mode: number
  modifiedAt: number
}

const has = { size: 1, owner: 2, mode: 4, times: 8, extended: 0x80000000 }

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
export const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
export const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint32(bytes.length), bytes])
}

/** Encodes only the attributes to be set. */
export const attributes = (set: { size?: number; mode?: number }): Buffer =>
  Buffer.concat([
    uint32((set.size === undefined ? 0 : has.size) | (set.mode === undefined ? 0 : has.mode)),
    ...(set.size === undefined ? [] : [uint64(set.size)]),
    ...(set.mode === undefined ? [] : [uint32(set.mode)]),
  ])

/** Reads fields in sequence; reading past the end throws, which ends the session. */
export class Reader {
  private at = 0
  constructor(private readonly bytes: Buffer) {}
  uint32(): number {
    const value = this.bytes.readUInt32BE(this.at)
    this.at += 4
    return value
  }
  uint64(): number {
    const value = this.bytes.readBigUInt64BE(this.at)
    this.at += 8
    return Number(value)
  }
  buffer(): Buffer {
    const length = this.uint32()
    if (this.at + length > this.bytes.length) throw new RangeError('An SFTP packet is shorter than it says')
    const value = this.bytes.subarray(this.at, this.at + length)
    this.at += length
    return value
  }
  text(): string {
    return this.buffer().toString()
  }
  attributes(): Attributes {
    const flags = this.uint32()
    const size = flags & has.size ? this.uint64() : 0
    const [uid, gid] = flags & has.owner ? [this.uint32(), this.uint32()] : [0, 0]
    const mode = flags & has.mode ? this.uint32() : 0
    const [, modified = 0] = flags & has.times ? [this.uint32(), this.uint32()] : []
    for (let more = flags & has.extended ? this.uint32() : 0; more > 0; more--) {
      this.buffer()
      this.buffer()
    }
    return { size, uid, gid, mode, modifiedAt: modified * 1000 }
  }
  get ended(): boolean {
    return this.at >= this.bytes.length
  }
}
