const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** Bytes of a typed size such as 1.4 MB or 20 GB, or null; a bare number is bytes. */
export function parseSize(text: string): number | null {
  const [whole, value, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgtp]?b?)$/i.exec(text.trim()) ?? []
  if (whole === undefined) return null
  const power = units.findIndex((name) => name[0] === unit[0]?.toUpperCase())
  return Number(value) * 1000 ** Math.max(0, power)
}

/** '812 B', '1.4 MB': powers of 1000, like disks and file managers. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value < 10 && unit > 0 ? oneDigit.format(value) : Math.round(value)} ${units[unit]}`
}
