import { expect, it } from 'vitest'
import { searchOptions } from './combobox'

const options = ['render', 'Weather nightly', 'weather model', 're-weather'].map((label) => ({
  value: label,
  label,
}))
const found = (text: string) => searchOptions(options, text).map(({ label }) => label)

it('offers everything until something is typed', () => {
  expect(found('  ')).toHaveLength(4)
})

it('narrows by every word, and lists what starts with the text first', () => {
  expect(found('weather')).toEqual(['Weather nightly', 'weather model', 're-weather'])
  expect(found('night WEA')).toEqual(['Weather nightly'])
  expect(found('nothing')).toEqual([])
})
