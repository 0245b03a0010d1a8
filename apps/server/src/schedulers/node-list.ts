import { SchedulerError } from './error'
import { NODES_MAX, tooMany } from './bounds'

/** A part of a name: text, or one of the numbers in these ranges. */
type Piece = string | Range[]
interface Range {
  first: number
  last: number
  /** Numbers are padded with zeros to this length. */
  width: number
}

/** The maximum number of dimensions that Slurm supports. */
const BRACKETS_MAX = 8
/** Longer than any DNS name. */
const NAME_MAX = 256

/**
 * Expands Slurm's compact form, such as `n[1-3,05],gpu-a[0-1]b2`, or a plain comma-separated list. A name may have
 * several brackets. Throws if there are more names than any cluster has.
 */
export function expandNodes(list: string): string[] {
  const all: string[] = []
  for (const pieces of namesIn(list)) {
    if (all.length + countOf(pieces) > NODES_MAX) throw tooMany('nodes')
    let beginnings = ['']
    for (const piece of pieces) {
      const endings = typeof piece === 'string' ? [piece] : piece.flatMap(numbersOf)
      beginnings = beginnings.flatMap((beginning) => endings.map((ending) => beginning + ending))
    }
    for (const name of beginnings) all.push(name)
  }
  return all
}

/** The number of names in the list, without expanding it; Infinity for an implausible list. */
export const countNodes = (list: string): number =>
  unlessImplausible(Infinity, () => {
    let count = 0
    for (const pieces of namesIn(list)) count += countOf(pieces)
    return count
  })

/** The first name of the list, without expanding it; empty if there is none. */
export const firstNode = (list: string): string =>
  unlessImplausible('', () => {
    for (const pieces of namesIn(list))
      if (countOf(pieces) > 0)
        return pieces.map((piece) => (typeof piece === 'string' ? piece : firstOf(piece))).join('')
    return ''
  })

/** Whether the list contains the name, without expanding it. */
export const isInNodeList = (list: string, name: string): boolean =>
  unlessImplausible(false, () => {
    for (const pieces of namesIn(list)) if (isOneOf(pieces, name)) return true
    return false
  })

function unlessImplausible<T>(otherwise: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof SchedulerError) return otherwise
    throw error
  }
}

/** Tracks all positions in the name that the pieces so far can match, because the end of a number is ambiguous. */
function isOneOf(pieces: Piece[], name: string): boolean {
  let reached = new Set([0])
  for (const piece of pieces) {
    const next = new Set<number>()
    for (const at of reached) {
      if (typeof piece === 'string') {
        if (name.startsWith(piece, at)) next.add(at + piece.length)
      } else
        for (let end = at + 1; end <= name.length && isDigits(name.slice(at, end)); end++)
          if (piece.some((range) => isWithin(range, name.slice(at, end)))) next.add(end)
    }
    if (next.size === 0) return false
    reached = next
  }
  return reached.has(name.length)
}

/** At most 15 digits, so that the number is exact. */
const isDigits = (text: string) => /^\d{1,15}$/.test(text)
const isWithin = ({ first, last, width }: Range, digits: string) =>
  Number(digits) >= first && Number(digits) <= last && written(Number(digits), width) === digits

const written = (number: number, width: number) => String(number).padStart(width, '0')
const sizeOf = (ranges: Range[]) => ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
const firstOf = ([range]: Range[]) => (range ? written(range.first, range.width) : '')
const countOf = (pieces: Piece[]) =>
  pieces.reduce((names, piece) => names * (typeof piece === 'string' ? 1 : sizeOf(piece)), 1)
const numbersOf = ({ first, last, width }: Range) =>
  Array.from({ length: last - first + 1 }, (_, index) => written(first + index, width))

/** The pieces of each name. Names are separated by commas outside brackets. */
function* namesIn(list: string): Generator<Piece[]> {
  let pieces: Piece[] = []
  for (const [piece, inside] of list.matchAll(/\[([^[\]]*)\]|,|[^[\],]+|[[\]]/g)) {
    if (piece === ',') {
      if (pieces.length > 0) yield pieces
      pieces = []
    } else if (pieces.length > 2 * BRACKETS_MAX || (inside === undefined && piece.length > NAME_MAX))
      throw tooMany('nodes')
    else pieces.push(inside === undefined ? piece : rangesIn(inside))
  }
  if (pieces.length > 0) yield pieces
}

function rangesIn(inside: string): Range[] {
  const parts = inside.split(',')
  if (parts.length > NODES_MAX) throw tooMany('nodes')
  return parts.flatMap((part) => {
    const [, first = '', last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part) ?? []
    return first === '' || Number(last) < Number(first)
      ? []
      : [{ first: Number(first), last: Number(last), width: first.length }]
  })
}
