import { renderToString } from 'react-dom/server'
import { createElement } from 'react'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fromLocalInput, toLocalInput } from './fields/date-time-field'
import { applyFieldErrors } from './field-errors'
import { TextField } from './fields/fields'
import { useZodForm } from './use-zod-form'
import type { ZodForm } from './use-zod-form'
import { errorsByPath, nestErrors, zodResolver } from './zod-resolver'

const Person = z.object({
  name: z.string().check(z.trim(), z.minLength(2, 'Too short'), z.regex(/^[a-z]+$/, 'Letters only')),
  keys: z.array(z.object({ title: z.string().check(z.minLength(1, 'Needs a title')) })),
})
type Person = z.infer<typeof Person>

describe('the resolver', () => {
  const options = { fields: {}, shouldUseNativeValidation: false, names: undefined }

  it('returns the parsed values', async () => {
    const result = await zodResolver(Person)({ name: ' ada ', keys: [] }, undefined, { ...options })
    expect(result).toEqual({ values: { name: 'ada', keys: [] }, errors: {} })
  })

  it('reports only the first error of each field', async () => {
    const result = await zodResolver(Person)(
      { name: '1', keys: [{ title: 'x' }, { title: '' }] },
      undefined,
      {
        ...options,
      },
    )
    expect(result.errors).toEqual({
      name: { type: 'schema', message: 'Too short' },
      // The form drops the errors of a list that is not an array when one of its fields is left.
      keys: [undefined, { title: { type: 'schema', message: 'Needs a title' } }],
    })
  })

  it('has default messages for rules without their own', async () => {
    const Size = z.object({
      count: z.number().check(z.int(), z.minimum(1), z.maximum(9)),
      name: z.string().check(z.minLength(1)),
      kind: z.enum(['a', 'b']),
    })
    const messagesFor = async (count: number, name: string, kind: 'a') => {
      const { errors } = await zodResolver(Size)({ count, name, kind }, undefined, { ...options })
      return [errors.count?.message, errors.name?.message, errors.kind?.message]
    }
    expect(await messagesFor(10, '', 'a')).toEqual(['At most 9', 'This field is required', undefined])
    expect(await messagesFor(0, 'x', 'a')).toEqual(['At least 1', undefined, undefined])
    expect(await messagesFor(1.5, 'x', 'a')).toEqual(['Enter a whole number', undefined, undefined])
    expect(await messagesFor(Number.NaN, 'x', 'a')).toEqual(['Enter a number', undefined, undefined])
  })

  it('adds what a form knows besides its schema, which comes first', async () => {
    const check = zodResolver(Person, () => [
      ['name', 'Taken'],
      ['keys', 'Too few'],
    ])
    const given = { name: '1', keys: [] }
    expect((await check(given, undefined, { ...options })).errors).toEqual({
      name: { type: 'schema', message: 'Too short' },
      keys: { type: 'schema', message: 'Too few' },
    })
    expect((await check({ ...given, name: 'ada' }, undefined, { ...options })).values).toEqual({})
  })

  it('reports errors of the whole form at the root', () => {
    expect(nestErrors(errorsByPath([{ path: [], message: 'Not together' }]))).toEqual({
      root: { type: 'schema', message: 'Not together' },
    })
  })
})

describe('server errors', () => {
  const formWithName = (): ZodForm<Person> => {
    let made: ZodForm<Person> | undefined
    const keep = (form: ZodForm<Person>) => void (made = form)
    const Probe = () => {
      const form = useZodForm(Person, { defaults: { name: '', keys: [] } })
      keep(form)
      return createElement(TextField<Person, Person>, { form, name: 'name', label: 'Name' })
    }
    renderToString(createElement(Probe))
    if (!made) throw new Error('the form was not created')
    return made
  }

  it('appear on their fields, or at the top of the form', () => {
    const form = formWithName()
    applyFieldErrors(form, { name: 'Taken', quota: 'Nothing left' }, 'Some fields are invalid')
    expect(form.getFieldState('name').error?.message).toBe('Taken')
    expect(form.control._formState.errors.root?.['server']?.message).toBe('quota: Nothing left')
  })

  it('without fields appear at the top of the form', () => {
    const form = formWithName()
    applyFieldErrors(form, {}, 'The server cannot be reached')
    expect(form.control._formState.errors.root?.['server']?.message).toBe('The server cannot be reached')
  })
})

describe('a time in an input', () => {
  it('survives a round trip', () => {
    const at = new Date(2024, 4, 1, 9, 30).getTime()
    expect(toLocalInput(at)).toBe('2024-05-01T09:30')
    expect(fromLocalInput(toLocalInput(at))).toBe(at)
    expect([toLocalInput(null), fromLocalInput('')]).toEqual(['', null])
  })
})
