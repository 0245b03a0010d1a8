import { ModuleError } from './values'

const toNumber = (address: string): number => {
  const parts = address.split('.').map(Number)
  if (parts.length !== 4 || parts.some((one) => !Number.isInteger(one) || one < 0 || one > 255)) {
    throw new ModuleError(`${address} is not an IPv4 address`)
  }
  return parts.reduce((sum, one) => sum * 256 + one, 0)
}

const toText = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')

function range(text: string): { first: number; bits: number } {
  const [address = '', length = ''] = text.split('/')
  const bits = Number(length)
  if (length === '' || !Number.isInteger(bits) || bits < 0 || bits > 32) {
    throw new ModuleError(`${text} is not an IPv4 address range`)
  }
  const size = 2 ** (32 - bits)
  return { first: Math.floor(toNumber(address) / size) * size, bits }
}

export function cidrSubnet(text: string, newBits: number, number: number): string {
  const { first, bits } = range(text)
  const length = bits + newBits
  if (length > 32) throw new ModuleError(`${text} has no room for ${newBits} more bits`)
  if (number >= 2 ** newBits) throw new ModuleError(`${text} has no subnet ${number} of ${newBits} bits`)
  return `${toText(first + number * 2 ** (32 - length))}/${length}`
}

export function isWithin(text: string, address: string): boolean {
  const { first, bits } = range(text)
  const number = toNumber(address)
  return number >= first && number < first + 2 ** (32 - bits)
}

export function cidrHost(text: string, number: number): string {
  const { first, bits } = range(text)
  if (number >= 2 ** (32 - bits)) throw new ModuleError(`${text} has no host ${number}`)
  return toText(first + number)
}
