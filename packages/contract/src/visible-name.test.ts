import { expect, it } from 'vitest'
import { visibleName } from './visible-name'

it.each([
  ['plain name.txt', 'plain name.txt'],
  ['Ääkköset 文件 🐧', 'Ääkköset 文件 🐧'],
  ['👩‍🔬', '👩‍🔬'],
  ['line\nbreak\ttab\0', 'line␊break␉tab␀'],
  ['\u001b[31mred\u007f', '␛[31mred␡'],
  ['next\u0085line', 'next⟨U+0085⟩line'],
  ['exe\u202egpj.txt', 'exe⟨U+202E⟩gpj.txt'],
  ['a\u200bb\u200dc\u00a0d', 'a⟨U+200B⟩b⟨U+200D⟩c⟨U+00A0⟩d'],
])('makes invisible characters visible in %j', (name, shown) => {
  expect(visibleName(name)).toBe(shown)
})
