import { milliseconds } from '../bounds'

/** Slurm's notations for a missing value. */
const nothing = new Set([
  '',
  '(null)',
  'N/A',
  'n/a',
  'None',
  'NONE',
  'Unknown',
  'UNKNOWN',
  'UNLIMITED',
  'INVALID',
  'NOT_SET',
])

export const text = (value: string | undefined): string | undefined =>
  value === undefined || nothing.has(value.trim()) ? undefined : value

/** Converts seconds since 1970, as requested with SLURM_TIME_FORMAT, to milliseconds. */
export const time = (value: string | undefined): number | undefined =>
  // Slurm writes 0 if there is no time.
  milliseconds(text(value)) || undefined

/** Parses `D-HH:MM:SS`, `HH:MM:SS`, `MM:SS` or `MM:SS.mmm` into seconds. */
export function duration(value: string | undefined): number | undefined {
  const given = text(value)
  if (given === undefined) return undefined
  const [clock = '', days = '0'] = given.split('-').toReversed()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return Number.isFinite(seconds) ? Number(days) * 86_400 + Math.floor(seconds) : undefined
}

/** The GPUs in `gres:gpu:a100:2,gres:nic:1`, `gpu:2`, `gpu:a100:2(IDX:0-1)` or `cpu=4,gres/gpu=2,gres/gpu:a100=2`. */
export function gpus(gres: string | undefined): number {
  const given = text(gres)
  if (given === undefined) return 0
  const parts = given
    .replace(/\([^()]*\)/g, '')
    .split(',')
    .map((part) => ({ part, words: part.split(/[:/=]/).filter((word) => word !== 'gres') }))
    .filter(({ words }) => words[0] === 'gpu')
  // The last form has the total, followed by the GPUs of each type.
  const sum = parts.find(({ part }) => part.includes('gpu='))
  return (sum ? [sum] : parts).reduce((total, { words }) => {
    const last = Number(words.at(-1))
    return total + (Number.isNaN(last) ? 1 : last)
  }, 0)
}

/** Parses `12345K`, `1.5G` or bytes without a suffix into MiB. */
export function megabytes(value: string | undefined): number | undefined {
  const match = /^([\d.]+)([KMGTP]?)/.exec(text(value) ?? '')
  if (!match) return undefined
  const power = ['', 'K', 'M', 'G', 'T', 'P'].indexOf(match[2] ?? '')
  return Math.round(Number(match[1]) * 1024 ** (power - 2))
}
