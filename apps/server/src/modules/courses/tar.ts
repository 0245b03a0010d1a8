// Written by hand, because little of a tar library would be used: the archives are small and in memory, the same
// content must produce the same bytes, and only regular files of an untrusted archive may be read.
const BLOCK = 512

export type TarEntry = { name: string; bytes: Uint8Array }
/** A problem with an archive, with a message for the user who uploaded it. */
export class BadArchive extends Error {}

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

/** A plain archive of regular files, the same bytes for the same content. Names have at most 100 bytes. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, bytes }) => {
    const header = Buffer.alloc(BLOCK)
    header.write(name, 0, 100)
    header.write(octal(0o644, 8), 100)
    header.write(octal(0, 8), 108)
    header.write(octal(0, 8), 116)
    header.write(octal(bytes.length, 12), 124)
    header.write(octal(0, 12), 136)
    header.write('0', 156)
    header.write('ustar\x0000', 257)
    header.write(octal(checksum(header), 7), 148)
    return [header, bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** The sum of the header bytes, with the checksum field itself counted as blanks. */
const checksum = (header: Buffer): number =>
  header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0)

const textAt = (header: Buffer, from: number, length: number): string =>
  header
    .subarray(from, from + length)
    .toString('utf8')
    .replace(/\0.*$/s, '')

const numberAt = (header: Buffer, from: number, length: number): number => {
  const digits = textAt(header, from, length).trim()
  if (!/^[0-7]+$/.test(digits)) throw new BadArchive('The archive is damaged')
  return Number.parseInt(digits, 8)
}

/** The regular files of an archive. Links and devices are refused; folders and extended headers are skipped. */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = []
  for (let at = 0; at + BLOCK <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) break
    if (numberAt(header, 148, 8) !== checksum(header)) throw new BadArchive('The archive is damaged')
    const prefix = textAt(header, 345, 155)
    const name = `${prefix ? `${prefix}/` : ''}${textAt(header, 0, 100)}`.replace(/^(\.\/)+/, '')
    const size = numberAt(header, 124, 12)
    const begin = at + BLOCK
    if (begin + size > archive.length) throw new BadArchive('The archive is cut off')
    at = begin + Math.ceil(size / BLOCK) * BLOCK
    const type = String.fromCharCode(header.readUInt8(156))
    if (type === '0' || type === '\0') entries.push({ name, bytes: archive.subarray(begin, begin + size) })
    else if (!'5xg'.includes(type))
      throw new BadArchive(`The archive contains ${name}, which is not a regular file`)
  }
  return entries
}
