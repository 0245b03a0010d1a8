const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

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
