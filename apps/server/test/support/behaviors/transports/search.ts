import { appendFile, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SearchOptions } from '../../../../src/transports/search/search'
import type { Subject } from './subject'

export function searchBehaviors({ name, on, folder }: Subject): void {
  const fileWith = async (content: string | Buffer) => {
    const root = await folder()
    const at = path.join(root, 'output.txt')
    await writeFile(at, content)
    const files = on().files(root)
    const search = (text: string, options: Partial<SearchOptions> = {}) =>
      files.search('output.txt', {
        texts: [text],
        words: false,
        offset: 0,
        limit: 100,
        stop: () => false,
        ...options,
      })
    return { at, search }
  }
  const lines = (count: number, text = 'a line of the output') => `${text}\n`.repeat(count)

  describe(`${name}: search`, () => {
    it('finds a text in any case, with its line, and reports how much was searched', async () => {
      const before = lines(300_000)
      const { search } = await fileWith(`Begin here\n${before}the BEGINNING of the end`)
      const size = 11 + before.length + 24
      expect(await search('begin')).toEqual({
        matches: [
          { offset: 0, length: 5, line: 0, text: 'Begin here', at: 0 },
          { offset: 15 + before.length, length: 5, line: 300_001, text: 'the BEGINNING of the end', at: 4 },
        ],
        next: size - 4,
        lines: 300_001,
        atEnd: true,
        size,
      })
      expect(await search('not there')).toMatchObject({ matches: [], atEnd: true, size })
    })

    it('takes the text literally, regardless of its meaning to a shell or as an expression', async () => {
      const odd = `-e .* [a](b)\\n $HOME \`id\` 'x "y" ! %s:1:2 \t|`
      const { search } = await fileWith(`plain\n${odd}\n`)
      const { matches } = await search(odd)
      expect(matches).toMatchObject([{ line: 1, offset: 6, text: odd }])
      for (const text of ['.*', '$HOME', '\\n', "'", '!', '-e', ':1:'])
        expect((await search(text)).matches, text).toHaveLength(1)
      expect((await search('p.ain')).matches).toEqual([])
    })

    it('finds non-ASCII letters in both cases, and letters without case', async () => {
      const { search } = await fileWith('GRÜSSE aus Zürich\nstraße 日本語\n')
      expect((await search('grüsse')).matches).toMatchObject([{ offset: 0, length: 7, line: 0 }])
      expect((await search('ZÜRICH')).matches).toMatchObject([{ line: 0, text: 'GRÜSSE aus Zürich', at: 11 }])
      expect((await search('Straße')).matches).toMatchObject([{ line: 1 }])
      expect((await search('本')).matches).toMatchObject([{ line: 1, length: 3 }])
    })

    it('stops at the limit, and finds each match once when it continues', async () => {
      const { search } = await fileWith(lines(1000, 'to and fro and up and down'))
      const seen: number[] = []
      let [offset, line] = [0, 0]
      for (;;) {
        const found = await search('and', { offset, limit: 130 })
        expect(found.matches.length).toBeLessThanOrEqual(130)
        seen.push(...found.matches.map((match) => line + match.line))
        offset = found.next
        line += found.lines
        if (found.atEnd) break
      }
      expect(seen).toEqual(Array.from({ length: 3000 }, (_, index) => Math.floor(index / 3)))
      expect((await search('and', { stop: () => true, limit: 1 })).next).toBe(6)
    })

    it('finds matches across every boundary of its blocks', async () => {
      const mega = 1024 * 1024
      const content = Buffer.alloc(129 * mega, 'x\n')
      const places = [mega - 3, 2 * mega - 1, 16 * mega - 5, 32 * mega - 2, 128 * mega - 4, 129 * mega - 6]
      for (const place of places) content.write('needle', place)
      const { search } = await fileWith(content)
      const { matches, atEnd } = await search('Needle')
      expect(matches.map((match) => match.offset)).toEqual(places)
      expect(atEnd).toBe(true)
      // Every second byte ends a line, except for three under each word.
      expect(matches.at(-1)?.line).toBe((places.at(-1) ?? 0) / 2 - 3 * (places.length - 1))
    })

    it('shows a part of a very long line, and bytes that are not text', async () => {
      const binary = Buffer.from([0, 255, 254, 1, 0xc3])
      const long = Buffer.alloc(3_000_000, 'ü')
      const { search } = await fileWith(
        Buffer.concat([long, Buffer.from('needle'), long, binary, Buffer.from('Needle2\0')]),
      )
      const { matches } = await search('needle')
      expect(matches).toMatchObject([
        { line: 0, offset: 3_000_000, text: `${'ü'.repeat(30)}needle${'ü'.repeat(80)}`, at: 30 },
        { line: 0, offset: 6_000_011 },
      ])
      expect(matches[1]?.text).toContain('Needle2\0')
    })

    it('continues where the file grew, and reports that it became shorter', async () => {
      const { at, search } = await fileWith('first needle\nhalf a nee')
      const first = await search('needle')
      expect(first).toMatchObject({ matches: [{ line: 0 }], atEnd: true, lines: 1 })
      await appendFile(at, 'dle\n')
      const second = await search('needle', { offset: first.next })
      expect(second.matches).toMatchObject([{ offset: 20, line: 0, text: 'half a needle' }])
      await truncate(at, 5)
      expect(await search('needle', { offset: second.next })).toMatchObject({ matches: [], size: 5 })
    })

    it('finds any of several words, and only whole words', async () => {
      const { search } = await fileWith('no terror, no errors\nsrun: error: it\nERROR\npanic_mode, Panic!\n')
      const { matches } = await search('', { texts: ['error', 'panic'], words: true })
      expect(matches.map(({ line, text, at }) => [line, text.slice(at, at + 5)])).toEqual([
        [1, 'error'],
        [2, 'ERROR'],
        [3, 'Panic'],
      ])
    })

    it('rejects a file that does not exist and one that is outside', async () => {
      const files = on().files(await folder())
      const sought = { texts: ['x'], words: false, offset: 0, limit: 1, stop: () => false }
      await expect(files.search('no', sought)).rejects.toMatchObject({ reason: 'not found' })
      await expect(files.search('../no', sought)).rejects.toMatchObject({ reason: 'outside' })
    })
  })
}
