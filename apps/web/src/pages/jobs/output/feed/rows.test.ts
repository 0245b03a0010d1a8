import { describe, expect, it } from 'vitest'
import { ROW_MAX, createRows } from './rows'

const filled = (text: string, offset = 0) => {
  const rows = createRows()
  rows.append(text, offset)
  return rows
}
const texts = (rows: ReturnType<typeof createRows>) => rows.all().map(({ text }) => text)

describe('rows at the end', () => {
  it('continue an unfinished line', () => {
    const rows = filled('one\ntw')
    expect(texts(rows)).toEqual(['one', 'tw'])
    rows.append('o\nthree', 6)
    expect(texts(rows)).toEqual(['one', 'two', 'three'])
    rows.append('\n', 13)
    expect(texts(rows)).toEqual(['one', 'two', 'three'])
    rows.append('four', 14)
    expect(texts(rows)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('keep empty lines', () => {
    expect(texts(filled('a\n\n\nb\n'))).toEqual(['a', '', '', 'b'])
  })

  it('split a very long line', () => {
    const long = 'x'.repeat(ROW_MAX * 2 + 5)
    const rows = filled(`${long}\nend`)
    expect(texts(rows)).toEqual(['x'.repeat(ROW_MAX), 'x'.repeat(ROW_MAX), 'xxxxx', 'end'])
  })

  it('are not added by a progress bar', () => {
    const rows = filled('start\n')
    for (let percent = 0; percent <= 100; percent += 1) rows.append(`\r${percent} %`, 6)
    expect(texts(rows)).toEqual(['start', '100 %'])
    expect(rows.characters()).toBeLessThan(30)
  })
})

describe('rows at the beginning', () => {
  it('join a line that was split in two', () => {
    const rows = filled('wo\nthree\n', 5)
    rows.prepend('one\nt', 0)
    expect(texts(rows)).toEqual(['one', 'two', 'three'])
  })

  it('join nothing if the split is between lines', () => {
    const rows = filled('two\n', 4)
    rows.prepend('one\n', 0)
    expect(texts(rows)).toEqual(['one', 'two'])
  })

  it('join a single unfinished line', () => {
    const rows = filled('ree', 8)
    rows.prepend('one\ntwo\nth', 0)
    rows.append('!\n', 11)
    expect(texts(rows)).toEqual(['one', 'two', 'three!'])
  })

  it('keep the numbers of existing rows', () => {
    const rows = filled('c\nd\ne\n', 4)
    const before = rows.firstRow()
    rows.prepend('a\nb\n', 0)
    expect(texts(rows)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(rows.firstRow()).toBe(before - 2)
  })
})

describe('a loaded part that has grown too large', () => {
  const line = (number: number) => `line ${String(number).padStart(4, '0')}\n`
  const many = () => {
    const rows = createRows()
    for (let at = 0; at < 10; at += 1) {
      rows.append(Array.from({ length: 10 }, (_, one) => line(at * 10 + one)).join(''), at * 100)
    }
    return rows
  }

  it('drops its oldest rows and returns its new start', () => {
    const rows = many()
    const from = rows.dropFirst(250) ?? -1
    expect(from % 10).toBe(0)
    expect(texts(rows)[0]).toBe(line(from / 10).trim())
    expect(rows.firstRow()).toBe(from / 10)
    expect(texts(rows).at(-1)).toBe('line 0099')
    rows.append(line(100), 1000)
    expect(texts(rows).at(-1)).toBe('line 0100')
  })

  it('drops its newest rows and returns its new end', () => {
    const rows = many()
    const next = rows.dropLast(250) ?? -1
    expect(texts(rows).at(-1)).toBe(line(next / 10 - 1).trim())
    rows.append(line(next / 10), next)
    expect(texts(rows).at(-1)).toBe(line(next / 10).trim())
  })

  it('can load earlier rows again after dropping them', () => {
    const rows = many()
    const from = rows.dropFirst(250) ?? -1
    rows.prepend(line(from / 10 - 1), from - 10)
    expect(texts(rows).slice(0, 2)).toEqual([line(from / 10 - 1).trim(), line(from / 10).trim()])
  })
})
