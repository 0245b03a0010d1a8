/** As much of DER as certificates need: every value is a tag, a length and its bytes. */

function value(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = bytesOf(BigInt(body.length))
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body])
}

/** Without a sign, in as few bytes as possible. */
function bytesOf(number: bigint): Buffer {
  const hex = number.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

export const sequence = (...parts: Buffer[]) => value(0x30, ...parts)
export const set = (...parts: Buffer[]) => value(0x31, ...parts)
export const boolean = (is: boolean) => value(0x01, Buffer.from([is ? 0xff : 0]))
export const octets = (bytes: Buffer) => value(0x04, bytes)
export const text = (words: string) => value(0x0c, Buffer.from(words))
/** Whole bytes. */
export const bits = (bytes: Buffer) => value(0x03, Buffer.from([0]), bytes)
/** `given` bits from the left, in one byte. */
export const flags = (...given: number[]) => {
  const last = Math.max(...given)
  const byte = given.reduce((all, bit) => all | (0x80 >> bit), 0)
  return value(0x03, Buffer.from([7 - last, byte]))
}

/** Numbers here are never negative: a leading bit needs a zero before it. */
export function integer(number: number | bigint): Buffer {
  const bytes = bytesOf(BigInt(number))
  return value(0x02, ...((bytes[0] ?? 0) & 0x80 ? [Buffer.from([0])] : []), bytes)
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const septets = (number: number): number[] => {
    const digits = [number & 0x7f]
    for (let left = number >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  }
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(septets)]))
}

/** To the second; up to 2049 with two digits for the year, as it is prescribed. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return at.getUTCFullYear() < 2050
    ? value(0x17, Buffer.from(digits.slice(2)))
    : value(0x18, Buffer.from(digits))
}

/** A part that is told by its number: around a value of its own type, or in the place of one. */
export const around = (number: number, ...parts: Buffer[]) => value(0xa0 | number, ...parts)
export const inPlace = (number: number, bytes: Buffer) => value(0x80 | number, bytes)
