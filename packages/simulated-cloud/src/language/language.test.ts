import { describe, expect, it } from 'vitest'
import { evaluate } from './evaluate'
import { parseExpression, parseTemplate } from './parse'
import { convert, parseType } from './types'
import { bare, hasUnknown, isSecret, secret, unknown, type Value, type Values } from './values'

const names: Values = {
  unknown,
  secret: secret('hidden'),
  list: ['a', unknown],
  made: { id: unknown, name: 'x' },
}
const of = (text: string): Value =>
  evaluate(parseExpression(text), {
    member: (_root, name) => {
      const value = names[name]
      if (value === undefined) throw new Error(`no ${name}`)
      return value
    },
  })

describe('an unknown value', () => {
  it('makes everything computed from it unknown, and nothing else', () => {
    expect(of('var.unknown')).toBe(unknown)
    expect(of('"a ${var.unknown}"')).toBe(unknown)
    expect(of('var.unknown == "x" ? 1 : 2')).toBe(unknown)
    expect(of('length(var.list)')).toBe(2)
    expect(of('[for one in var.list : one][0]')).toBe('a')
    expect(of('var.made.name')).toBe('x')
    expect(hasUnknown(of('{for key, value in {a = var.made} : key => value.id}'))).toBe(true)
    expect(of('join(",", var.list)')).toBe(unknown)
    expect(of('try(var.unknown, "x")')).toBe(unknown)
    expect(of('false && var.unknown')).toBe(false)
  })
})

describe('a secret value', () => {
  it('makes everything computed from it secret', () => {
    for (const text of ['var.secret', '"a ${var.secret}"', 'base64encode(var.secret)', 'var.secret == "x"']) {
      expect(isSecret(of(text)), text).toBe(true)
    }
    expect(bare(of('{a = var.secret, b = 1}'))).toEqual({ a: 'hidden', b: 1 })
  })
})

describe('an invalid expression', () => {
  it.each(['var.', '1 +', '[1', '{a = }', 'for x in y', '"open', 'a b', 'var.list[', '?'])(
    'fails to parse: %s',
    (text) => {
      expect(() => parseExpression(text)).toThrow(/\w/)
    },
  )
  it('fails with an error that says why', () => {
    expect(() => of('var.missing')).toThrow('no missing')
    expect(() => of('nosuch(1)')).toThrow('does not support the function nosuch')
    expect(() => of('var.made.other')).toThrow('No attribute other')
    expect(() => parseTemplate('%{ if true }', 'plain')).toThrow('does not support')
    expect(() => of('file("/etc/passwd")')).toThrow('does not support the function file')
  })
})

describe('variable types', () => {
  const convertTo = (type: string, value: Value) => convert(value, parseType(type), 'var.x')
  it('convert values as the engine does', () => {
    expect(convertTo('string', 5)).toBe('5')
    expect(convertTo('number', '5')).toBe(5)
    expect(convertTo('bool', 'true')).toBe(true)
    expect(
      convertTo('map(object({a = string, b = optional(number, 3)}))', { x: { a: 1, more: true } }),
    ).toEqual({
      x: { a: '1', b: 3 },
    })
    expect(convertTo('list(any)', [1, 'a'])).toEqual([1, 'a'])
  })
  it('reject values that cannot be converted', () => {
    expect(() => convertTo('number', 'many')).toThrow('var.x: number is required')
    expect(() => convertTo('object({a = string})', {})).toThrow('the attribute a is required')
    expect(() => convertTo('list(string)', 'x')).toThrow('var.x: list is required')
  })
})
